"""The repository's environment: made once, with the network open only here, cached by what decides it, then read-only.

It holds dependencies and never the project itself. A folder counts as made when its `made.json` is there, which is
written last; one without it is what is left of a set-up that was cut short, and is made anew.
"""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import hashlib
import json
import shutil
from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from thoughtforge.kernel.errors import UserError
from thoughtforge.sandbox.box import Mount, ResourceLimits
from thoughtforge.sandbox.sandbox import Sandbox
from thoughtforge.settings.config import Setup
from thoughtforge.testing.access import NO_ACCESS, PackageIndex
from thoughtforge.testing.imports import package_name
from thoughtforge.testing.install import (
    InstallPlan,
    Interpreter,
    ToInstall,
    own_interpreter,
    prefix_mounts,
    venv_mounts,
)
from thoughtforge.testing.installed import TOOLS, contents, installed, site_folders, tools_layer
from thoughtforge.testing.report import Environment
from thoughtforge.testing.set_up import LIMITS, Making, begin, carry_out, check_programs, plan

FORMAT = 1
"""The version of the folder; a new number rebuilds every environment."""
MADE = "made.json"
LOCK_SECONDS = 0.1


class PreparedEnvironment(NamedTuple):
    """An environment and how it came to be, for the record."""

    environment: Environment
    command: tuple[str, ...]
    """Every command of the set-up, as one line each; empty when nothing was installed."""
    seconds: float
    cached: bool
    notes: tuple[str, ...] = ()
    packages: tuple[str, ...] = ()
    """What is in it, as `name==version`."""
    links: Mapping[str, Path] = {}
    """What a checkout is given as a link before it is used: path in the checkout → place."""


async def prepare(
    root: Path,
    *,
    paths: Collection[str],
    environments: Path,
    setup: Setup,
    sandbox: Sandbox,
    search_path: str,
    access: PackageIndex = NO_ACCESS,
    extra: Sequence[str] = (),
    only: str = "",
    limits: ResourceLimits = LIMITS,
) -> PreparedEnvironment:
    """The environment of a checkout of the base commit. `extra` are requirements the specification adds.

    `only` names the language whose dependencies are installed; without it those of every language are.
    """
    _allowed(extra, setup)
    if setup.python:
        return _given(Path(setup.python).expanduser(), environments)
    interpreter = own_interpreter()

    def read(path: str) -> str:
        return (root / path).read_text(encoding="utf-8", errors="replace")

    def which(name: str) -> str | None:
        return shutil.which(name, path=search_path)

    chosen = plan(ToInstall(paths, read, extra, interpreter, which, access.env), setup, only=only)
    check_programs(chosen, search_path)
    digest = _digest(chosen, interpreter)
    folder = environments.resolve() / digest
    async with _alone(folder.with_suffix(".lock")):
        known: dict[str, Any] | None = _known(folder)
        cached = known is not None
        if known is None:
            await asyncio.to_thread(begin, folder, chosen.files)
            making = Making(folder, root, chosen.needs_root, interpreter, access, search_path, limits)
            seconds = await carry_out(chosen, making, sandbox)
            known = {"seconds": seconds, "packages": installed(folder)}
            (folder / MADE).write_text(json.dumps(known), encoding="utf-8")
    return PreparedEnvironment(
        environment=await asyncio.to_thread(_environment, folder, digest, interpreter, chosen.bins),
        command=tuple(" ".join(step.argv) for step in chosen.steps if step.network),
        seconds=float(known["seconds"]),
        cached=cached,
        notes=chosen.notes,
        packages=tuple(known["packages"]),
        links={path: folder / place for path, place in chosen.links.items()},
    )


def _allowed(extra: Sequence[str], setup: Setup) -> None:
    allowed = {package_name(name) for name in setup.allow}
    refused = [line for line in extra if "@" in line or package_name(line) not in allowed]
    if refused:
        raise UserError(
            f"the specification adds packages that `setup.allow` does not list: {', '.join(refused)}",
            do=f"Add them to `setup.allow` (now: {', '.join(setup.allow) or 'none'}), or change the specification.",
        )


def _given(python: Path, environments: Path) -> PreparedEnvironment:
    """The environment of an interpreter a person made."""
    if not python.is_file():
        raise UserError(f"there is no interpreter at {python}", do="Correct `setup.python`.")
    prefix = python.absolute().parents[1]
    is_venv = (prefix / "pyvenv.cfg").is_file()
    mounts = venv_mounts(python) if is_venv else prefix_mounts(python.resolve().parents[1])
    environment = Environment(
        # The person may install into it between two tasks.
        digest=hashlib.sha256(f"{python} {contents(prefix)}".encode()).hexdigest()[:16],
        mounts=mounts,
        path=(python.absolute().parent,),
        python=python.absolute(),
    )
    return PreparedEnvironment(
        _with_tools(environment, environments), (), 0.0, cached=True, notes=(f"{python} is used unchanged",),
        packages=tuple(installed(prefix)),
    )  # fmt: skip


def _environment(folder: Path, digest: str, interpreter: Interpreter, bins: Sequence[str]) -> Environment:
    environment = Environment(
        digest=digest,
        mounts=(Mount(folder), *interpreter.mounts),
        path=tuple(folder / place for place in ("bin", *bins) if (folder / place).is_dir()),
        python=folder / "bin" / "python",
    )
    return _with_tools(environment, folder.parent)


def _with_tools(environment: Environment, environments: Path) -> Environment:
    """Our own test tools behind the repository's packages, those that are not among them."""
    sites = site_folders(environment)
    missing = [name for name in TOOLS if not any((site / name).is_dir() for site in sites)]
    if not missing:
        return environment
    layer = tools_layer(environments.resolve(), missing)
    return environment._replace(mounts=(*environment.mounts, Mount(layer)), python_path=(layer,))


def _digest(chosen: InstallPlan, interpreter: Interpreter) -> str:
    steps = [[list(step.argv), dict(step.env)] for step in chosen.steps]
    data = [FORMAT, str(interpreter.python), interpreter.version, steps, dict(chosen.files)]
    return hashlib.sha256(json.dumps(data, sort_keys=True).encode("utf-8", "surrogateescape")).hexdigest()[:16]


def _known(folder: Path) -> dict[str, Any] | None:
    try:
        known = json.loads((folder / MADE).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return known if isinstance(known, dict) else None


@contextlib.asynccontextmanager
async def _alone(lock: Path) -> AsyncIterator[None]:
    """One maker of an environment at a time, across processes. The lock file stays: removing it admits a second."""
    lock.parent.mkdir(parents=True, exist_ok=True)
    with lock.open("a") as file:
        while True:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                await asyncio.sleep(LOCK_SECONDS)
        yield
