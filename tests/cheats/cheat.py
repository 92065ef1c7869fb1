"""A misbehaviour as data, and what must come of it: refused, on record, survived; its honest twin is delivered."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from cheats.place import SECRET, Outcome, World, kept, left_behind, run
from cheats.script import DELIVER, GREEN, RED, Reply, Rule, rules
from cheats.session import Session

SALVAGED = re.compile(r"shop/\.git/(objects/.*|(logs/)?refs/thoughtforge/salvage/.*)")
"""What a run that halted may leave in the person's repository: the work so far, under a ref that is no branch."""
DELIVERED = re.compile(r"shop/\.git/(objects/.*|(logs/)?refs/heads/thoughtforge/.*)")


class Seen(NamedTuple):
    """What must be on record: an event of this type with these fields, each a pattern found in the field's text."""

    type: str
    fields: dict[str, str]
    criterion: str = ""
    """Of a measured exit: the condition that does not hold."""

    def fits(self, event: dict[str, Any]) -> bool:
        """Whether an event is the one that is meant."""
        if event["type"] != self.type:
            return False
        told = dict(event)
        if self.criterion:
            bad = [c for c in event["criteria"] if c["name"] == self.criterion and c["outcome"] != "pass"]
            if not bad:
                return False
            told["detail"] = bad[0]["detail"]
        return all(re.search(pattern, _text(told.get(key))) for key, pattern in self.fields.items())


def refused(tool: str, because: str, stage: str = "") -> Seen:
    """The bridge did not let the agent use a tool."""
    return Seen("action_taken", {"tool": f"^{tool}$", "outcome": "^refused$", "summary": because, "stage": stage})


def failed(tool: str, because: str, stage: str = "") -> Seen:
    """The tool said no."""
    return Seen("action_taken", {"tool": f"^{tool}$", "outcome": "^error$", "summary": because, "stage": stage})


def not_passed(stage: str, criterion: str, because: str = "") -> Seen:
    """A stage's exit was measured and this condition did not hold."""
    fields = {"what": "^exit$", "stage": f"^{stage}$", "outcome": "^(fail|broken)$", "detail": because}
    return Seen("measured", fields, criterion)


def asked(reason: str) -> Seen:
    """A person was asked."""
    return Seen("escalation_raised", {"escalation": f'"reason": "{reason}"'})


class Cheat(NamedTuple):
    """One misbehaviour. Whatever is not given is done honestly; the twin does everything honestly."""

    name: str
    seen: tuple[Seen, ...]
    red: tuple[Reply, ...] = RED
    green: tuple[Reply, ...] = GREEN
    deliver: tuple[Reply, ...] = DELIVER
    twin_red: tuple[Reply, ...] = RED
    twin_green: tuple[Reply, ...] = GREEN
    twin_deliver: tuple[Reply, ...] = DELIVER
    world: World = World()
    stops: tuple[str, ...] = ("question",)
    """The reasons it may come to rest for."""
    endless: str = ""
    """The stage whose last reply is given again and again instead of giving up."""
    look: Callable[[Outcome], None] = lambda outcome: None
    """What else must be true afterwards."""
    by_word: bool = False
    """Whether it is about the form of an answer, or a tool that is not offered. The words of an agent that acts by
    itself are not read, and what is not offered to it never reaches us: nothing may come of either."""


Trial = Callable[[Cheat], None]
"""What a test is given: it tries a cheat and its twin."""


def scenario(cheat: Cheat) -> str:
    """What the honest twin of a cheat starts from and does, as one text: twins that read the same are the same."""
    steps = (cheat.twin_red, cheat.twin_green, cheat.twin_deliver)
    world = (
        dict(cheat.world.files),
        cheat.world.prepare.__qualname__,
        dict(cheat.world.config),
        dict(cheat.world.specification),
    )
    return json.dumps([steps, world], sort_keys=True)


def try_cheat(cheat: Cheat, folder: Path, worker: str = "") -> None:
    """Run the cheat and hold what came of it against what must come of it."""
    hold(cheat, run(folder, replies(cheat), cheat.world, worker), worker)


