"""The error rows of a thought, each provoked for real. The list at the end names them all; a missing one fails."""

from __future__ import annotations

import shutil
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from doubles import Said, Server, closed_port
from flows.code_thoughts import BUILT, WISH, always, begun, building, done
from flows.code_thoughts import rules as code_rules
from flows.crash_support import SITE
from flows.thoughts import NOTE, PROPOSAL, Garden, agreed, built, make_garden, polished
from harness import LIBRARY
from harness.place import ended, until

BUSY: dict[str, Any] = {"error": {"kind": "overloaded", "message": "try later"}}
PAGE = "https://www.notion.so/acme/Garden-0123456789abcdef0123456789abcdef"
PACKAGE = LIBRARY.parent
ROWS: dict[str, Callable[[Garden], None]] = {}


def row(test: Callable[[Garden], None]) -> Callable[[Garden], None]:
    """Put a test on the list under the first word of its name."""
    ROWS[test.__name__.partition("_")[0].upper()] = test
    return test


def shown(data: dict[str, Any]) -> tuple[str, str | None, str | None]:
    """Where a thought halted and why."""
    return data["phase"], data["halted_in"], data["halt_reason"]


def chat(garden: Garden) -> str:
    """Everything the engine and the agent said."""
    return "\n".join(event["text"] for event in garden.events("said") if event["role"] == "ai")


def fails(contract: str) -> dict[str, Any]:
    """An agent that does not answer."""
    return {"when": {"context": f"form of {contract}"}, **BUSY}


@row
def e1_an_agent_that_fails_twice_in_distilling_halts_and_goes_on(garden: Garden) -> None:
    garden.script(fails("intent"))
    assert shown(garden.begin()) == ("halted", "distilling", "agent_failed")
    assert len(garden.events("call_failed")) == 2
    garden.script(*agreed())
    assert garden.json("resume", "last")["phase"] == "human_review"


@row
def e2_a_dump_that_is_too_short_is_not_distilled(garden: Garden) -> None:
    told = garden.json("think", garden.note("Hi there"))
    assert (told["phase"], told["exit_code"]) == ("brain_dump", 3)
    assert told["message"] == "That is 2 of at least 3 words. Tell me more, then ask for the distillation again."
    garden.json("say", "last", "I want a plan for a herb garden.")
    assert garden.json("resume", "last")["phase"] == "brain_dump"
    assert garden.json("distill", "last")["phase"] == "done"


@row
def e3_a_resource_that_cannot_be_read_is_named_and_skipped(garden: Garden) -> None:
    (garden.folder / "torn.pdf").write_bytes(b"%PDF-1.4 nothing follows")
    assert garden.json("think", garden.note(), "-r", "torn.pdf")["phase"] == "done"
    assert "'torn.pdf' was skipped: " in chat(garden)


@row
def e4_a_connector_without_access_is_named_and_the_work_goes_on(garden: Garden) -> None:
    garden.script(*agreed(), connectors={"notion": {"enabled": True}})
    assert garden.begin(f"{NOTE} See {PAGE}")["phase"] == "human_review"
    assert "otion" in chat(garden)
    assert "NOTION_TOKEN" in chat(garden)


@row
def e5_a_page_that_is_not_there_is_named_and_the_work_goes_on(garden: Garden) -> None:
    missing = Said(404, {"object": "error", "status": 404, "code": "object_not_found", "message": "no page"})
    with Server(lambda asked: missing) as server:
        garden.script(*agreed(), connectors={"notion": {"enabled": True, "base_url": server.url}})
        done = garden.json("think", garden.note(f"{NOTE} See {PAGE}"), NOTION_TOKEN="secret-token-for-tests")
    assert done["halted_in"] == "building"
    assert "0123456789abcdef0123456789abcdef" in chat(garden)


@row
def e6_a_damaged_record_stops_with_its_path(garden: Garden) -> None:
    garden.script(*agreed())
    garden.begin()
    damage(garden, "artifact_made")
    told = garden.json("confirm", "last")
    assert (told["exit_code"], str(garden.record / "events.jsonl") in told["error"]["what"]) == (1, True)


@row
def e7_a_dump_larger_than_the_context_is_cut_with_a_warning(garden: Garden) -> None:
    garden.script(*agreed(), think={"context_tokens": 4000})
    told = garden.begin(" ".join(f"Herb number {n} wants sun." for n in range(3000)))
    assert told["phase"] == "human_review"
    assert "Cut: brain dump" in chat(garden)
    assert any("Cut: brain dump" in warning for warning in told["warnings"])


