"""The cage of an agent: its program, its private home, the workspace to read, and one socket that leads to us.

- With bubblewrap the kernel keeps it: no network, no other folder, no environment of ours.
- Without it, and only where a person has allowed that, nothing is walled off; the addresses are then of this machine.
"""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping
from pathlib import Path, PurePosixPath
from types import MappingProxyType
from typing import Any, NamedTuple

from thoughtforge.cages import gateway
from thoughtforge.cages.cli import Ask, Door, Launch
from thoughtforge.cages.gateway import Behind, Listening
from thoughtforge.cages.login import Logins
from thoughtforge.cages.program import Program
from thoughtforge.kernel.errors import Mistake
from thoughtforge.sandbox import boxes, talking
from thoughtforge.sandbox.box import Box, Boxed, Limits, Mount
from thoughtforge.sandbox.boxes import INSTALL, SEARCH_PATH, Sandbox
from thoughtforge.sandbox.talking import Talk
from thoughtforge.suites.interpreter import own_interpreter
from thoughtforge.workspaces.links import led

HOME = Path("/home", "agent")
OURS = Path("/run/thoughtforge")
SOCKET, FORWARD, NOTHING = OURS / "out", OURS / "forward.py", OURS / "nothing"
PORT = 4455
"""Where the forwarder listens; nobody else is in that network."""
MAX_OUTPUT = 64 * 1024 * 1024
ELSEWHERE = ("proc", "dev")
"""Folders that a cage has of its own."""
NO_WALLS = "{program} runs without walls: only what it changes is compared after each turn ({note})"


class Inmate(NamedTuple):
    """Who goes into a cage, and what is put in with it."""

    program: Program
    home: Path
    folder: Path | None = None
    """The workspace; None for an empty folder."""
    hidden: tuple[str, ...] = ()
    limits: Limits = Limits()
    logins: Logins = MappingProxyType({})
    """The person's logins in its home."""


class Cage(NamedTuple):
    """A cage that is ready: addresses and paths as the agent sees them."""

    sandbox: Sandbox
    inmate: Inmate
    behind: Behind
    url: str
    """Where everything that is open to it begins."""
    home: Path
    work: Path
    mounts: tuple[Mount, ...]
    notes: list[str]
    """What a person should know; grows until the agent has ended."""

    @property
    def walls(self) -> bool:
        """Whether the kernel keeps it."""
        return self.sandbox.kind == "bubblewrap"

    def ask(
        self,
        system: str,
        prompt: str,
        *,
        model: str,
        schema: Mapping[str, Any] | None = None,
        max_output: int = 0,
        session: str = "",
    ) -> Ask:
        """One turn, with everything the cage knows about it."""
        behind = self.behind
        door = Door(f"{self.url}/mcp", behind.door, behind.tools) if behind.server else None
        return Ask(
            system,
            prompt,
            model,
            f"{self.url}/model",
            self.home,
            self.work,
            key=behind.proxy.upstream.stand_in,
            schema=schema,
            max_output=max_output,
            door=door,
            session=session,
        )

    async def run(self, launch: Launch, *, on_line: Callable[[bytes], None] | None = None) -> Boxed:
        """Run the agent to its end."""
        return await boxes.run(
            self.sandbox,
            self._box(launch),
            self._argv(launch),
            stdin=launch.stdin,
            max_output=MAX_OUTPUT,
            on_line=on_line,
            alive=self.behind.proxy.pulse.last,
        )

    def talking(self, launch: Launch) -> contextlib.AbstractAsyncContextManager[Talk]:
        """Start the agent and talk with it; what Launch.stdin holds is not sent."""
        return talking.talking(self.sandbox, self._box(launch), self._argv(launch), alive=self.behind.proxy.pulse.last)

    def _argv(self, launch: Launch) -> list[str | Path]:
        command: list[str | Path] = [self.inmate.program.path, *launch.argv]
        if not self.walls:
            return command
        return [own_interpreter().python, "-I", "-S", FORWARD, str(PORT), SOCKET, *command]

    def _box(self, launch: Launch) -> Box:
        path = ":".join([*map(str, self.inmate.program.folders), SEARCH_PATH])
        env = {"HOME": str(self.home), "PATH": path, "USER": "agent", "LOGNAME": "agent", "SHELL": "/bin/sh"}
        env |= self._tunnel() | dict(launch.env)
        return Box(self.work, self.mounts, env, self.inmate.limits, network=not self.walls)

    def _tunnel(self) -> dict[str, str]:
        """How an agent with a login finds the hosts that renew it."""
        if not self.behind.hosts:
            return {}
        proxy = self.url.replace("://", f"://agent:{self.behind.token}@").removesuffix(f"/{self.behind.token}")
        here = "127.0.0.1,localhost"
        return {"HTTPS_PROXY": proxy, "https_proxy": proxy, "NO_PROXY": here, "no_proxy": here}


