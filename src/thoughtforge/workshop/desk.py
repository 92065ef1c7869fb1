"""What a tool is handed and what it answers."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from thoughtforge.kernel.errors import Mistake
from thoughtforge.workspaces.tree import Tree

if TYPE_CHECKING:  # stages that only read must not pay for it
    from thoughtforge.workshop.workshop import Workshop


class Edit(NamedTuple):
    """New content of one file; None takes the file away."""

    path: str
    data: bytes | None
    executable: bool | None = None
    """None leaves that as it is; a new file is not."""


@dataclass
class Desk:
    """All a tool can reach."""

    tree: Tree
    """The files as they are now."""
    workshop: Workshop | None = None
    """What the stages that write code work with; None in every other stage."""
    edit: Callable[[Sequence[Edit]], Awaitable[str]] | None = None
    """Put edits on record, make them and run the gate; answers the verdict in words."""
    own: Callable[[str], bool] = lambda path: False
    """Whether this stage itself made a file."""

    def the_workshop(self) -> Workshop:
        """The workshop; in a stage without one the tool cannot be used."""
        if self.workshop is None:
            raise Mistake("this stage does not write or run code", do="Use another tool, or complete the stage.")
        return self.workshop

    async def write(self, edits: Sequence[Edit]) -> str:
        """Make edits together; the verdict of the gate."""
        if self.edit is None:
            raise Mistake("this stage does not write files", do="Use another tool, or complete the stage.")
        return await self.edit(edits)


class Result(NamedTuple):
    """A tool's answer. `end` is set when the agent's work is over with it."""

    ok: bool
    summary: str
    """One line, for the record and for later steps."""
    output: str
    """The whole answer, for the agent's next step."""
    end: dict[str, Any] | None = None