@row
def e8_a_resource_that_is_too_large_is_skipped_with_the_key_of_its_limit(garden: Garden) -> None:
    garden.script(*agreed(), resources={"max_file_mb": 0.001})
    (garden.folder / "big.txt").write_text("sun " * 2000)
    garden.json("think", garden.note(), "-r", "big.txt")
    assert "'big.txt' was skipped: " in chat(garden)
    assert "resources.max_file_mb" in chat(garden)


@row
def e9_an_address_that_cannot_be_read_is_answered_in_chat(garden: Garden) -> None:
    garden.script(*agreed(), connectors={"notion": {"enabled": True, "base_url": closed_port()}})
    garden.json("think", garden.note(f"{NOTE} See https://www.notion.so/acme/nothing"), NOTION_TOKEN="secret-token-x")
    assert "Could not parse URL: 'https://www.notion.so/acme/nothing'" in chat(garden)
    assert [path.name for path in (garden.project / "resources").iterdir()] == [".gitkeep"]


@row
def e10_an_unknown_nobody_can_reason_about_is_asked(garden: Garden) -> None:
    asked = {**PROPOSAL, "resolved": PROPOSAL["resolved"][:1], "open": [{"id": "Q-1", "question": "Which herbs?"}]}
    garden.script(*agreed(proposal=asked))
    garden.begin()
    told = garden.json("confirm", "last")
    assert "## Open, for you to decide\n- Q-1: Which herbs?" in told["message"]
    assert garden.run("confirm", "last").code == 2


@row
def e11_an_agent_that_fails_twice_at_the_proposal_halts_and_goes_on(garden: Garden) -> None:
    garden.script(agreed()[0], fails("proposal"))
    garden.begin()
    assert shown(garden.json("confirm", "last")) == ("halted", "spec_building", "agent_failed")
    garden.script(*agreed())
    assert garden.json("resume", "last")["phase"] == "spec_building"


@row
def e12_without_an_answer_nothing_happens(garden: Garden) -> None:
    garden.script(*agreed())
    garden.begin()
    garden.json("confirm", "last")
    calls = len(garden.events("call_started"))
    for _ in range(2):
        assert garden.json("resume", "last")["phase"] == "spec_building"
    assert len(garden.events("call_started")) == calls


@row
def e13_a_specification_that_cannot_be_written_halts_with_its_path(garden: Garden) -> None:
    garden.script(*agreed())
    garden.begin()
    garden.json("confirm", "last")
    (garden.project / "docs" / "spec.md").mkdir()
    told = garden.json("confirm", "last")
    assert told["halt_reason"] == "file_system_error"
    assert "spec.md" in told["detail"]
    (garden.project / "docs" / "spec.md").rmdir()
    garden.script(*built(), *polished())
    assert garden.json("resume", "last")["phase"] == "done"


@row
def e14_a_malformed_proposal_is_asked_for_once_more_then_it_halts(garden: Garden) -> None:
    garden.script(agreed()[0], {"when": {"context": "form of proposal"}, "reply": {"overview": ""}})
    garden.begin()
    assert shown(garden.json("confirm", "last")) == ("halted", "spec_building", "agent_failed")
    assert len([e for e in garden.events("call_ended")]) == 3


@row
def e15_after_a_crash_the_proposal_is_shown_again(garden: Garden) -> None:
    garden.script(agreed()[0], {**agreed()[1], "delay": 30})
    garden.begin()
    running = garden.spawn("confirm", "last")
    until(lambda: [e for e in garden.events("call_started") if e["stage"] == "spec"], "the call")
    running.send_signal(signal.SIGKILL)
    ended(running)
    garden.script(*agreed())
    told = garden.json("resume", "last")
    assert (told["phase"], told["message"].startswith("# Proposal: Herb garden")) == ("spec_building", True)


@row
def e16_an_agent_that_fails_twice_in_the_build_halts_and_goes_on(garden: Garden) -> None:
    garden.script(*agreed(), fails("plan_section"))
    assert shown(garden.json("think", garden.note())) == ("halted", "building", "agent_failed")
    garden.script(*built(), *polished())
    assert garden.json("resume", "last")["phase"] == "done"


@row
def e17_a_broken_template_halts_with_details_and_no_retry(garden: Garden) -> None:
    folder = garden.person / ".config" / "thoughtforge" / "templates"
    folder.mkdir(parents=True)
    (folder / "generic.md").write_text("# {{ title }}\n\n## Aim\n\n{% for x in y %}\n")
    garden.script(*agreed(), *built())
    told = garden.json("think", garden.note())
    assert (told["phase"], told["halt_reason"]) == ("halted", "configuration")
    assert "generic.md" in told["detail"]
    assert [e for e in garden.events("call_started") if e["stage"] == "build"] == []


