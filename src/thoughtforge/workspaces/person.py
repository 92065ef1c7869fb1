"""Who a person is to git, and commits in their name."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from thoughtforge.sandbox import process
from thoughtforge.workspaces.git import WALL_SECONDS, Git


class Person(NamedTuple):
    """A name and an address, as in a commit."""

    name: str
    email: str


NOBODY = Person("ThoughtForge", "thoughtforge@localhost")
CRUD = " .,:;<>\"\\'\n\t"
"""What git takes off a name; one of nothing else is no name to it."""


def own_environment(git: Git, home: Path) -> dict[str, str]:
    """The environment in which git also reads the settings a person and the machine have."""
    kept = {key: value for key, value in git.env.items() if not key.startswith(("GIT_CONFIG", "GIT_ATTR"))}
    return {**kept, "HOME": str(home)}


async def person(git: Git, home: Path | None = None) -> Person:
    """The identity set for a repository or in a person's home; a stand-in when name or address is missing."""
    env = git.env if home is None else own_environment(git, home)
    found = Person(await _setting(git, "user.name", env=env), await _setting(git, "user.email", env=env))
    return found if all(part.strip(CRUD) for part in found) else NOBODY


async def _setting(git: Git, key: str, *, env: Mapping[str, str]) -> str:
    argv = git.argv("config", "--get", key)
    ended = await process.run(argv, cwd=git.repository.git_dir, env=env, wall_seconds=WALL_SECONDS)
    return ended.stdout.decode("utf-8", "replace").strip() if ended.code == 0 else ""


async def make_commit(git: Git, tree: str, *, message: str, parents: tuple[str, ...], author: Person, when: str) -> str:
    """A commit no branch leads to yet; the same values make the same commit."""
    people: dict[str, str] = {}
    for part in ("AUTHOR", "COMMITTER"):
        people |= {f"GIT_{part}_NAME": author.name, f"GIT_{part}_EMAIL": author.email, f"GIT_{part}_DATE": when}
    above = [part for parent in parents for part in ("-p", parent)]
    return await git.write("commit-tree", *above, "-F", "-", tree, stdin=f"{message.rstrip()}\n".encode(), env=people)
