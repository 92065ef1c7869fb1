"""Code under review: measured first, shown whole when it fits, put right by a fixer with tools and measured again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from thoughtforge.agent.asking import context_room
from thoughtforge.agent.context import Block
from thoughtforge.agent.memory import Memory
from thoughtforge.agent.run import Run
from thoughtforge.agent.tokens import estimate
from thoughtforge.coding.building import REFUTED, CodeStage, Passed, Refused, StageBuild, open_build
from thoughtforge.deliverables.code.at_hand import fixed_so_far
from thoughtforge.deliverables.code.composing import composition, guarded, of_red, unfixed
from thoughtforge.deliverables.code.exit import measure
from thoughtforge.deliverables.code.files import accept, is_code, listing, sources, whole_text
from thoughtforge.deliverables.code.fix_exit import declined, measure_fix
from thoughtforge.deliverables.code.fixing import sight, told
from thoughtforge.deliverables.code.retesting import due, retest
from thoughtforge.deliverables.code.upstream import TYPE, ThoughtProject
from thoughtforge.kernel.errors import Stop
from thoughtforge.kernel.events import Measured
from thoughtforge.kernel.model import Stage
from thoughtforge.kernel.stops import StopReason
from thoughtforge.polish.finding import Ran
from thoughtforge.polish.locations import files_named, in_code
from thoughtforge.polish.rounds import ROUNDS
from thoughtforge.think.deliverable import Fix, FixOrder, Seen, digest
from thoughtforge.think.documents import allow, project

TEST_CONDITIONS = ("all_tests_pass", "own_tests_pass", "no_regressions", "no_test_lost")
"""Conditions whose details name tests."""
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
        whole, shown = whole_text(files), _numbered(files)
        budget = context_room(self.run, self.run.library.agent(self.stage.role)) * 3 // 4
        exists = in_code({path: len(text.splitlines()) for path, text in files.items()})
        seen = Seen(digest(whole), len(whole), exists, (), full=True, tests=ran, text=whole, failing=failing, gate=gate)
        if estimate(shown) <= budget:
            return seen._replace(blocks=[Block("source", shown, budget, floor=budget, untrusted=True)])
        changed = await project(self.run).changed_since(since) if since else tuple(files)
        return seen._replace(blocks=self._in_part(files, changed, budget), full=False)

    def _in_part(self, files: Mapping[str, str], changed: Sequence[str], budget: int) -> list[Block]:
        """A list of all files, those that changed and, in the room that is left, others: those of open points first."""
        part = _numbered({path: files[path] for path in changed if path in files})
        left = budget - estimate(part) - min(estimate(listing(files)), budget // 4)
        rounds = self.run.record.journal.of(ROUNDS).rounds
        data = (self.run.record.artifact(rounds[-1].review.review) if rounds else None) or {}
        named = [path for one in data.get("findings", ()) for path in files_named(one["location"])]
        others: dict[str, str] = {}
        for path in dict.fromkeys((*named, *files)):
            size = estimate(_numbered({path: files[path]})) if path in files and path not in changed else left + 1
            if size <= left:
                others[path], left = files[path], left - size
        return [
            Block("all files", listing(files), budget // 4, floor=budget // 8, untrusted=True),
            Block("changed files", part, budget, floor=budget // 2, untrusted=True),
            Block("other files", _numbered(others), budget, untrusted=True),
        ]

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
        plan = CodeStage(
            contract="code_fix",
            measure=lambda site, handed: measure_fix(site, handed, order),
            artifact=composition,
            message=lambda site, handed: f"Fix {order.number}",
            told=lambda site: told(site, order),
            now=lambda site, tree: fixed_so_far(site, tree, order),
            inputs=lambda run: (),
            upstream=upstream,
            guarded=guarded,
            sight=sight,
            given=of_red,
            prompt="code-fix",
            role="fixer",
            asks=unfixed,
            refuted=_refuted,
            tries=TRIES,
        )
        summary = ", ".join(one.id for one in order.findings)
        if due(self.run, order) and (refused := await retest(self.run, self.stage, order)):
            return Fix(refused, summary)
        async with open_build(self.run, self.stage, plan) as work:
            done = await work.until_it_holds()
            if not isinstance(done, Passed):
                await upstream.discard(work.site)
                return Fix(done.why if isinstance(done, Refused) else "the fixer asks a question", summary)
            accept(self.run, self.stage, done.exit)
            return Fix("", summary, done.commit, declined(done.handed, order))

    async def hash(self) -> str:
        """Of all files together."""
        return digest(whole_text(await sources(project(self.run))))


def _refuted(memory: Memory) -> bool:
    """Whether held-back cases stand against a fix that would be refused: the person says whether they are right."""
    return memory.refuted >= REFUTED or (memory.refuted > 0 and memory.failed >= TRIES)


async def _same_code(site: StageBuild, tree: str) -> bool:
    """Whether the code is what it was in a tree; documents do not count."""
    if not tree or await site.session.workspace.git.resolve(tree, kind="tree") is None:
        return False
    moved = await site.session.workspace.changes(tree, site.before)
    return not any(is_code(path) for c in moved for path in (c.path, c.old_path) if path)


def _numbered(files: Mapping[str, str]) -> str:
    """The files as a critic reads them: every line with its number, so that it can name it."""
    return "\n\n".join(f"# {path}\n{_lines(text)}" for path, text in files.items())


def _lines(text: str) -> str:
    return "\n".join(f"{number:>5}  {line}" for number, line in enumerate(text.splitlines(), start=1))


def _counted(exit: Measured) -> Ran:
    """How many tests there are and pass; a file that cannot be read is a test that does not."""
    total, passed = int(exit.facts.get("tests_total", 0)), int(exit.facts.get("tests_passed", 0))
    return Ran(total, passed, total - passed)
