"""Run the tests of a thought's code: in a box, with what its files declare, by the runner of its language."""

from __future__ import annotations

import asyncio
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

from thoughtforge.sandbox import boxes
from thoughtforge.sandbox.box import Limits
from thoughtforge.service.app import App
from thoughtforge.suites import environment as environments
from thoughtforge.suites.language import languages
from thoughtforge.suites.result import Job, Report
from thoughtforge.suites.run import run
from thoughtforge.suites.runner import Runner, fitting, runner
from thoughtforge.suites.toolchain import toolchain
from thoughtforge.workspaces.globs import any_matches

LEFT_OUT = (".git", "docs", "resources")


Allow = Callable[[str, str], None]
"""Judges an operation and what it is done to, before it happens; raises when it may not."""


async def run_code_tests(app: App, root: Path, language: str | None, *, allow: Allow) -> Report:
    """What the tests of these files say; `broken` when they could not be run at all."""
    with tempfile.TemporaryDirectory(prefix="thoughtforge-tests-") as place:
        tree = Path(place).resolve() / "tree"
        await asyncio.to_thread(shutil.copytree, root, tree, ignore=shutil.ignore_patterns(*LEFT_OUT), symlinks=True)
        paths = [str(path.relative_to(tree)) for path in sorted(tree.rglob("*")) if path.is_file()]
        adapter = _runner(language, paths, tree)
        if adapter is None:
            return Report(broken="there is no test the usual command of the language would find")
        return await _run(app, tree, paths, adapter=adapter, allow=allow)


async def _run(app: App, tree: Path, paths: list[str], *, adapter: Runner, allow: Allow) -> Report:
    config = app.loaded.config
    allow("package_install", "what the files declare")
    if config.setup.command:
        allow("shell_exec", " ".join(config.setup.command))
    sandbox = await boxes.find(app.search_path, allow_weak=config.sandbox.allow_weak)
    tools = await toolchain(adapter.PROGRAMS, app.search_path)
    made = await environments.prepare(
        tree,
        paths=paths,
        environments=app.home.environments,
        setup=config.setup,
        sandbox=sandbox,
        search_path=tools.searched(app.search_path),
        access=app.packages(),
    )
    texts = {path: (tree / path).read_text(errors="replace") for path in paths if any_matches(path, adapter.CONFIG)}
    limits = Limits(
        wall_seconds=config.tests.wall_seconds,
        memory_bytes=config.sandbox.memory_mb * 1024**2,
        processes=config.sandbox.processes,
        temp_bytes=config.sandbox.temp_mb * 1024**2,
    )
    allow("test_exec", adapter.LANGUAGE)
    job = Job(root=tree, environment=tools.beside(made.environment), config=texts, limits=limits)
    return await run(job, adapter, sandbox=sandbox, scratch=tree.parent / "scratch", writable=config.tests.writable)


def _runner(language: str | None, paths: list[str], tree: Path) -> Runner | None:
    known = {word: name for each in languages().values() for word, name in each.words.items()}
    words = (language or "").lower().split()
    named = next((known[word] for word in words if word in known), None)
    if named is not None and any(runner(named).is_test(path) for path in paths):
        return runner(named)
    found = fitting(paths, lambda path: (tree / path).read_text(errors="replace") if (tree / path).is_file() else "")
    return runner(found[0]) if found else None
