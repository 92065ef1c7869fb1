"""Runs a profile over a history: prefix by prefix, guard by guard, and the first that ends the loop is the answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Literal, NamedTuple

from thoughtforge.polish.history import Action, GuardHit, History, Iteration
from thoughtforge.polish.log_text import history_from
from thoughtforge.polish.profile import Bound, Panel, Profile, bind, built_in
from thoughtforge.settings.config import Polish


class GuardRuling(NamedTuple):
    """What the guards say: whether the loop goes on, and why."""

    outcome: Literal["continue", "done", "halt"]
    guard: str | None
    explanation: str
    iteration: int
    warnings: tuple[str, ...] = ()
    """Guards that only warned, in the order they did."""
    kind: str = ""
    """The hit's own word; `regression` and `oscillation` put the best iteration back."""

    def as_json(self) -> dict[str, Any]:
        """The five fields other programs get."""
        shown = self._asdict() | {"warnings": list(self.warnings)}
        del shown["kind"]
        return shown


def evaluate(history: History | Mapping[str, Any], profile: Profile | str, settings: Polish) -> GuardRuling:
    """The first prefix that ends, or `continue`. A name means a built-in profile; a mapping is read as HISTORY.json."""
    known = history if isinstance(history, History) else history_from(history)
    chosen = built_in(profile) if isinstance(profile, str) else profile
    panel = bind(chosen, settings)
    warnings: dict[str, None] = {}
    for number in range(known.before + 1, known.number + 1):
        ruling = judge(known.until(number), panel)
        warnings |= dict.fromkeys(ruling.warnings)
        if ruling.outcome != "continue" or number == known.number:
            return ruling._replace(warnings=tuple(warnings))
    return GuardRuling("continue", None, "There is no review yet.", known.before)


def judge(history: History, panel: Panel) -> GuardRuling:
    """What the guards say after the newest review alone: asked in order, the first hit that ends, ends.

    A loop that a person let go on hands in `history.since(…)`, so that the same halt does not come at once again.
    """
    history = history if panel.set_aside else _all_count(history)
    warnings = []
    for bound in panel.guards:
        hit = bound.look(history)
        if hit is None:
            continue
        action = _action(bound, hit)
        if action == "warn":
            warnings.append(bound.name)
            continue
        return _ending(history, bound, hit, action)._replace(warnings=tuple(warnings))
    goes_on = f"It goes on{_why(history)}."
    told = f"After {history.number} review{'s' * (history.number != 1)}: {history.last.counts.words()}. {goes_on}"
    return GuardRuling("continue", None, told, history.number, tuple(warnings))


def _why(history: History) -> str:
    """Why a loop goes on although nothing was found."""
    last = history.last
    if last.counts.total or not last.itemised:
        return ""
    if last.bars:
        return f": {last.bars}"
    if not last.full:
        return ": the review saw only a part"
    return ": a review that finds nothing is asked once more before it is believed"


def _action(bound: Bound, hit: GuardHit) -> Action:
    """A profile that only wants a warning gets one; else the guard's own word counts before the profile's."""
    return bound.action if bound.action == "warn" else hit.action or bound.action


def _ending(history: History, bound: Bound, hit: GuardHit, action: Action) -> GuardRuling:
    """The engine's own check: whatever profile and guard say, an open critical or failing tests are no success."""
    last = history.last
    if action != "done":
        return GuardRuling("halt", bound.name, hit.sentence, history.number, kind=hit.kind)
    if last.bars:
        told = f"{hit.sentence} The loop halts; the deliverable is not done: {last.bars}."
        return GuardRuling("halt", bound.name, told, history.number, kind=hit.kind)
    return GuardRuling("done", bound.name, f"{hit.sentence}{_listed(last)}", history.number, kind=hit.kind)


def _listed(iteration: Iteration) -> str:
    """What is still open, and what was set aside."""
    if not iteration.itemised:
        return f" Open: {iteration.counts.words()}." if iteration.counts.total else ""
    parts = {"Open": iteration.open, "Set aside": iteration.aside}
    return "".join(f" {word}: {'; '.join(one.line() for one in found)}." for word, found in parts.items() if found)


def _all_count(history: History) -> History:
    """The history for a profile that sets nothing aside."""

    def counts(one: Iteration) -> Iteration:
        return replace(one, findings=tuple(finding._replace(exists=True) for finding in one.findings))

    return History(tuple(map(counts, history.iterations)), tuple(map(counts, history.earlier)))
