"""Code under review: measured first, shown whole when it fits, put right by a fixer with tools and measured again."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import PurePosixPath

from thoughtforge.agent.asking import context_room
from thoughtforge.agent.context import Block
from thoughtforge.agent.run import Run
from thoughtforge.agent.steps import End
from thoughtforge.agent.tokens import estimate
from thoughtforge.code.exit import ExitReport
from thoughtforge.code.write_policy import clean
from thoughtforge.coding.building import CodeStage, Passed, Refused, StageBuild, open_build
from thoughtforge.coding.writing import red_tests
from thoughtforge.deliverables.code.composing import composition, guarded, halt, of_red, tests_told, with_material
from thoughtforge.deliverables.code.exit import measure
from thoughtforge.deliverables.code.files import accept, is_code, sources
from thoughtforge.deliverables.code.upstream import TYPE, ThoughtProject
from thoughtforge.kernel.errors import Stop
from thoughtforge.kernel.events import Measured
from thoughtforge.kernel.model import JsonObject, Stage
from thoughtforge.kernel.ports import NeedsPerson
from thoughtforge.kernel.stops import StopReason
from thoughtforge.polish.finding import Ran
from thoughtforge.polish.locations import files_named, in_code
from thoughtforge.think.deliverable import Fix, FixOrder, Seen, digest, listed
from thoughtforge.think.documents import SPEC, allow, project, read
from thoughtforge.think.talking import conversation
from thoughtforge.think.texts import constraints_block

TEST_CONDITIONS = ("all_tests_pass", "own_tests_pass", "no_regressions", "no_test_lost")
"""Conditions whose details name tests."""
FILE = 4_000
"""Tokens of one file that a fixer is shown, or of all when its points name none."""
TRIES = 2
"""Hand-ins of a fix that may fail before it is refused."""


class CodeDeliverable:
    """The code of one task."""

    type = TYPE
    path = "."
    review_prompt = "code-review"
    review_contract = "code_review"

    def __init__(self, run: Run, stage: Stage) -> None:
        self.run = run
        self.stage = stage

    async def look(self, since: str) -> Seen:
        """Measure it, then show the source: all of it, or a list with what changed since the last review."""
        exit = await self._measured()
        ran = _counted(exit)
        failed = [c for c in exit.criteria if c.outcome in ("fail", "broken")]
        gate = [f"- {c.name}: {c.detail}" for c in failed]
        failing = [line for c, line in zip(failed, gate, strict=True) if c.name in TEST_CONDITIONS]
        files = await sources(project(self.run))
        whole, shown = _whole(files), _numbered(files)
        budget = context_room(self.run, self.run.library.agent(self.stage.role)) * 3 // 4
        exists = in_code({path: len(text.splitlines()) for path, text in files.items()})
        seen = Seen(digest(whole), len(whole), exists, (), full=True, tests=ran, text=whole, failing=failing, gate=gate)
        if estimate(shown) <= budget:
            return seen._replace(blocks=[Block("source", shown, budget, floor=budget, untrusted=True)])
        changed = await project(self.run).changed_since(since) if since else tuple(files)
        part = _numbered({path: files[path] for path in changed if path in files})
        blocks = [
            Block("all files", _listing(files), budget // 4, floor=budget // 8, untrusted=True),
            Block("changed files", part, budget, floor=budget // 2, untrusted=True),
        ]
        return seen._replace(blocks=blocks, full=False)

    async def _measured(self) -> Measured:
        """How the exit stands for the project as it is; code that was measured before is not measured again."""
        allow(self.run, "test_exec", deliverable=TYPE)
        session = await self.run.session()
        if session is None:
            raise Stop(StopReason.bug, "this task has nothing to run tests with")
        site = await ThoughtProject("look").enter(StageBuild(self.run, self.stage, session, ""))
        for known in self._known():
            if await _same_code(site, known.tree):
                return known
        exit = await measure(site, {})
        if exit.facts.get("build_broken"):
            exit = await measure(site, {})  # a run that breaks off is tried once more
        if exit.facts.get("build_broken"):
            told = "; ".join(c.detail for c in exit.failed)[:300]
            raise Stop(StopReason.check_broken, f"the tests could not be run, twice: {told}")
        run = self.run
        found = Measured(
            stage=self.stage.name,
            round=run.record.stage(self.stage.name).round,
            step=run.record.journal.state.used.steps,
            what="look",
            outcome=exit.outcome,
            summary=exit.summary(),
            criteria=tuple(exit.criteria),
            facts=exit.facts,
            tree=exit.tree,
        )
        run.record.journal.append(found)
        return found

    def _known(self) -> list[Measured]:
        """What is on record: the last look, and the exits of the build and of the last fix that held."""
        stages = [one.name for one in self.run.record.task.pipeline.stages]
        found = [self.run.record.stage(name).measured.get(what) for name in stages for what in ("look", "exit")]
        kept = [one for one in found if one is not None and one.facts.get("tests_total") is not None]
        return [one for one in kept if one.what == "look" or one.outcome == "pass"]

    async def fix(self, order: FixOrder) -> Fix:
        """A fixer with tools; what does not hold after two hand-ins is refused, and nothing of it stays."""
        allow(self.run, "agent_code", deliverable=TYPE)
        upstream = ThoughtProject(f"fix-{order.number}", merges=False)
        files = await sources(project(self.run))
        plan = CodeStage(
            contract="code_written",
            measure=_measure_fix,
            artifact=composition,
            message=lambda site, exit: f"Fix {order.number}",
            told=lambda site: _told(site, order, files),
            inputs=lambda run: (),
            upstream=upstream,
            guarded=lambda site: _only_seen(site, shown_files(site, order, files)),
            given=of_red,
            prompt="code-fix",
            role="fixer",
            asks=_unfixed,
            tries=TRIES,
        )
        summary = ", ".join(one.id for one in order.findings)
        async with open_build(self.run, self.stage, plan) as work:
            done = await work.until_it_holds()
            if not isinstance(done, Passed):
                await upstream.discard(work.site)
                return Fix(done.why if isinstance(done, Refused) else "the fixer asks a question", summary)
            accept(self.run, self.stage, done.exit)
            return Fix("", summary, done.commit)

    async def hash(self) -> str:
        """Of all files together."""
        return digest(_whole(await sources(project(self.run))))


def _unfixed(run: Run, stage: Stage, end: End) -> NeedsPerson | Refused:
    """A question is the person's to answer; a fixer that goes round or has no step left has fixed nothing."""
    if end.question:
        return halt(run, stage, end)
    return Refused(end.circles or end.refuted or "the fixer handed nothing in")


