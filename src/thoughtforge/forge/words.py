"""The text form of the plan and forge commands, for chats: `!plan …`, `!forge …`, `!stop`."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from thoughtforge.forge.numbering import referred


class PlanWords(NamedTuple):
    """One line a person wrote in a chat."""

    group: str
    """plan, forge or stop."""
    verb: str
    """create, list, show, edit, audit, approve, close, cancel, phases, run, run-all, run-one, skip, retry of plan;
    start, resume, status, cancel of forge; stop."""
    plan: str = ""
    """The id, as `plan-017`; empty when none was named."""
    phase: str = ""
    text: str = ""
    """The description of a new plan, or the reason of an approval without an audit or of a skip."""
    regenerate: bool = False
    reset: bool = False
    unaudited: bool = False
    reason: bool = False
    problem: str = ""
    """What is wrong with the line and what to write instead; empty when it can be done."""


VERBS: Mapping[str, tuple[str, ...]] = {
    "plan": (
        *("create", "list", "show", "edit", "audit", "approve", "close", "cancel", "phases"),
        *("run", "run-all", "run-one", "skip", "retry"),
    ),
    "forge": ("status", "cancel"),
}
WITHOUT_PLAN = {("plan", "list"), ("forge", "status"), ("forge", "cancel")}
"""Commands that need no plan; the others of `!plan` do."""
OPTIONS = ("--regenerate", "--reset", "--unaudited", "--reason")
ALLOWED = {"phases": ("--regenerate", "--reset"), "approve": ("--unaudited",), "skip": ("--reason",)}
LINE = re.compile(r"\s*!(?P<group>plan|forge|stop)(?![\w-])\s*(?P<rest>.*?)\s*", re.DOTALL | re.IGNORECASE)
PHASE = re.compile(r"(?:phase-)?(\d{1,6})", re.IGNORECASE)


def parse_words(line: str) -> PlanWords | None:
    """What a line asks for; None when it is no command of these."""
    found = LINE.fullmatch(line)
    if found is None:
        return None
    group, rest = found["group"].lower(), found["rest"]
    if group == "stop":
        plan = referred(rest)
        problem = "" if plan or not rest else f"!stop takes a plan at most, not {rest[:60]!r}. Write: !stop"
        return PlanWords("stop", "stop", plan, problem=problem)
    first, _, after = _parted(rest)
    verb = first.lower()
    if verb in VERBS[group] and not (verb == "create" or _is_sentence(group, verb, after)):
        return _command(group, verb, after)
    if group == "forge" and rest and referred(rest):
        return PlanWords("forge", "resume", referred(rest))
    text = after if verb == "create" and group == "plan" else rest
    verb = "create" if group == "plan" else "start"
    problem = "" if text else f"Say what to change: !{group} Retry failed webhooks"
    return PlanWords(group, verb, text=text, problem=problem)


def _parted(text: str) -> tuple[str, str, str]:
    first, *rest = text.split(None, 1) or [""]
    return first, " ", rest[0] if rest else ""


def _is_sentence(group: str, verb: str, after: str) -> bool:
    """Whether a line only begins with the word of a command: `!plan show errors in red`."""
    words = [word for word in after.split() if word not in OPTIONS]
    return bool(words) and not referred(words[0]) and (len(words) > 1 or (group, verb) in WITHOUT_PLAN)


def _command(group: str, verb: str, after: str) -> PlanWords:
    words = after.split()
    given = [word for word in words if word in OPTIONS]
    others = [word for word in words if word not in OPTIONS]
    plan = referred(others[0]) if others else ""
    others = others[1:] if plan else others
    phase = ""
    if verb == "run-one" and others and (found := PHASE.fullmatch(others[0])):
        phase, others = f"phase-{int(found[1])}", others[1:]
    text = " ".join(others)
    options = ("--regenerate" in given, "--reset" in given, "--unaudited" in given, "--reason" in given)
    made = PlanWords(group, verb, plan, phase, text, *options)
    return made._replace(problem=_problem(made, given))


def _problem(words: PlanWords, given: Sequence[str]) -> str:
    """What is wrong with a command, and how it is written."""
    form = f"!{words.group} {words.verb} PLAN"
    wrong = [word for word in given if word not in ALLOWED.get(words.verb, ())]
    if not words.plan and (words.group, words.verb) not in WITHOUT_PLAN:
        told = f"{words.text[:60]!r} is no plan" if words.text else "no plan is named"
        return f"{told}. Write: {form.replace('PLAN', 'plan-017')}"
    if wrong:
        return f"{form} has no option {', '.join(wrong)}"
    if words.verb == "run-one" and not words.phase:
        return f"no phase is named. Write: {form.replace('PLAN', words.plan)} phase-2"
    if words.unaudited and not words.text:
        return f"say why it may go without an audit. Write: {form.replace('PLAN', words.plan)} --unaudited REASON"
    if words.reset and not words.regenerate:
        return f"--reset belongs to --regenerate. Write: {form.replace('PLAN', words.plan)} --regenerate --reset"
    if words.reason and not words.text:
        return f"say why it is skipped. Write: {form.replace('PLAN', words.plan)} --reason REASON"
    if words.text and not (words.unaudited or words.reason):
        return f"{form} takes nothing more, but there is {words.text[:60]!r}"
    return ""
