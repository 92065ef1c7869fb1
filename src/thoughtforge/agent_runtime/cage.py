"""The cage of a command-line agent: what it sees, its private home and how much it may write there."""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import sys
import tempfile
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping
from pathlib import Path, PurePosixPath
from types import MappingProxyType
from typing import Any, NamedTuple

from thoughtforge.agent_runtime import gateway
from thoughtforge.agent_runtime.cli import AgentProgram, Ask, Door, Launch
from thoughtforge.agent_runtime.gateway import Behind, Listening
from thoughtforge.agent_runtime.login import Logins
from thoughtforge.calls.port import ProviderError
from thoughtforge.kernel.errors import UserError
from thoughtforge.sandbox import sandbox as boxes
from thoughtforge.sandbox import talking
from thoughtforge.sandbox.box import Mount, ResourceLimits, SandboxResult, SandboxSpec
from thoughtforge.sandbox.sandbox import INSTALL, SEARCH_PATH, Sandbox
from thoughtforge.sandbox.talking import InteractiveProcess
from thoughtforge.testing.install import own_interpreter
from thoughtforge.workspaces.patterns import led

LOOK_SECONDS = 0.5
BLOCK = 512
"""Bytes of a block as the kernel counts them, whatever the disk's are."""


async def overfull(home: Path, most: int) -> None:
    """Wait until a home takes more bytes than it may."""
    while await asyncio.to_thread(used, home) <= most:
        await asyncio.sleep(LOOK_SECONDS)


def used(home: Path) -> int:
    """Bytes the files of a home take on disk; a link is not followed, a file with two names counts once."""
    sizes: dict[tuple[int, int], int] = {}
    waiting = [home]
    while waiting:
        try:
            with os.scandir(waiting.pop()) as found:
                for each in found:
                    about = each.stat(follow_symlinks=False)
                    sizes[about.st_dev, about.st_ino] = about.st_blocks * BLOCK
                    waiting += [Path(each.path)] if each.is_dir(follow_symlinks=False) else []
        except PermissionError:
            return sys.maxsize  # nobody needs a folder that cannot be looked into
        except OSError:
            continue  # gone meanwhile
    return sum(sizes.values())


def emptied(home: Path, most: int, program: str) -> ProviderError:
    """Make room again once the agent has ended; the failure to tell."""
    shutil.rmtree(home, ignore_errors=True)
    home.mkdir(exist_ok=True, mode=0o700)
    what = f"{program} wrote more than {most // 1024**2} MB into its private home; the engine emptied it"
    return ProviderError("limits", what, do="Give it less work at once.")


HOME = Path("/home", "agent")
OURS = Path("/run/thoughtforge")
SOCKET, FORWARD, NOTHING = OURS / "out", OURS / "forward.py", OURS / "nothing"
PORT = 4455
"""Where the forwarder listens; nobody else is in that network."""
MAX_OUTPUT = 64 * 1024 * 1024
ELSEWHERE = ("proc", "dev")
"""Folders that a cage has of its own."""
NO_WALLS = "{program} runs without isolation: the engine only compares the files after each turn ({note})"


class CagedAgent(NamedTuple):
    """Who goes into a cage, and what is put in with it."""

    program: AgentProgram
    home: Path
    folder: Path | None = None
    """The workspace; None for an empty folder."""
    hidden: tuple[str, ...] = ()
    limits: ResourceLimits = ResourceLimits()
    logins: Logins = MappingProxyType({})
    """The person's logins in its home."""


class Cage(NamedTuple):
    """A cage that is ready: addresses and paths as the agent sees them."""

    sandbox: Sandbox
    inmate: CagedAgent
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

    async def run(self, launch: Launch, *, on_line: Callable[[bytes], None] | None = None) -> SandboxResult:
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

    def talking(self, launch: Launch) -> contextlib.AbstractAsyncContextManager[InteractiveProcess]:
        """Start the agent and talk with it; what Launch.stdin holds is not sent."""
        return talking.talking(self.sandbox, self._box(launch), self._argv(launch), alive=self.behind.proxy.pulse.last)

    def _argv(self, launch: Launch) -> list[str | Path]:
        command: list[str | Path] = [self.inmate.program.path, *launch.argv]
        if not self.walls:
            return command
        return [own_interpreter().python, "-I", "-S", FORWARD, str(PORT), SOCKET, *command]

    def _box(self, launch: Launch) -> SandboxSpec:
        path = ":".join([*map(str, self.inmate.program.folders), SEARCH_PATH])
        env = {"HOME": str(self.home), "PATH": path, "USER": "agent", "LOGNAME": "agent", "SHELL": "/bin/sh"}
        env |= self._tunnel() | dict(launch.env)
        return SandboxSpec(self.work, self.mounts, env, self.inmate.limits, network=not self.walls)

    def _tunnel(self) -> dict[str, str]:
        """How an agent with a login finds the hosts that renew it."""
        if not self.behind.hosts:
            return {}
        proxy = self.url.replace("://", f"://agent:{self.behind.token}@").removesuffix(f"/{self.behind.token}")
        here = "127.0.0.1,localhost"
        return {"HTTPS_PROXY": proxy, "https_proxy": proxy, "NO_PROXY": here, "no_proxy": here}


@contextlib.asynccontextmanager
async def opened(sandbox: Sandbox, inmate: CagedAgent, behind: Behind) -> AsyncIterator[Cage]:
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
    """A command-line agent needs isolation, unless a person has allowed to run without it."""
    if sandbox.kind != "bubblewrap" and not allow_weak:
        raise UserError(f"an agent cannot run in isolation here: {sandbox.note}", do=f"{INSTALL} {boxes.WAY_OUT}")


def _walled(sandbox: Sandbox, inmate: CagedAgent, behind: Behind, place: Listening, spare: Path) -> Cage:
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


def _open(sandbox: Sandbox, inmate: CagedAgent, behind: Behind, place: Listening, spare: Path) -> Cage:
    work = inmate.folder.resolve() if inmate.folder else spare / "nothing"
    mounts = (*inmate.program.mounts, Mount(inmate.home, writable=True), Mount(work))
    mounts = tuple(Mount(mount.source, mount.writable) for mount in mounts)
    note = NO_WALLS.format(program=inmate.program.path.name, note=sandbox.note)
    seen = [name for name in inmate.hidden if (work / name).exists()]
    notes = [note, *(f"{name} of the repository could not be hidden from the agent" for name in seen)]
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
    """Where a name leads in the cage; what cannot be covered there is a UserError."""

    def target(at: PurePosixPath) -> str | None:
        # What is in there differs inside: a link to /proc/self/cwd leads back into the workspace.
        return str(Path(at).readlink()) if at.parts[1] not in ELSEWHERE and Path(at).is_symlink() else None

    place = led(PurePosixPath(work), name, target) or PurePosixPath(work, name)
    if place == PurePosixPath(work) or place.parts[1:2] in [(each,) for each in ELSEWHERE]:
        what = f"the link {name} of the repository points to {place}, so an agent could read that place through it"
        raise UserError(what, do="Remove the link from the repository, or use a provider of kind http.")
    return Path(place)
