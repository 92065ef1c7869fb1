"""File paths in the text of a plan."""

from __future__ import annotations


def extract_file_paths(text: str) -> tuple[str, ...]:
    """The paths a section's text names, each once, in the order of their first mention."""
    raise NotImplementedError


def is_likely_file_path(token: str) -> bool:
    """Whether a token is the path of a file in a repository, in whatever language."""
    raise NotImplementedError
