"""The message of a commit: Conventional Commits and trailers. What an agent wrote can never pass for one of them."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

WIDTH = 72
"""The longest first line; git and its friends cut a longer one."""
LONGEST_SCOPE = 24
SCOPE = re.compile(r"[^a-z0-9_./-]+")
LINE_ENDS = re.compile(r"\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]")
TRAILER = re.compile(r"([a-z0-9]+(-[a-z0-9]+)+|requirement|fixes|closes|resolves|refs)\s*:", re.IGNORECASE)
"""A line that git or a bot would take for a trailer."""
DIVIDER = re.compile(r"---|diff |index: ", re.IGNORECASE)
"""A line after which programs that read patches stop reading a message."""
UNSEEN = ("Cc", "Cf", "Cs", "Co", "Cn")


def commit_message(
    *, kind: str, subject: str, scope: str = "", body: str = "", trailers: Sequence[tuple[str, str]] = ()
) -> str:
    """The whole message, with a line break at its end. A machine signs nothing off."""
    if any(name.lower() == "signed-off-by" for name, _ in trailers):
        raise ValueError("only a person signs off")
    told = "\n".join(f"{name}: {one_line(value)}" for name, value in dict.fromkeys(trailers))
    parts = [_first_line(kind, scope, subject), _body(body), told]
    return "\n\n".join(part for part in parts if part) + "\n"


def one_line(text: str) -> str:
    """Text on one line, without characters nobody sees."""
    spaced = "".join(" " if char.isspace() else char for char in text)
    return " ".join("".join(char for char in spaced if unicodedata.category(char) not in UNSEEN).split())


def _first_line(kind: str, scope: str, subject: str) -> str:
    plain = SCOPE.sub("-", scope.lower()).strip("-./")
    head = f"{kind}({plain}): " if plain and len(plain) <= LONGEST_SCOPE else f"{kind}: "
    told = one_line(subject).rstrip(".") or "change without a description"
    room = WIDTH - len(head)
    if len(told) <= room:
        return head + told
    cut = told[: room - 1]
    return head + (cut.rpartition(" ")[0] or cut).rstrip(" ,;:") + "…"


def _body(text: str) -> str:
    lines = [one_line(line) for line in LINE_ENDS.split(text)]
    quoted = [f"> {line}" if TRAILER.match(line) or DIVIDER.match(line) else line for line in lines]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(quoted)).strip("\n")
