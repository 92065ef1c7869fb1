"""What something costs, read off a sentence, and a table whose total is the sum of its rows."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from thoughtforge.providers.builtin.facts import MoneyAmount, amounts
from thoughtforge.providers.builtin.sentences import cue

LIMITS = re.compile(
    r"\b(?:budget|max(?:imum)?|at most|at least|not? (?:cost )?more than|up to|under|below|reserve|limit|ceiling"
    r"|loan|save|saved|pays? half"
    r"|afford|salary|income|revenue|earn\w*|subsid\w+|fee|fees|sponsor\w*|donat\w+|sell|sells|turnover|raised"
    r"|last (?:year|winter|summer|time))\b",
    re.IGNORECASE,
)
"""An amount beside these is a limit, an income or a thing of the past, and no cost."""
LENT = re.compile(
    r"\b(?:budget|max(?:imum)?|at most|at least|more than|up to|loan|lends?|last (?:year|winter|summer|time)|salary)\b",
    re.IGNORECASE,
)
"""Money beside these does not come in for the plan, or nobody knows how much."""
RATE = re.compile(
    r"(?:\b(?:per|each|every|apiece)\b|/\s?\w+|\ba(?:n)? (?:day|week|month|year|head|person|night|hour|piece"
    r"|kilo|metre|meter)\b|\bmonthly\b|\bdaily\b|\byearly\b)",
    re.IGNORECASE,
)
ALTERNATIVE = re.compile(r"\b(?:or|either|instead|otherwise|if)\b", re.IGNORECASE)
VERB = re.compile(
    r"\s*\b(?:costs?|is|are|was|were|wants?|asks? for|charges?|quoted|comes? to|cost us|will be|would be|for|at"
    r"|about|around|roughly|approx\.?|ca\.?|~)\s*$",
    re.IGNORECASE,
)
FOR = re.compile(r"^\s*for\s+(?:the\s+)?(?!\d)", re.IGNORECASE)
NOBODYS = re.compile(r"^(?:we|i|you|he|she|they|it|that|this|and|of|with|to|there)\b", re.IGNORECASE)
"""A label that begins so names nothing."""
EDGES = " \t,;:.–—-()!~="
LONGEST = 60
SPARE = 3
"""Words a sentence may have besides its label and amount and still be told by them."""


class StatedCost(NamedTuple):
    """One cost as it was written."""

    label: str
    amount: MoneyAmount
    whole: bool
    """Whether label and amount say all that the sentence says."""
    comes_in: bool = False
    """Whether it is money that comes in."""


def cost(text: str) -> StatedCost | None:
    """The one-off cost a sentence names; None for limits, rates, incomes, alternatives and several amounts."""
    found = amounts(text)
    if len(found) != 1 or not found[0].sign:
        return None
    only = found[0]
    clause = _clause(text, only)
    unsure = RATE.search(clause) or ALTERNATIVE.search(clause) or cue("unknown").search(text)
    comes_in = cue("income").search(clause) is not None
    if unsure or LIMITS.search(clause) and not comes_in:
        return None
    if comes_in:
        return _income(clause, only)
    before, _, after = clause.partition(only.text)
    head = VERB.sub("", VERB.sub("", before.strip())).strip(EDGES)
    label = head or FOR.sub("", after).strip(EDGES)
    if not label or len(label) > LONGEST or NOBODYS.match(label) or (not head and not FOR.match(after)):
        return None
    left = len(text.split()) - len(label.split()) - len(only.text.split())
    return StatedCost(label, only, left <= SPARE)


def _income(clause: str, only: MoneyAmount) -> StatedCost | None:
    """An amount that comes in, told by its whole clause; not when it is a limit or lent."""
    label = " ".join(clause.replace(only.text, " ", 1).split()).strip(EDGES)
    if not label or len(label) > LONGEST or LENT.search(clause):
        return None
    return StatedCost(label, only, whole=False, comes_in=True)


def _clause(text: str, amount: MoneyAmount) -> str:
    """The part of a sentence around an amount."""
    starts = [
        0,
        *(found.end() for found in re.finditer(r"[;(]|,(?!\d)\s|\s(?:and|but)\s", text) if found.end() <= amount.at),
    ]
    ends = [
        found.start() for found in re.finditer(r"[;)]|,(?!\d)\s|\s(?:and|but)\s", text) if found.start() >= amount.end
    ]
    return text[starts[-1] : min(ends, default=len(text))]


def cost_table(costs: Sequence[StatedCost]) -> str:
    """The costs as a table, below them what comes in; totals and a balance only where all are in one currency."""
    told = list(dict.fromkeys(costs))
    spent, earned = [one for one in told if not one.comes_in], [one for one in told if one.comes_in]
    signs = {one.amount.sign for one in told}
    sign = signs.pop() if len(signs) == 1 else ""
    rows = [*_group(spent, "Total", sign), *_group(earned, "Total income", sign, lead="Income: ")]
    if sign and spent and earned:
        rest = sum(one.amount.value for one in earned) - sum(one.amount.value for one in spent)
        rows.append(f"| **Balance** | **{'–' if rest < 0 else ''}{_written(abs(rest), sign)}** |")
    return "\n".join(["| What | Amount |", "|---|---:|", *rows])


def _group(costs: Sequence[StatedCost], name: str, sign: str, *, lead: str = "") -> list[str]:
    """The rows of one side, and their total when there are several in one currency."""
    rows = [f"| {lead}{_cell(one.label)} | {_cell(one.amount.text)} |" for one in costs]
    if sign and len(costs) > 1:
        rows.append(f"| **{name}** | **{_written(sum(one.amount.value for one in costs), sign)}** |")
    return rows


def _written(value: float, sign: str) -> str:
    number = f"{value:,.2f}" if value % 1 else f"{value:,.0f}"
    return f"{sign}{number}" if len(sign) == 1 else f"{sign} {number}"


def _cell(text: str) -> str:
    return text.replace("|", r"\|").strip()
