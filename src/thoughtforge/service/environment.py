"""Environment and gate of a code session: made when it opens, and again when the specification adds something."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from thoughtforge.code import session as baselines
from thoughtforge.code.session import Baseline, CodeSession, Equipment
from thoughtforge.gate import conformance
from thoughtforge.gate import run as gates
from thoughtforge.gate.active import check_names
from thoughtforge.gate.cache import BaseFiles
from thoughtforge.gate.commands import CommandSandbox
from thoughtforge.kernel.errors import Stop
from thoughtforge.kernel.events import Measured
from thoughtforge.kernel.loop import Journal
from thoughtforge.kernel.ports import Blobs
from thoughtforge.kernel.stops import StopReason
from thoughtforge.sandbox.sandbox import Sandbox
from thoughtforge.service.app import App
from thoughtforge.service.baseline import check
from thoughtforge.service.library import Library
from thoughtforge.testing import environment as environments
from thoughtforge.testing.install import LockPlan
from thoughtforge.testing.installed import holds_project, product_names
from thoughtforge.testing.language import Runner
from thoughtforge.testing.locks import Locks, make_locks
from thoughtforge.testing.proofs import sees_tree
from thoughtforge.testing.report import Environment, SuiteReport
from thoughtforge.testing.run import writes_into_tree
from thoughtforge.testing.toolchain import Toolchain
from thoughtforge.workspaces.workspace import Workspace

ADDED = "dependencies"
"""What the record calls an environment with more in it than the base commit declares."""
SEPARATOR = "; "


class Site(NamedTuple):
    """Everything that decides how a session is equipped."""

    app: App
    journal: Journal
    library: Library
    workspace: Workspace
    sandbox: Sandbox
    scratch: Path
    before: BaseFiles
    runner: Runner
    tools: Toolchain
    announced: Callable[[], frozenset[str]] = frozenset
    """The modules the task is to make, as far as anybody has said."""


async def prepare(
    site: Site, *, extra: Sequence[str] = (), at: str = "", only: str = ""
) -> environments.PreparedEnvironment:
    """The dependencies a commit or tree declares, the base commit unless named, and `extra`; made once, on record."""
    at = at or site.workspace.base
    root = site.scratch / "base"
    await asyncio.to_thread(shutil.rmtree, root, ignore_errors=True)
    root.mkdir()
    await site.workspace.checkout(at, root)
    made = await environments.prepare(
        root,
        paths=await site.workspace.paths(at),
        environments=site.app.home.environments,
        setup=site.app.loaded.config.setup,
        sandbox=site.sandbox,
        search_path=site.tools.searched(site.app.search_path),
        access=site.app.packages(),
        extra=extra,
        only=only,
    )
    _record(site, made, extra)
    return made._replace(environment=site.tools.beside(made.environment))


def by_convention(site: Site) -> bool:
    """Whether the engine installs what is declared; else a person's command or interpreter does."""
    setup = site.app.loaded.config.setup
    return not setup.command and not setup.python


async def lock(site: Site, plans: Sequence[LockPlan]) -> Locks:
    """The locks a new project lacks."""
    return await make_locks(
        plans,
        folder=site.scratch / "locks",
        sandbox=site.sandbox,
        search_path=site.tools.searched(site.app.search_path),
        access=site.app.packages(),
    )


async def open_gate(site: Site, environment: Environment) -> gates.Gate:
    """The checks of the repository, over the workspace as it is."""
    gate = gates.Gate(
        site.workspace.folder,
        conformance.load(site.library.definitions.catalog, check_names()),
        before=site.before,
        config=gates.GateConfig(
            place=site.scratch / "gate",
            search_path=site.app.search_path,
            environment=environment.python.parent.parent if environment.python else None,
            environment_digest=environment.digest,
            more=environment.python_path,
            is_test=site.runner.is_test,
            surroundings=CommandSandbox(site.sandbox, environment.mounts),
            own=site.announced,
            kept=site.app.home.findings,
        ),
    )
    await gate.open(await site.workspace.paths(await site.workspace.tree()))
    return gate


def added(journal: Journal) -> tuple[str, ...]:
    """What the specification of a task was found to add, by its record."""
    known = journal.state.measured.get(ADDED)
    return tuple(line for line in str(known.facts.get("added", "")).split(SEPARATOR) if line) if known else ()


async def supply(site: Site, session: CodeSession, extra: Sequence[str]) -> None:
    """Give a session the environment with what the specification adds; its gate must see it too."""
    made = await prepare(site, extra=extra)
    if made.environment.digest == session.environment.digest:
        return
    await session.gate.close()
    gate = await open_gate(site, made.environment)
    session.equip(Equipment(session.runner, made.environment, gate, made.links, session.config))


def _record(site: Site, made: environments.PreparedEnvironment, extra: Sequence[str]) -> None:
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


async def measured_baseline(journal: Journal, blobs: Blobs, session: CodeSession) -> Baseline:
    """What is on record, else what two runs say. A suite that says nothing refuses the task."""
    import json

    known = journal.state.measured.get("baseline")
    if known is not None and known.report and known.tree == session.workspace.base:
        return baselines.from_data(json.loads(blobs.get(known.report)))
    base = session.workspace.base
    await _dependencies_only(session)
    first, second = await asyncio.gather(session.test(base), session.test(base))
    if first.broken:
        advice = "; they write beside the code: set tests.writable: true" if writes_into_tree(first) else ""
        raise Stop(StopReason.check_broken, f"the tests of the base commit could not be run: {first.broken}{advice}")
    found = baselines.of(first, second)
    if not session.rules.tests.allow_none:
        await check(session, first, _brought(journal, blobs))
    if found.passing:
        await _seen(session, first)
    findings = await session.gate.baseline()
    skipped = sum(outcome == "skipped" for outcome in found.outcomes.values())
    summary = (
        f"{len(found.passing)} tests pass, {len(found.failing)} fail, {len(found.flaky)} waver, "
        f"{skipped} are skipped; the checks have {len(findings)} findings"
    )
    journal.append(
        Measured(
            what="baseline",
            outcome="pass",
            summary=summary,
            facts={
                "tests_passing": len(found.passing),
                "tests_failing": len(found.failing),
                "tests_flaky": len(found.flaky),
                "findings": len(findings),
            },
            tree=base,
            report=blobs.put(json.dumps(found.data()).encode()),
        )
    )
    return found


def _brought(journal: Journal, blobs: Blobs) -> frozenset[str]:
    """The test files that were brought along for this task: they wait for its code."""
    import json

    suite = journal.state.externals.get("test_suite")
    files = json.loads(blobs.get(suite)).get("test_files", []) if suite else []
    return frozenset(str(file["path"]) for file in files)


async def _dependencies_only(session: CodeSession) -> None:
    """An environment that holds the project itself would be tested instead of the workspace."""
    names = product_names(await session.workspace.paths(session.workspace.base))
    wrong = await holds_project(session.environment, names, sandbox=session.sandbox)
    if wrong:
        raise Stop(StopReason.check_broken, "tests do not see the workspace: " + "; ".join(wrong))


async def _seen(session: CodeSession, before: SuiteReport) -> None:
    """The same tests on files that cannot be imported must fail, or they look at something else."""
    paths = [path for path in await session.workspace.paths(session.workspace.base) if not session.is_test(path)]
    async with session.checkout(session.workspace.base) as root:
        unseen = await sees_tree(
            session.job(root),
            session.runner,
            changed=paths,
            sandbox=session.sandbox,
            scratch=session.scratch,
            before=before,
            writable=session.rules.tests.writable,
        )
    if unseen:
        raise Stop(StopReason.check_broken, unseen)
