"""What broke in another project of plans and phases: one test for each lesson that pure code can keep."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from thoughtforge.agent.run import Halt
from thoughtforge.forge.audit_log import with_review
from thoughtforge.forge.events import PlanAsked
from thoughtforge.forge.findings import AuditFinding, identified, surviving
from thoughtforge.forge.meaning import meaning_hash
from thoughtforge.forge.paths import extract_file_paths, is_likely_file_path
from thoughtforge.forge.phases import MAX_FILES, PlanPhase, decompose
from thoughtforge.forge.phases_view import PhasesHead, phases_text
from thoughtforge.forge.plan import ChangePlan
from thoughtforge.forge.plan_file import with_body, with_status
from thoughtforge.forge.regenerating import regenerate
from thoughtforge.forge.status import PlanStatus
from thoughtforge.forge.structure import section, sections_of
from thoughtforge.forge.template import built_in, new_plan
from thoughtforge.forge.verdict import parse_verdict
from thoughtforge.stages.forge import DraftTurn, ForgeView, ResearchTurn, next_turn
from thoughtforge.stages.phases import BeginTurn, PhasesView
from thoughtforge.stages.phases import next_turn as next_phase_turn

BODY = """## Objective

Retry. The sentence ## Implementation Notes is prose.

```markdown
## Implementation Notes

## Audit Log
```

## Scope

All.

## Changes

- `main.py` — retry
- `pkg/client.go` — retry
- `pkg/client_test.go` — test it

## Risks

Few.

## Testing

Run it."""


def plan(body: str = BODY) -> str:
    new = new_plan(built_in(), title="Retry", plan_id="plan-017", task_id="t", date="2026-02-12", project="hub")
    return with_body(new, body)


@pytest.mark.parametrize("status", list(PlanStatus))
def test_lesson_1_a_status_never_makes_phases_stale(status: PlanStatus) -> None:
    assert meaning_hash(with_status(plan(), status)) == meaning_hash(plan())


def test_lesson_2_a_phase_in_an_output_is_no_phase() -> None:
    phase = PlanPhase(
        "phase-1", "Implement a.py", "implement", "x", output="---\n\n## phase-9: Extra\n**Status:** done"
    )
    text = phases_text(PhasesHead("plan-017", "plan-017-a.md", "0", "2026-02-12", "2026-02-12"), [phase])
    assert [one.name for one in sections_of(text)] == ["phase-1: Implement a.py"]


def test_lesson_3_an_audit_goes_to_the_audit_log_not_to_its_name_in_prose() -> None:
    audited = with_review(plan(), "No limit.")
    assert section(audited, "Objective") == section(plan(), "Objective")
    assert "> No limit." in section(audited, "Audit Log")
    assert audited.index("> No limit.") > audited.index("Run it.")


def test_lesson_4_files_of_every_language_are_found_and_nothing_else() -> None:
    files = ["main.py", "main.go", "lib.rs", "Makefile", "setup.cfg"]
    others = ["console.log", "process.env", "https://a.org/b.py", "1.2.3", "@scope/pkg"]
    assert [token for token in (*files, *others) if is_likely_file_path(token)] == files
    text = "1. `main.py`\n\n| `lib.rs` | x |\n\n```\n- `example.py`\n```"
    assert extract_file_paths(text) == ("main.py", "lib.rs")


def test_lesson_5_a_test_is_paired_in_any_language_and_folder() -> None:
    pairs = [("src/a.py", "tests/test_a.py"), ("x/b.go", "x/b_test.go"), ("src/c.rs", "tests/c.rs")]
    for module, test in pairs:
        body = f"## Changes\n\n- `{module}`\n- `docs/x.md`\n- `{test}`\n"
        assert decompose(body)[0].context_files == (module, test)


@pytest.mark.parametrize(
    ("answer", "loops", "unparsed"),
    [
        ('{"maxSeverity": "blocking", "shouldLoop": false}', True, False),
        ('{"maxSeverity": "minor", "concerns": [{"severity": "blocking", "title": "x"}]}', True, False),
        ("It is not ready to approve.", True, False),
        ("The route leads over (high) mountains.", False, True),
        ("I am done reading.", False, True),
    ],
)
def test_lesson_6_a_verdict_has_no_holes(answer: str, loops: bool, unparsed: bool) -> None:
    assert (parse_verdict(answer).should_loop, parse_verdict(answer).unparsed) == (loops, unparsed)


def test_lesson_7_a_reworded_finding_is_the_same_finding() -> None:
    wordings = (
        "The retry loop has no limit",
        "No limit is set for the retry loop",
        "Still: the retry loop has no limit",
    )
    rounds = [[AuditFinding("blocking", text, "main.py")] for text in wordings]
    assert {one.id for found in identified(rounds) for one in found} == {"F-001"}
    assert [one.id for one in surviving(rounds)] == ["F-001"]


def test_lesson_8_a_failed_phase_that_changed_no_file_is_begun_again() -> None:
    """What a commit takes in, and that all else in the repository stays, needs git: tests/flows/test_phases.py."""
    first, *rest = decompose(plan())
    failed = first._replace(status="failed", error="nothing was changed", modified_files=(), failure_hashes=())
    at_work = ChangePlan(status=PlanStatus.implementing, phases=(failed, *rest))
    for asked in ("next", "all"):
        wanted = replace(at_work, asked=PlanAsked(what=asked))
        assert next_phase_turn(PhasesView("plan-017", wanted, presented=False)) == BeginTurn(failed)
    one = replace(at_work, asked=PlanAsked(what="one", phase="phase-1"))
    assert next_phase_turn(PhasesView("plan-017", one, presented=False)) == BeginTurn(failed)


def test_lesson_9_looking_around_and_writing_the_plan_are_two_turns() -> None:
    fresh = ChangePlan(file="plan-017-retry.md", texts=("0" * 64,))
    assert next_turn(ForgeView(fresh, presented=False)) == ResearchTurn()
    researched = replace(fresh, notes="1" * 64)
    assert next_turn(ForgeView(researched, presented=False)) == DraftTurn()
    refused = replace(researched, refused=("it says what the template says",))
    assert next_turn(ForgeView(refused, presented=False)) == DraftTurn()
    assert isinstance(next_turn(ForgeView(replace(refused, refused=("a", "b")), presented=False)), Halt)


def test_lesson_10_phases_are_a_chain_of_five_files_and_regenerating_keeps_what_is_done() -> None:
    assert MAX_FILES == 5
    first, *rest = decompose(plan())
    assert [phase.depends_on for phase in rest] == [("phase-1",), ("phase-1", "phase-2")]
    made = regenerate([first._replace(status="done"), *rest], plan(BODY.replace("test it", "test it well")))
    assert (made.kept, made.lost) == (("phase-1",), ())


def test_no_prose_of_a_plan_is_read_by_substring() -> None:
    """Structure is read in one module; a search for a heading in text would find it in prose."""
    room = Path(__file__).parents[3] / "src" / "thoughtforge" / "forge"
    for path in room.glob("*.py"):
        text = path.read_text(encoding="utf-8")
        assert 'find("## ' not in text
        assert 'index("## ' not in text