@row
def e18_a_plan_that_cannot_be_written_halts_at_once(garden: Garden) -> None:
    garden.script(*agreed(), fails("plan_section"))
    garden.json("think", garden.note())
    (garden.project / "docs" / "plan.md").mkdir()
    garden.script(*built())
    told = garden.json("resume", "last")
    assert shown(told) == ("halted", "building", "file_system_error")
    assert "plan.md" in told["detail"]


@row
def e19_without_any_template_the_folder_is_named(garden: Garden) -> None:
    installed = garden.folder / "installed"
    shutil.copytree(PACKAGE, installed / PACKAGE.name, ignore=shutil.ignore_patterns("templates", "__pycache__"))
    garden.script(*agreed(), *built())
    told = garden.json("think", garden.note(), PYTHONPATH=str(installed))
    assert shown(told) == ("halted", "building", "configuration")
    assert str(installed / PACKAGE.name / "library" / "templates") in told["detail"]
    garden.script(*agreed(), *built(), *polished())
    assert garden.json("resume", "last")["phase"] == "done"


@row
def e20_a_kind_without_a_template_uses_the_generic_one_and_says_so(garden: Garden) -> None:
    garden.script(*agreed(proposal={**PROPOSAL, "plan_kind": "opera"}), *built(), *polished())
    done = garden.json("think", garden.note())
    assert done["phase"] == "done"
    assert "there is no plan template 'opera'; the generic one is used" in chat(garden)
    assert "there is no plan template 'opera'; the generic one is used" in done["warnings"]


@row
def e21_a_build_without_a_file_is_no_success(garden: Garden) -> None:
    garden.script(*begun(), always("build", done()))
    assert shown(garden.json("think", garden.note(WISH))) == ("halted", "building", "phase3_output_missing")
    plan = make_garden(garden.folder / "a plan that is gone when it is looked for")
    plan.script(*agreed(), *built(), *polished())
    told = plan.json("think", plan.note(), PYTHONPATH=str(SITE), CRASH="os.rename plan.md 1 lose")
    assert shown(told) == ("halted", "building", "phase3_output_missing")
    assert str(plan.project / "docs" / "plan.md") in told["detail"]
    assert plan.json("resume", "last")["phase"] == "done"


@row
def e22_too_small_a_plan_is_not_polished(garden: Garden) -> None:
    garden.script(*agreed(), *built(), phase3_completeness={"plan_characters": 90_000})
    told = garden.json("think", garden.note())
    assert shown(told) == ("halted", "building", "phase3_output_incomplete")
    assert "phase3_completeness.plan_characters" in told["detail"]


@row
def e23_a_record_that_cannot_be_written_after_the_build_keeps_the_commit(garden: Garden) -> None:
    slow = {**polished()[0], "delay": 2}
    garden.script(*agreed(), *built(), slow, *polished()[1:])
    running = garden.spawn("think", garden.note())
    until(lambda: [e for e in _events(garden) if e["type"] == "call_started" and e["stage"] == "polish"], "polishing")
    (garden.record / "head.new").mkdir()
    told = ended(running)
    assert (told.code, "head.new" in told.err + told.out) == (1, True)
    (garden.record / "head.new").rmdir()
    assert "Plan" in garden.log()
    assert garden.json("resume", "last")["phase"] == "done"


@row
def e24_a_notice_that_fails_is_logged_and_blocks_nothing(garden: Garden) -> None:
    channels = {"dead": {"kind": "webhook", "url": closed_port()}}
    garden.script(*agreed(), *built(), *polished(), notifications={"channels": channels})
    assert garden.json("think", garden.note())["phase"] == "done"
    codes = [e["code"] for e in garden.events("warning_given") if e["code"] != "taken_as_given"]
    assert codes == ["notice_failed"] * 4


@row
def e25_without_constraints_polishing_is_not_entered(garden: Garden) -> None:
    garden.script(*agreed(), fails("plan_section"))
    garden.json("think", garden.note())
    (garden.project / "docs" / "constraints.md").unlink()
    garden.script(*built(), *polished())
    told = garden.json("resume", "last")
    assert shown(told) == ("halted", "building", "file_system_error")
    assert "constraints.md" in told["detail"]
    assert "polish" not in {e["stage"] for e in garden.events("stage_started")}


@row
def e26_an_agent_that_fails_twice_at_a_fix_begins_again_at_the_review(garden: Garden) -> None:
    garden.script(*agreed(), *built(), polished()[0], fails("plan_fix"))
    assert shown(garden.json("think", garden.note())) == ("halted", "polishing", "agent_failed")
    garden.script(*polished()[1:])
    assert garden.json("resume", "last")["phase"] == "done"
    assert [e["iteration"] for e in garden.events("polish_reviewed")][:2] == [1, 1]