async def _measure_fix(site: StageBuild, handed: JsonObject) -> ExitReport:
    exit = await measure(site, handed)
    moved = await site.session.workspace.changes(site.before, exit.tree)
    exit.require(
        "something_changed", [] if any(is_code(c.path) for c in moved) else ["no file of the code was changed"]
    )
    return exit


def shown_files(site: StageBuild, order: FixOrder, files: Mapping[str, str]) -> tuple[str, ...]:
    """What a fixer is shown: the files its points name, also where they are missing, and the tests that name these."""
    named = dict.fromkeys(path for one in order.findings for path in files_named(one.location))
    given = {*red_tests(site.run).files, *named}
    if not named.keys() & files.keys() and estimate(_whole(files)) <= FILE:  # a wish of the person names no place
        return (*named, *(path for path in files if path not in given))
    tests = [path for path in files if site.session.is_test(path) and path not in given]
    words = [re.compile(rf"\b{re.escape(PurePosixPath(path).stem)}\b") for path in named if path in files]
    return (*named, *(path for path in tests if any(word.search(files[path]) for word in words)))


def _only_seen(site: StageBuild, shown: Collection[str]) -> Callable[[str], str]:
    """A file of the project is changed only by whoever has seen it: shown at the start, or read since."""
    otherwise, root = guarded(site), project(site.run).root

    def refused(path: str) -> str:
        opened = site.run.record.memory(site.stage.name).opened
        if why := otherwise(path):
            return why
        if path in shown or path in map(clean, opened) or not (root / path).is_file():
            return ""
        return f"you have not seen {path}; read it first with read_file, then change it"

    return refused


async def _told(site: StageBuild, order: FixOrder, files: Mapping[str, str]) -> Sequence[Block]:
    """The points, what was measured, why the last fix was refused, and the files concerned; missing ones are named."""
    paths = shown_files(site, order, files)
    texts = sorted(((path, files.get(path)) for path in paths), key=lambda pair: len(pair[1] or ""))
    given = [action.text for action in conversation(site.run).asked("provide", site.stage.name)]
    # the smallest come first and whole; what does not fit is cut from the largest, and the tools read the rest
    shown = [
        Block(f"file {path}", "Referenced file not found." if text is None else text, FILE, untrusted=True)
        for path, text in texts
    ]
    blocks = [
        order.refusal(),
        Block("what the person decided", "\n".join(f"- {text}" for text in given), 800, floor=300, untrusted=True),
        Block("findings to fix", listed(order.findings), 1_200, floor=1_100, untrusted=True),
        constraints_block("constraints", order.constraints, budget=700),
        Block("specification", read(site.run, SPEC), 900, floor=200, untrusted=True),
        Block("what was measured", "\n".join(order.measured), 900, floor=300, untrusted=True),
        *await tests_told(site),
        Block("all files", _listing(files), 600, floor=200, untrusted=True),
        *shown,
    ]
    return await with_material(site.run, blocks, about=listed(order.findings))


async def _same_code(site: StageBuild, tree: str) -> bool:
    """Whether the code is what it was in a tree; documents do not count."""
    if not tree or await site.session.workspace.git.resolve(tree, kind="tree") is None:
        return False
    moved = await site.session.workspace.changes(tree, site.before)
    return not any(is_code(path) for c in moved for path in (c.path, c.old_path) if path)


def _whole(files: Mapping[str, str]) -> str:
    return "\n\n".join(f"# {path}\n{text}" for path, text in files.items())


def _numbered(files: Mapping[str, str]) -> str:
    """The files as a critic reads them: every line with its number, so that it can name it."""
    return "\n\n".join(f"# {path}\n{_lines(text)}" for path, text in files.items())


def _lines(text: str) -> str:
    return "\n".join(f"{number:>5}  {line}" for number, line in enumerate(text.splitlines(), start=1))


def _listing(files: Mapping[str, str]) -> str:
    return "\n".join(f"{path} ({len(text)} characters)" for path, text in files.items())


def _counted(exit: Measured) -> Ran:
    """How many tests there are and pass; a file that cannot be read is a test that does not."""
    total, passed = int(exit.facts.get("tests_total", 0)), int(exit.facts.get("tests_passed", 0))
    return Ran(total, passed, total - passed)
