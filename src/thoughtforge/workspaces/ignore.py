"""What no agent gets to see: the patterns of `.thoughtforgeignore` in the base commit, after built-in ones for secrets.

The syntax is gitignore's: comments, `!` to bring back, a `/` at the end for folders only, a `/` elsewhere to anchor,
`*`, `?`, `[…]`, `**`. The last pattern that fits decides; nothing below a hidden folder can be brought back. A project
may bring back what a built-in pattern hides (`!.env.example`), because the base commit is the person's own.

The matching is ours and not a library's because it must stay linear (see globs.py); a test holds it against git itself.
"""

from __future__ import annotations

from typing import NamedTuple

from thoughtforge.workspaces.git import Git
from thoughtforge.workspaces.globs import Glob, glob

FILE = ".thoughtforgeignore"
DEFAULTS = (
    ".env",
    ".env.*",
    "*.pem",
    "*.key",
    "id_rsa*",
    ".netrc",
    ".npmrc",
    ".pypirc",
    "secrets.*",
)


class Rule(NamedTuple):
    """One pattern: what it hides or brings back, and where it was written."""

    pattern: str
    source: str
    glob: Glob
    hides: bool
    folders_only: bool


class Ignore:
    """Decides for a path; remembers its answers, because folders are asked about again and again."""

    def __init__(self, rules: tuple[Rule, ...]) -> None:
        self.rules = rules
        self.known: dict[tuple[str, bool], Rule | None] = {}

    def reason(self, path: str) -> str | None:
        """Why a path is hidden, in words; None when it is not."""
        parts = path.split("/")
        for depth in range(1, len(parts) + 1):
            above = "/".join(parts[:depth])
            rule = self._deciding(above, depth < len(parts))
            if rule is not None and rule.hides:
                return f"{path} is hidden by the pattern {rule.pattern} ({rule.source})"
        return None

    def _deciding(self, path: str, folder: bool) -> Rule | None:
        key = (path, folder)
        if key not in self.known:
            fitting = (rule for rule in reversed(self.rules) if folder or not rule.folders_only)
            self.known[key] = next((rule for rule in fitting if rule.glob.matches(path)), None)
        return self.known[key]


def parse_ignore(text: str) -> Ignore:
    """The built-in rules and those of an ignore file."""
    built_in = [_rule(line, "built in", fold=True) for line in DEFAULTS]
    return Ignore(tuple(rule for rule in [*built_in, *(_rule(line, FILE) for line in text.splitlines())] if rule))


async def read_ignore(git: Git, commit: str) -> Ignore:
    """The rules in force for a commit."""
    raw = await git.blob(commit, FILE)
    return parse_ignore("" if raw is None else raw.decode("utf-8-sig", "replace"))


def _rule(line: str, source: str, *, fold: bool = False) -> Rule | None:
    """The rule a line stands for; None for a blank line or a comment."""
    text = _without_trailing_spaces(line)
    if not text or text.startswith("#"):
        return None
    hides = not text.startswith("!")
    body = text if hides else text[1:]
    folders_only = body.endswith("/")
    body = body.rstrip("/")
    if not body:
        return None
    anchored = body.removeprefix("/") if "/" in body else f"**/{body}"
    return Rule(text, source, glob(anchored, classes=True, fold=fold), hides, folders_only)


def _without_trailing_spaces(line: str) -> str:
    """Spaces at the end do not count unless a backslash holds the last of them."""
    text = line.rstrip(" \t\r")
    return f"{text} " if text.endswith("\\") and len(text) < len(line) else text