def try_in(session: Session, cheat: Cheat) -> None:
    """The same for a cheat in the usual repository, from where its stage begins in a session that was honest so far."""
    hold(cheat, session.go_on("green" if cheat.red == RED else "red", replies(cheat)))


def replies(cheat: Cheat) -> list[Rule]:
    """What the cheating agent says."""
    return rules(cheat.red, cheat.green, cheat.deliver, endless=cheat.endless)


def hold(cheat: Cheat, outcome: Outcome, worker: str = "") -> None:
    """Nothing was delivered, everything survived, and what refused it is on record."""
    said = outcome.done.out + outcome.done.err
    assert outcome.branches == [], f"ESCAPED: {cheat.name}"
    assert "Traceback" not in said, said
    assert outcome.done.code in (1, 3, 4), said
    survived(outcome, SALVAGED)
    if worker and cheat.by_word:
        came_to_nothing(cheat, outcome)
        return
    assert json.loads(outcome.done.out)["reason"] in cheat.stops, said
    for seen in cheat.seen:
        assert any(map(seen.fits, outcome.events)), f"{seen} is not on record:\n{_story(outcome)}"
    cheat.look(outcome)


def came_to_nothing(cheat: Cheat, outcome: Outcome) -> None:
    """No tool that had to be refused was used; the task waits for a person, its agent failed or became too dear."""
    reasons = (*cheat.stops, "question", "provider_failed", "budget_tokens")
    assert json.loads(outcome.done.out)["reason"] in reasons, _story(outcome)
    barred = [seen._replace(fields={**seen.fields, "outcome": "^ok$", "summary": ""}) for seen in cheat.seen]
    used = [e for e in outcome.events for seen in barred if "tool" in seen.fields and seen.fits(e)]
    assert used == [], _story(outcome)


def try_twin(cheat: Cheat, folder: Path, worker: str = "") -> None:
    """The same without the cheat is delivered."""
    was_delivered(run(folder, rules(cheat.twin_red, cheat.twin_green, cheat.twin_deliver), cheat.world, worker))


def was_delivered(outcome: Outcome) -> None:
    """The branch is there, everything measured holds, and the person's things are theirs."""
    assert outcome.done.code == 0, f"{outcome.done.err}\n{_story(outcome)}"
    assert outcome.branches == [f"refs/heads/thoughtforge/{outcome.folder.name}"]
    made = outcome.artifact("green")["verification"]
    assert made == {"all_tests_pass": True, "conformance_passing": True, "no_regressions": True}
    report = outcome.artifact("deliver")
    assert [row["status"] for row in report["requirements"]] == ["delivered"]
    survived(outcome, DELIVERED)


def survived(outcome: Outcome, may_change: re.Pattern[str]) -> None:
    """The record is whole, the person's things are theirs, nothing runs on and no secret is in the record."""
    verified = outcome.verified()
    assert verified.code == 0, verified
    now = kept(outcome.around)
    changed = {path for path in now.keys() | outcome.before.keys() if now.get(path) != outcome.before.get(path)}
    assert {path for path in changed if not may_change.fullmatch(path)} == set()
    assert left_behind(outcome.around) == []
    secret = SECRET.encode()
    files = [path for path in outcome.folder.rglob("*") if path.is_file() and not path.is_symlink()]
    leaks = [path for path in files if secret in path.read_bytes()]
    assert leaks == []


def _text(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, sort_keys=True)


def _story(outcome: Outcome) -> str:
    """What happened, for whoever reads a failure."""
    lines = []
    for event in outcome.events:
        facts = [
            str(event[key])
            for key in ("stage", "tool", "what", "outcome", "summary", "reason", "detail", "error")
            if event.get(key)
        ]
        lines.append(" ".join([event["type"], *facts]))
        lines += [
            f"    {c['name']}: {c['outcome']}: {c['detail'][:300]}"
            for c in event.get("criteria", [])
            if c["outcome"] != "pass"
        ]
    return "\n".join(lines)
