"""The file of a change plan: header, body, and the sections that only the engine writes."""

from __future__ import annotations

from typing import NamedTuple

REQUIRED = ("Objective", "Scope", "Changes", "Risks", "Testing")
"""The sections a plan must have."""
MANIFEST = "Change Manifest"
OWN = ("Audit Log", "Implementation Notes")
"""The sections no agent writes: the engine the first, a person the second."""
MOST_BYTES = 1_000_000
"""A larger file is refused: it is no plan."""


class PlanHeader(NamedTuple):
    """The header as the file has it. Only the title is a fact; id, status and the rest are views of the log."""

    title: str
    id: str
    task: str
    created: str
    status: str
    project: str


class StatusRestored(NamedTuple):
    """A plan whose status line says again what the log says."""

    text: str
    notice: str
    """What a person had written there; empty when nothing was wrong."""


def decode(data: bytes, *, source: str) -> str:
    """The text of a plan file; line ends stay as they are. Raises UserError when it is no UTF-8 text or too large."""
    raise NotImplementedError


def header_of(text: str) -> PlanHeader:
    """The header: what stands before the first `---` or `##`; code fences there are ignored."""
    raise NotImplementedError


def with_status(text: str, status: str) -> str:
    """The plan with this status line and nothing else changed."""
    raise NotImplementedError


def status_restored(text: str, status: str) -> StatusRestored:
    """The plan with the status of the log put back where a person wrote another one."""
    raise NotImplementedError


def body_of(text: str) -> str:
    """What agents may write: everything but the header, the audit log and the implementation notes."""
    raise NotImplementedError


def with_body(text: str, body: str) -> str:
    """The plan with another body; the rest stays byte for byte. Own sections in `body` are dropped."""
    raise NotImplementedError


def agent_body(answer: str) -> str:
    """The body in an agent's answer: without a fence around all of it, a header, a preamble or own sections."""
    raise NotImplementedError


def with_sections(text: str, new: dict[str, str]) -> str:
    """The plan with the text below some headings of its body replaced; a heading that is missing is added."""
    raise NotImplementedError


def meaning_hash(text: str) -> str:
    """16 hex digits of title, required sections and manifest; line ends and trailing blanks do not matter."""
    raise NotImplementedError
