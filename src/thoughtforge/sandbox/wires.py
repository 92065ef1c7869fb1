"""What connects a boxed command with us: its three streams and, when asked for, the report pipe."""

from __future__ import annotations

from typing import IO, NamedTuple


class Wires(NamedTuple):
    """The ends a boxed command gets."""

    stdin: IO[bytes]
    stdout: IO[bytes]
    stderr: IO[bytes]
    report: IO[bytes] | None = None

    @property
    def passed(self) -> tuple[int, ...]:
        """Descriptors it inherits beside its three streams."""
        return (self.report.fileno(),) if self.report else ()

    def close(self) -> None:
        """Let go of our copies, so that a stream ends when the command does."""
        for end in (self.stdout, self.stderr, self.report):
            if end is not None:
                end.close()