@contextlib.asynccontextmanager
async def opened(sandbox: Sandbox, inmate: Inmate, behind: Behind) -> AsyncIterator[Cage]:
    """A cage with its gateway open, as long as the block."""
    walls = sandbox.kind == "bubblewrap"
    async with gateway.opened(behind, walls=walls) as place:
        with tempfile.TemporaryDirectory(prefix="tf-", ignore_cleanup_errors=True) as made:
            spare = Path(made).resolve()
            (spare / "nothing").mkdir()
            yield (
                _walled(sandbox, inmate, behind, place, spare)
                if walls
                else _open(sandbox, inmate, behind, place, spare)
            )


def refuse_without_walls(sandbox: Sandbox, *, allow_weak: bool) -> None:
    """An agent that acts by itself needs walls, unless a person has said otherwise."""
    if sandbox.kind != "bubblewrap" and not allow_weak:
        raise Mistake(f"an agent cannot be kept apart here: {sandbox.note}", do=f"{INSTALL} {boxes.WAY_OUT}")


def _walled(sandbox: Sandbox, inmate: Inmate, behind: Behind, place: Listening, spare: Path) -> Cage:
    work = inmate.folder.resolve() if inmate.folder else NOTHING
    mounts = (
        *own_interpreter().mounts,
        *inmate.program.mounts,
        Mount(Path(__file__).parent / "inside" / "forward.py", target=FORWARD),
        Mount(place.socket, target=SOCKET),
        Mount(inmate.home, writable=True, target=HOME),
        Mount(spare / "nothing", target=NOTHING),
    )
    if inmate.folder:
        mounts += (Mount(work), *_masks(work, inmate.hidden, spare))
    url = f"http://127.0.0.1:{PORT}/{behind.token}"
    return Cage(sandbox, inmate, behind, url, HOME, work, tuple(dict.fromkeys(mounts)), [])


def _open(sandbox: Sandbox, inmate: Inmate, behind: Behind, place: Listening, spare: Path) -> Cage:
    work = inmate.folder.resolve() if inmate.folder else spare / "nothing"
    mounts = (*inmate.program.mounts, Mount(inmate.home, writable=True), Mount(work))
    mounts = tuple(Mount(mount.source, mount.writable) for mount in mounts)
    note = NO_WALLS.format(program=inmate.program.path.name, note=sandbox.note)
    seen = [name for name in inmate.hidden if (work / name).exists()]
    notes = [note, *(f"{name} of the repository could not be hidden from it" for name in seen)]
    url = f"http://127.0.0.1:{place.port}/{behind.token}"
    return Cage(sandbox, inmate, behind, url, inmate.home, work, mounts, notes)


def _masks(work: Path, hidden: Iterable[str], spare: Path) -> Iterator[Mount]:
    """Something empty over each path that must not be seen; where a link leads counts, outside there is nothing."""
    inside = {place for name in hidden if work in (place := _led(work, name)).parents and place.exists()}
    for place in sorted(inside):
        if inside.intersection(place.parents):
            continue  # hidden with the folder it is in
        if place.is_dir():
            yield Mount(spare / "nothing", target=place)
        else:
            # Empty in a way its reader understands.
            empty = spare / ("empty.json" if place.suffix == ".json" else "empty")
            empty.write_text("{}\n" if place.suffix == ".json" else "")
            yield Mount(empty, target=place)


def _led(work: Path, name: str) -> Path:
    """Where a name leads in the cage; what cannot be covered there is a Mistake."""

    def target(at: PurePosixPath) -> str | None:
        # What is in there differs inside: a link to /proc/self/cwd leads back into the workspace.
        return str(Path(at).readlink()) if at.parts[1] not in ELSEWHERE and Path(at).is_symlink() else None

    place = led(PurePosixPath(work), name, target) or PurePosixPath(work, name)
    if place == PurePosixPath(work) or place.parts[1:2] in [(each,) for each in ELSEWHERE]:
        what = f"the link {name} of the repository leads to {place}, so an agent cannot be kept from reading through it"
        raise Mistake(what, do="Remove the link from the repository, or use a provider of kind http.")
    return Path(place)
