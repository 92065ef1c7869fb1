"""What a person asks for after the tests were written: the test engineer changes these first, never the fixer."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from thoughtforge.agent.as_text import as_rows
from thoughtforge.agent.asking import today_block
from thoughtforge.agent.context import MEASURED, SPECIFICATION, Block
from thoughtforge.agent.run import Run
from thoughtforge.code.exit import HeldBack, read_held
from thoughtforge.code.write_policy import only_tests
from thoughtforge.coding.building import CodeStage, Passed, Refused, StageBuild, open_build
from thoughtforge.coding.writing import red_tests, retested
from thoughtforge.deliverables.code.at_hand import tests_so_far
from thoughtforge.deliverables.code.composing import composition, tests_told, unfixed, with_material
from thoughtforge.deliverables.code.files import OURS
from thoughtforge.deliverables.code.given import confirmed_blocks
from thoughtforge.deliverables.code.retest_exit import TRIES, measure_tests, numbered
from thoughtforge.deliverables.code.upstream import ThoughtProject
from thoughtforge.kernel.model import JsonObject, Stage
from thoughtforge.people.rulings import HIDDEN
from thoughtforge.polish.events import RETESTED, PolishTests
from thoughtforge.polish.finding import PERSON
from thoughtforge.think.deliverable import FixOrder, listed
from thoughtforge.think.documents import SPEC, read
from thoughtforge.think.said_since import said_block, words_of

ROLE = "test_engineer"


def due(run: Run, order: FixOrder) -> bool:
    """Whether a person asks for something, and said something the tests have not been held against."""
    wished = any(one.source == PERSON for one in order.findings)
    return wished and bool(red_tests(run).files) and _spoken(run) > run.record.journal.of(RETESTED).heard


def _spoken(run: Run) -> int:
    return max((word.seq for word in words_of(run) if word.text != HIDDEN), default=0)


async def retest(run: Run, stage: Stage, order: FixOrder) -> str:
    """Let the test engineer change tests and held-back cases; why that did not hold, empty when it did."""
    upstream, heard = ThoughtProject(f"tests-{order.number}-{order.attempt}", merges=False), _spoken(run)
    plan = CodeStage(
        contract="tests_changed",
        measure=measure_tests,
        artifact=composition,
        message=lambda site, handed: f"Tests {order.number}",
        told=lambda site: _told(site, order),
        now=tests_so_far,
        inputs=lambda run: (),
        upstream=upstream,
        guarded=_guarded,
        prompt="tests-again",
        role=ROLE,
        asks=unfixed,
        tests=True,
        tries=TRIES,
    )
    async with open_build(run, stage, plan) as work:
        done = await work.until_it_holds()
        if not isinstance(done, Passed):
            await upstream.discard(work.site)
            why = done.why if isinstance(done, Refused) else "the test engineer asks a question"
            return f"the tests do not say yet what the person asks for: {why}"
        files: Sequence[str] = done.exit.report["changed"]
        changed = PolishTests(
            stage=stage.name,
            iteration=order.number,
            heard=heard,
            reason=_reason(done.handed, files),
            commit=done.commit if files else "",
            report=run.record.put(_later(run, done.handed, files)),
        )
        run.record.journal.append(changed)
    return ""


def _reason(handed: JsonObject, files: Sequence[str]) -> str:
    gone = [str(row["name"]) for row in handed.get("dropped", ())]
    parts = [f"changed {', '.join(files)}" if files else "", f"dropped {', '.join(gone)}" if gone else ""]
    return "; ".join([*filter(None, parts), " ".join(str(handed["reason"]).split())])


def _later(run: Run, handed: JsonObject, files: Sequence[str]) -> JsonObject:
    """Everything that counts from now on; names are never given twice, since a ruling may name one."""
    before = retested(run)
    raw, red = kept_cases(run), red_tests(run)
    new, _ = read_held(handed)
    first = int(before.get("next", len(raw.names) + 1))
    held = numbered(raw, new, gone={str(row["name"]) for row in handed.get("dropped", ())}, first=first)
    interface = [*before.get("interface", ()), *handed.get("interface", ())]
    return {
        **held.data(),
        "files": list(dict.fromkeys((*red.files, *files))),
        "next": first + len(new.names),
        "interface": interface,
    }


def kept_cases(run: Run) -> HeldBack:
    """What is held back before any ruling of a person; these apply by name, also later."""
    return red_tests(run, ruling=False).held


def _guarded(site: StageBuild) -> Callable[[str], str]:
    """Its own tests, and new ones; those of whoever wrote the code are theirs."""
    tests = only_tests(site.stage, site.session.is_test)
    given = frozenset(red_tests(site.run).files)
    known = {id.partition("::")[0] for id in site.session.baseline.outcomes}

    def refused(path: str) -> str:
        if path.partition("/")[0].casefold() in OURS:
            return f"{path} is not part of the code: {', '.join(OURS[:2])} belong to the person"
        if path in known - given:
            return f"{path} has tests of whoever wrote the code; they bring these in line themselves"
        return tests(path)

    return refused


async def _told(site: StageBuild, order: FixOrder) -> Sequence[Block]:
    """The wish, what was confirmed, the tests as they are, and every case with its name."""
    spec = read(site.run, SPEC)
    wishes = listed([one for one in order.findings if one.source == PERSON])
    held = red_tests(site.run).held
    rows = [
        *({"name": name, **row} for name, row in zip(held.names, held.data()["held_back"], strict=False)),
        *({"name": n, **f._asdict()} for n, f in zip(held.names[len(held.cases) :], held.files, strict=False)),
    ]
    cases = as_rows({"held_back": rows})
    blocks = [
        Block("what the person asks for", wishes, 1_200, floor=1_100, untrusted=True, need=MEASURED),
        said_block(site.run, budget=800),
        today_block(site.run),
        *confirmed_blocks(spec, order.constraints, title="constraints and criteria"),
        *await tests_told(site),
        Block("cases that are held back", cases, 3_000, floor=600, untrusted=True, need=SPECIFICATION),
    ]
    return await with_material(site, blocks, about=wishes, beside=spec)
