"""The option that writes the stories anew."""

from __future__ import annotations

from typing import Any


def pytest_addoption(parser: Any) -> None:
    """Known when this folder is named on the command line: pytest tests/stories --update-stories."""
    parser.addoption("--update-stories", action="store_true", help="Write the golden stories anew.")
