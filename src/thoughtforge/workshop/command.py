"""A command of an agent: one a person named, without a shell, in a box, on files that are thrown away afterwards."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from thoughtforge.kernel.errors import Mistake
from thoughtforge.sandbox import boxes
from thoughtforge.sandbox.box import Box, Boxed, Mount

if TYPE_CHECKING:  # stages that only read know this file too and must not pay for it
    from thoughtforge.workshop.workshop import Workshop

MAX_OUTPUT = 256 * 1024
SHOWN = 6_000
"""Characters of output that an agent is shown: the beginning and, mostly, the end."""


def check_allowed(argv: Sequence[str], allowed: Sequence[Sequence[str]]) -> None:
    """A command line must begin, word by word, with one that was allowed; else a Mistake names those."""
    if any("\0" in part for part in argv):
        raise Mistake("a command cannot hold a NUL character", do="Leave it out.")
    if any(prefix and tuple(argv[: len(prefix)]) == tuple(prefix) for prefix in allowed):
        return
    said = " ".join(argv)[:200]
    if not allowed:
        raise Mistake(
            f"no command may be run in this repository, so neither may {said!r}",
            do="Use the other tools; a person can allow commands with the setting commands in config.yaml.",
        )
    raise Mistake(
        f"the command {said!r} is not allowed",
        do="Begin with one of the allowed commands; a person can add to the setting commands in config.yaml.",
        details=tuple(f"allowed: {' '.join(prefix)} …" for prefix in allowed),
    )


async def run(workshop: Workshop, argv: Sequence[str]) -> Boxed:
    """Run a command a person allowed."""
    check_allowed(argv, workshop.rules.commands)
    return await run_named(workshop, argv)


async def run_named(workshop: Workshop, argv: Sequence[str]) -> Boxed:
    """Run a command on a fresh copy of the files as they are now; what it writes is gone afterwards."""
    environment = workshop.environment
    search = ":".join([*map(str, environment.path), boxes.SEARCH_PATH])
    tree = await workshop.workspace.tree()
    async with workshop.checkout(tree) as root:
        box = Box(
            cwd=root,
            mounts=(Mount(root, writable=True), *environment.mounts),
            env={"PATH": search, "TZ": "UTC"},
            limits=workshop.rules.limits,
        )
        return await boxes.run(workshop.sandbox, box, argv, max_output=MAX_OUTPUT)


def shown(raw: bytes, limit: int = SHOWN) -> str:
    """Output as text, its middle left out when it is long."""
    text = raw.decode("utf-8", "replace").strip()
    if len(text) <= limit:
        return text
    head, tail = text[: limit // 4], text[-(limit - limit // 4) :]
    return f"{head}\n[… {len(text) - limit:,} characters left out …]\n{tail}"
