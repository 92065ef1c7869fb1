"""An edit in somebody else's 50,000 lines: the gate and the tests near it, as an agent waits for both.

Narrow is an edit that one file of tests is near to; after a central one as many run as fit into the time given.
"""

from __future__ import annotations

import asyncio
import time
from pathlib import Path
from statistics import median

from bench.figures import Figure
from bench.published import published
from thoughtforge.catalog import Catalog
from thoughtforge.code import session as sessions
from thoughtforge.code.affected import affected
from thoughtforge.code.session import CodeRules, CodeSession
from thoughtforge.gate import conformance
from thoughtforge.gate.active import check_names
from thoughtforge.gate.cache import BaseFiles
from thoughtforge.gate.run import Gate, GateConfig
from thoughtforge.sandbox import sandbox as boxes
from thoughtforge.sandbox.box import ResourceLimits
from thoughtforge.settings import environment as variables
from thoughtforge.settings.config import ChangeSettings, Setup, Tests
from thoughtforge.testing import environment as environments
from thoughtforge.testing.access import access
from thoughtforge.testing.language import runner
from thoughtforge.workspaces.git import Git, find_repository, person
from thoughtforge.workspaces.patterns import any_matches, read_ignore
from thoughtforge.workspaces.workspace import Workspace

NARROW = "src/prompt_toolkit/contrib/regular_languages/regex_parser.py"
CENTRAL = "src/prompt_toolkit/history.py"
EDITS = 5


def measure(place: Path) -> list[Figure]:
    """The median over edits that take turns in being right and wrong; each must be judged rightly."""
    return asyncio.run(_measure(published(place), place))


async def _measure(repository: Path, place: Path) -> list[Figure]:
    session = await _open(repository, place)
    try:
        suite = await session.test(session.workspace.base)
        session.baseline = sessions.of(suite, suite)
        await session.gate.baseline()
        return [
            Figure("edit: tests of the repository", len(suite.results), "tests"),
            *await _figures(session, NARROW, "narrow edit", goal=1.5),
            *await _figures(session, CENTRAL, "central edit", goal=None),
        ]
    finally:
        await session.gate.close()


async def _figures(session: CodeSession, path: str, name: str, *, goal: float | None) -> list[Figure]:
    whole, alone, ran = [], [], 0
    for number in range(EDITS):
        began = time.perf_counter()
        await _edit(session, path, f"\n_edit_{number} = {number}\n")
        verdict = await session.gate.edit([path])
        alone.append(time.perf_counter() - began)
        near = await affected(session, [path], seconds=session.rules.tests.affected_seconds)
        report = await session.test(await session.workspace.tree(), files=near)
        whole.append(time.perf_counter() - began)
        ran = len(report.results)
        if not verdict.passed or report.broken or not ran:
            raise SystemExit(f"a right edit was refused: {verdict.next_action} {report.broken}")
    return [
        Figure(f"{name}: tests near it", ran, "tests"),
        Figure(f"{name}: gate with dependents, median", round(median(alone) * 1000, 1), "ms"),
        Figure(f"{name}: gate and tests near it, median", round(median(whole), 2), "s", goal),
    ]


async def _edit(session: CodeSession, path: str, addition: str) -> None:
    """Write the file and put it on record, as an agent's edit is."""
    before = await session.workspace.read(session.workspace.base, path)
    data = before + addition.encode()
    (session.workspace.folder / path).write_bytes(data)
    await session.workspace.put(path, data)


async def _open(repository: Path, place: Path) -> CodeSession:
    """What the code stages of a task work with."""
    search_path = variables.search_path()
    git = Git(await find_repository(repository, path=search_path), path=search_path)
    workspace = await Workspace.make(git, base=await git.head(), branch="thoughtforge/bench", at=place / "task")
    sandbox = await boxes.find(search_path, allow_weak=True)
    made = await environments.prepare(
        repository,
        paths=await workspace.paths(workspace.base),
        environments=place / "environments",
        setup=Setup(),
        sandbox=sandbox,
        search_path=search_path,
        access=access(variables.variables(), home=Path.home()),
    )
    adapter, before = runner("pytest"), await BaseFiles.read(workspace.git, workspace.base)
    python = made.environment.python
    means = GateConfig(
        place / "gate",
        search_path,
        environment=python.parent.parent if python else None,
        environment_digest=made.environment.digest,
        more=made.environment.python_path,
        is_test=adapter.is_test,
    )
    rules = conformance.load(Catalog(project={}, user=None), check_names())
    gate = Gate(workspace.folder, rules, before=before, config=means)
    await gate.open(before.paths)
    return CodeSession(
        workspace=workspace,
        sandbox=sandbox,
        environment=made.environment,
        runner=adapter,
        gate=gate,
        rules=CodeRules(Tests(), ChangeSettings(), ResourceLimits(wall_seconds=600)),
        ignore=await read_ignore(git, workspace.base),
        person=await person(git, Path.home()),
        scratch=place / "scratch",
        links=made.links,
        config={path: text for path, text in before.texts.items() if any_matches(path, adapter.CONFIG)},
    )
