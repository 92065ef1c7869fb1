"""Environment and gate of a task's workshop: made when it is opened, and anew when the specification adds something."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from thoughtforge.gate import conformance
from thoughtforge.gate import run as gates
from thoughtforge.gate.active import check_names
from thoughtforge.gate.before import Before
from thoughtforge.gate.commands import Surroundings
from thoughtforge.kernel.events import Measured
from thoughtforge.kernel.loop import Journal
from thoughtforge.sandbox.boxes import Sandbox
from thoughtforge.service.app import App
from thoughtforge.service.library import Library
from thoughtforge.suites import environment as environments
from thoughtforge.suites.result import Environment
from thoughtforge.suites.runner import Runner
from thoughtforge.suites.toolchain import Toolchain
from thoughtforge.workshop.workshop import Workshop
from thoughtforge.workspaces.clone import Workspace

ADDED = "dependencies"
"""What the record calls an environment with more in it than the base commit declares."""
SEPARATOR = "; "


class Site(NamedTuple):
    """Everything that decides how a workshop is equipped."""

    app: App
    journal: Journal
    library: Library
    workspace: Workspace
    sandbox: Sandbox
    scratch: Path
    before: Before
    runner: Runner
    tools: Toolchain


async def prepare(site: Site, *, extra: Sequence[str] = ()) -> environments.Made:
    """The repository's dependencies as the base commit declares them, and `extra`; installed once and put on record."""
    root = site.scratch / "base"
    await asyncio.to_thread(shutil.rmtree, root, ignore_errors=True)
    root.mkdir()
    await site.workspace.checkout(site.workspace.base, root)
    made = await environments.prepare(
        root,
        paths=await site.workspace.paths(site.workspace.base),
        environments=site.app.home.environments,
        setup=site.app.loaded.config.setup,
        sandbox=site.sandbox,
        search_path=site.tools.searched(site.app.search_path),
        access=site.app.packages(),
        extra=extra,
    )
    _record(site, made, extra)
    return made._replace(environment=site.tools.beside(made.environment))


async def open_gate(site: Site, environment: Environment) -> gates.Gate:
    """The checks of the repository, over the workspace as it is."""
    gate = gates.Gate(
        site.workspace.folder,
        conformance.load(site.library.definitions.catalog, check_names()),
        before=site.before,
        means=gates.Means(
            place=site.scratch / "gate",
            search_path=site.app.search_path,
            environment=environment.python.parent.parent if environment.python else None,
            environment_digest=environment.digest,
            more=environment.python_path,
            is_test=site.runner.is_test,
            surroundings=Surroundings(site.sandbox, environment.mounts),
            kept=site.app.home.findings,
        ),
    )
    await gate.open(await site.workspace.paths(await site.workspace.tree()))
    return gate


def added(journal: Journal) -> tuple[str, ...]:
    """What the specification of a task was found to add, by its record."""
    known = journal.state.measured.get(ADDED)
    return tuple(line for line in str(known.facts.get("added", "")).split(SEPARATOR) if line) if known else ()


async def supply(site: Site, workshop: Workshop, extra: Sequence[str]) -> None:
    """Give a workshop the environment with what the specification adds; its gate must see it too."""
    made = await prepare(site, extra=extra)
    if made.environment.digest == workshop.environment.digest:
        return
    await workshop.gate.close()
    workshop.environment, workshop.links = made.environment, made.links
    workshop.gate = await open_gate(site, made.environment)


def _record(site: Site, made: environments.Made, extra: Sequence[str]) -> None:
    measured = site.journal.state.measured
    what = ADDED if extra or ADDED in measured else "environment"
    known = measured.get(what)
    if known is not None and known.facts.get("digest") == made.environment.digest:
        return
    how = "found ready" if made.cached else f"made in {made.seconds:.1f} s"
    added = f" with {', '.join(extra)}" if extra else ""
    site.journal.append(
        Measured(
            what=what,
            outcome="pass",
            summary=f"{len(made.packages)} packages{added}, {how}; {'; '.join(made.notes) or 'nothing unusual'}",
            facts={
                "digest": made.environment.digest,
                "sandbox": site.sandbox.kind,
                "sandbox_note": site.sandbox.note,
                "network": "; ".join(made.command),
                "added": SEPARATOR.join(extra),
            },
        )
    )