@row
def e27_a_review_that_cannot_be_read_is_asked_for_twice_more(garden: Garden) -> None:
    garden.script(*agreed(), *built(), {"when": {"context": "form of plan_review"}, "malformed": True})
    assert shown(garden.json("think", garden.note())) == ("halted", "polishing", "agent_failed")
    assert len([e for e in garden.events("call_started") if e["stage"] == "polish"]) == 3


@row
def e28_a_fix_that_cannot_be_committed_is_not_counted(garden: Garden) -> None:
    told = locked_at_the_fix(garden)
    assert shown(told) == ("halted", "polishing", "file_system_error")
    assert garden.events("polish_fixed") == []
    unlock(garden)
    garden.script(*polished()[2:])
    assert garden.json("resume", "last")["phase"] == "done"


@row
def e29_tests_that_cannot_be_run_are_tried_once_more_then_it_halts(garden: Garden) -> None:
    garden.script(*begun(), *building(*BUILT))
    assert garden.json("think", garden.note(WISH))["halt_reason"] == "agent_failed"
    (garden.project / "conftest.py").write_text("import os\nos._exit(3)\n")
    garden.script(*code_rules())
    told = garden.json("resume", "last")
    assert shown(told) == ("halted", "polishing", "check_broken")
    assert told["detail"].startswith("the tests could not be run, twice: ")


@row
def e30_a_review_that_cannot_be_committed_is_made_again(garden: Garden) -> None:
    garden.script(*agreed(), *built(), {**polished()[0], "delay": 2}, *polished()[1:])
    running = garden.spawn("think", garden.note(), "--json")
    until(lambda: [e for e in _events(garden) if e["type"] == "call_started" and e["stage"] == "polish"], "a review")
    (garden.project / ".git" / "index.lock").touch()
    assert shown(ended(running).json) == ("halted", "polishing", "file_system_error")
    assert garden.events("polish_reviewed") == []
    unlock(garden)
    assert garden.json("resume", "last")["phase"] == "done"
    keys = [e["key"] for e in garden.events("call_started") if e["stage"] == "polish"]
    places = [key.split("/")[:4] for key in keys[:2]]
    assert places == [["polish", "1", "0", "0"], ["polish", "1", "0", "1"]]


@row
def e31_a_fix_that_was_not_committed_is_committed_with_a_person_s_changes(garden: Garden) -> None:
    locked_at_the_fix(garden)
    unlock(garden)
    plan = garden.project / "docs" / "plan.md"
    plan.write_text(plan.read_text().replace("Ann waters them.", "Bo waters them."))
    garden.script(*polished()[2:])
    assert garden.json("resume", "last")["phase"] == "done"
    assert "Bo waters them." in garden.git("show", f"{garden.events('polish_fixed')[0]['commit']}:docs/plan.md")


@row
def e32_a_damaged_review_on_record_stops_with_its_path(garden: Garden) -> None:
    garden.script(*agreed(), *built(), polished()[0], fails("plan_fix"))
    garden.json("think", garden.note())
    damage(garden, "polish_reviewed")
    told = garden.json("resume", "last")
    assert (told["exit_code"], str(garden.record / "events.jsonl") in told["error"]["what"]) == (1, True)


def damage(garden: Garden, kind: str) -> None:
    """Change one letter of the line that holds such an event."""
    path = garden.record / "events.jsonl"
    lines = path.read_text().splitlines(keepends=True)
    place = next(number for number, line in enumerate(lines) if f'"type":"{kind}"' in line.replace(" ", ""))
    lines[place] = lines[place].replace(kind, kind[:-1] + "x", 1)
    path.write_text("".join(lines))


def locked_at_the_fix(garden: Garden) -> dict[str, Any]:
    """A run whose fix cannot be committed because git is locked."""
    fix = polished()[1]
    garden.script(*agreed(), *built(), polished()[0], {**fix, "delay": 2}, *polished()[2:])
    running = garden.spawn("think", garden.note(), "--json")
    until(lambda: [e for e in _events(garden) if e["type"] == "polish_reviewed"], "a review")
    time.sleep(0.2)
    (garden.project / ".git" / "index.lock").touch()
    told: dict[str, Any] = ended(running).json
    return told


def unlock(garden: Garden) -> None:
    """Let git work again."""
    (garden.project / ".git" / "index.lock").unlink()


def _events(garden: Garden) -> list[dict[str, Any]]:
    """The record, also while there is none yet."""
    try:
        return garden.events()
    except (ValueError, FileNotFoundError):
        return []


@pytest.mark.parametrize("name", sorted(ROWS, key=lambda name: int(name[1:])))
def test_the_row_is_provoked_for_real(name: str, tmp_path: Path) -> None:
    ROWS[name](make_garden(tmp_path))


def test_all_rows_are_on_the_list() -> None:
    assert set(ROWS) == {f"E{number}" for number in range(1, 33)}
