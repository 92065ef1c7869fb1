"""What a forge begins from and who works in it: lessons, another model, a task, a chat, a high number."""

from __future__ import annotations

import json
from pathlib import Path

from flows.forge_runs import AUDITS, MINOR, WISH, forging, found, make_plans, prompted, script
from flows.test_phases import PLAN
from harness import configure
from harness.place import Place, until

LESSONS = "Name the changelog in every plan."


def test_the_lessons_of_the_repository_reach_the_drafter(tmp_path: Path) -> None:
    place = make_plans(tmp_path, {".thoughtforge/plans/lessons.md": LESSONS})
    assert place.run("forge", WISH).code == 3
    shown = {event["key"]: LESSONS in place.blob(event["context"]) for event in place.events("call_started")}
    assert [key for key, there in shown.items() if there] == ["plan/draft-1-0/1"]


def test_the_auditor_can_be_another_model(tmp_path: Path) -> None:
    place = make_plans(tmp_path)
    rules = {**forging(), "audit": prompted(AUDITS, {"summary": "", "findings": "this model audits nothing"})}
    script(place, rules)
    playbook = place.person / "auditor.yaml"
    playbook.write_text(json.dumps({"rules": [prompted(AUDITS, found(MINOR))]}))
    providers = {
        "script": {"kind": "scripted", "playbook": str(place.person / "playbook.yaml")},
        "other": {"kind": "scripted", "playbook": str(playbook)},
    }
    set_up(place, providers)
    done = place.run("forge", WISH, "--json")
    assert (done.code, [audit["auditor"] for audit in done.json["audits"]]) == (3, ["other/scripted"]), done.out
    assert {(event["role"], event["provider"]) for event in place.events("call_started")} == {
        ("drafter", "script"),
        ("auditor", "other"),
    }


def set_up(place: Place, providers: dict[str, dict[str, str]]) -> None:
    """The auditor has a provider of its own."""
    configure(
        place.repository,
        providers=providers,
        provider="script",
        roles={"auditor": {"provider": "other"}},
        plan={"phase_max_files": 2},
        commands=[["python", "-c"]],
    )


def test_a_forge_begins_from_the_specification_of_a_task(place: Place) -> None:
    assert place.design().code == 0
    task = place.task
    place.run("forge", "--from-task", task)
    request = place.run("status", "plan-001", "--json").json["request"]
    assert request.startswith(f"Carry out this specification of {task}.")


def test_stop_ends_the_forge_that_a_chat_began(tmp_path: Path) -> None:
    place = make_plans(tmp_path)
    script(place, {"hangs": {**prompted(AUDITS, found()), "delay": 600}, **forging()})
    begun = place.run("chat", stdin=f"!forge {WISH}\n")
    assert begun.out.startswith("plan-001: forged on"), begun.out + begun.err
    until(lambda: any(event["role"] == "auditor" for event in place.events("call_started")), "the auditor's call")
    stopped = place.run("chat", stdin="!stop plan-001\n")
    assert "it is CANCELLED" in stopped.out, stopped.out + stopped.err
    until(lambda: place.run("forge", "status", "--json").json["plans"] == [], "the end of the run")
    assert place.run("plan", "show", "1", "--json").json["status"] == "CANCELLED"
    both = place.run("chat", stdin=f"!forge {WISH}\n!stop\n")
    assert [line.partition(":")[0] for line in both.out.splitlines() if "CANCELLED" in line] == ["plan-002"], both.out
    until(lambda: place.run("forge", "status", "--json").json["plans"] == [], "the end of the run")


def test_after_plan_999_comes_plan_1000(tmp_path: Path) -> None:
    place = make_plans(tmp_path)
    (place.home / "plans").mkdir(exist_ok=True)
    (place.home / "plans" / ".numbers").write_text("plan-999\n")
    names = [place.run("plan", "create", title, "--json").json["file"] for title in ("A thousand", "One more")]
    assert names == ["plan-1000-a-thousand.md", "plan-1001-one-more.md"]
    path = place.home / "plans" / names[0]
    head, _, rest = path.read_text().partition("## Objective")
    path.write_text(f"{head}{PLAN}---\n\n## Audit Log{rest.partition('## Audit Log')[2]}")
    done = place.run("plan", "approve", "1000", "--unaudited", "I wrote it", "--json")
    assert (done.code, done.json["status"]) == (0, "APPROVED"), done.out
    listed = place.run("plan", "list").out.splitlines()
    assert [line.split()[:2] for line in listed] == [["plan-1000", "APPROVED"], ["plan-1001", "DRAFT"]]
