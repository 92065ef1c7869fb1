"""What something costs, read off a sentence, and a table whose total is the sum of its rows."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from thoughtforge.providers.builtin.corrections import plainly
from thoughtforge.providers.builtin.facts import NUM, WORD, MoneyAmount, amounts, number
from thoughtforge.providers.builtin.sentences import NUMBERED, cue, data
from thoughtforge.providers.builtin.sorting import WISH
from thoughtforge.providers.builtin.titles import VERB as SPOKEN
from thoughtforge.providers.builtin.titles import wished

LIMITS = re.compile(
    r"\b(?:budget|max(?:imum)?|at most|at least|not? (?:cost )?more than|(?<!goes )(?<!go )(?<!went )up to|under|below"
    r"|reserve|limit|ceiling"
    r"|loan|save|saved|pays? half"
    r"|afford|zahlt|bezahlt|pays?(?! for)"
    r"|salary|income|revenue|earn\w*|subsid\w+|fee|fees|sponsor\w*|donat\w+|sell|sells|turnover|raised"
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
    r"|kilo|metre|meter)\b|\bcada\s|\bpor persona\b|\bpro\s|\bje\s|\bjeweils\b|\bmonthly\b|\bdaily\b|\byearly\b)",
    re.IGNORECASE,
)
ALTERNATIVE = re.compile(r"\b(?:oder|entweder|sonst|or|either|instead|otherwise|if)\b", re.IGNORECASE)
VERB = re.compile(
    r"\s*\b(?:kostet|kosten|cuestan?|(?:goes|go|went|rises?|rose|is raised) (?:up |down )?to|costs?"
    r"|is|are|was|were|wants?|asks? for|charges?|quoted|comes? to|cost us|will be|would be|for|at"
    r"|about|around|roughly|approx\.?|ca\.?|~)\s*$",
    re.IGNORECASE,
)
FOR = re.compile(r"^\s*for\s+(?:the\s+)?(?!\d)", re.IGNORECASE)
NOBODYS = re.compile(r"^(?:we|i|you|he|she|they|it|that|this|and|of|with|to|there)\b", re.IGNORECASE)
"""A label that begins so names nothing."""
EDGES = " \t,;:.–—-()!~="
LONGEST = 60
SUM = re.compile(r"^(?:grand )?(?:total|sum|summe|gesamt|altogether|all in|insgesamt|suma)\b", re.IGNORECASE)
"""A sum of what stands elsewhere is no cost of its own."""
FACTORS = re.compile(
    rf"(?:(?<![\w.,]){NUM}\s?(?:[^\W\d_]{{1,20}}[²³]?\s)?\s*(?:x|×|\*|@|à)\s*)+$"
    rf"|(?<![\w.,]){NUM}\s?(?:m[²³23]|sqm|kg|hours?|hrs?|h|nights?|days?|pcs|pieces|people|persons)"
    r"\s(?:at|for|zu)\s$",
    re.IGNORECASE,
)
"""What an amount is taken times."""
BARE_COST = re.compile(rf"\bcosts?\s(?:about |around |roughly )?(?P<number>{NUM})(?=[\s.;!)]*$)", re.IGNORECASE)
BARE_LISTED = re.compile(rf"\s(?P<number>{NUM})\W*$")
"""An amount without a currency."""
CLAUSES = re.compile(r"[;(]|,(?!\d)\s|\s(?:and|but)\s|\.\s")


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
    listed = under_money(text)
    bare = NUMBERED.sub("", plainly(text[listed.end() :] if listed else text))
    only = _only(bare, listed=listed is not None)
    if only is None:
        return None
    clause, factors = _clause(bare, only), _factors(bare, only)
    unsure = RATE.search(clause) and not factors or ALTERNATIVE.search(clause) or cue("unknown").search(bare)
    comes_in = cue("comes_in").search(listed[0]) if listed else cue("income").search(clause)
    if unsure or LIMITS.search(clause) and not comes_in and not listed:
        return None
    if comes_in and not listed:
        if factors:
            return None
        return _income(clause, only, whole=len(clause) >= len(bare.rstrip(EDGES)))
    label, amount = _label(bare, clause, only), _times(only, factors)
    if not label or len(label) > LONGEST or LENT.search(clause) and listed:
        return None
    label += ")" if label.count("(") > label.count(")") else ""
    if factors:
        label = f"{label} ({factors}{only.text})"
    return StatedCost(label, amount, _tells_all(bare, label, only), comes_in=comes_in is not None)


def under_money(text: str) -> re.Match[str] | None:
    """The label of a list of incomes or costs at the beginning of a text."""
    return re.match(rf"\W*(?:{cue('comes_in').pattern}|{cue('goes_out').pattern})\W*:\s+", text, re.IGNORECASE)


def _only(text: str, *, listed: bool) -> MoneyAmount | None:
    """The one amount of a sentence; where it is also reckoned (`3 x 20 € = 60 €`) the result."""
    found = amounts(text)
    if len(found) > 1 and re.fullmatch(r"\s*=\s*", text[found[-2].end : found[-1].at]):
        first, last = found[-2:]
        return last if abs(_times(first, _factors(text, first)).value - last.value) < 1 else None
    if len(found) == 1 and (found[0].sign or text[found[0].at : found[0].end].endswith("-")):
        return found[0]
    plain = BARE_LISTED if listed else BARE_COST
    bare = plain.search(text) if not found else None
    return MoneyAmount(number(bare["number"]), "", bare["number"], *bare.span("number")) if bare else None


def _factors(text: str, amount: MoneyAmount) -> str:
    """The reckoning before an amount: `2 x `, `2 evenings x 40 weeks x `, `4.5 m³ @ `."""
    found = FACTORS.search(text[: amount.at])
    return found.group().lstrip() if found else ""


def _times(amount: MoneyAmount, factors: str) -> MoneyAmount:
    """The amount times its factors, written with its currency."""
    if not factors:
        return amount
    value = amount.value
    for factor in re.findall(rf"(?<![\w.,]){NUM}", factors):
        value *= number(factor)
    return amount._replace(value=value, text=re.sub(NUM, _digits(value), amount.text, count=1))


def _label(text: str, clause: str, only: MoneyAmount) -> str:
    """What an amount is for: the words before it, what is wanted in the clause before, or what stands behind `for`."""
    before, _, after = clause.partition(only.text)
    head = _bare(before)
    wider = _bare(text.partition(only.text)[0])
    head = wider if len(head.split()) == 1 and wider.endswith(f"and {head}") and not SPOKEN.search(wider) else head
    if not head:
        earlier = CLAUSES.split(text[: text.find(clause)].strip(EDGES))[-1]
        head = earlier if WISH.search(earlier) else ""
    if head:
        head = wished(head).strip(EDGES) if WISH.search(head) else head
    elif FOR.match(after):
        head = FOR.sub("", after).strip(EDGES)
    return "" if NOBODYS.match(head) or SUM.match(head) else head


def _bare(before: str) -> str:
    """The words before an amount without a reckoning and the verb."""
    words = FACTORS.sub("", before).partition("=")[0].strip()
    for _ in range(2):
        words = VERB.sub("", words).strip(EDGES)
    return words


def _tells_all(text: str, label: str, only: MoneyAmount) -> bool:
    """Whether label and amount say what the sentence says: besides them it has only words of costing."""
    told = {word.casefold() for word in WORD.findall(f"{label} {only.text}")}
    rest = [word.casefold() for word in WORD.findall(WISH.sub(" ", text))]
    return all(word in told or word in _plain() for word in rest)


@lru_cache
def _plain() -> frozenset[str]:
    """Words of costing."""
    return frozenset(
        {
            *data()["neutral"],
            "charges",
            "asks",
            "wants",
            "kostet",
            "cuesta",
            "cuestan",
            "is",
            "at",
            "to",
            "a",
            "an",
            "we",
            "i",
            "ca",
            "of",
        }
    )


def _income(clause: str, only: MoneyAmount, *, whole: bool) -> StatedCost | None:
    """An amount that comes in, told by its whole clause; not when it is a limit or lent."""
    label = " ".join(clause.replace(only.text, " ", 1).split()).strip(EDGES)
    if not label or len(label) > LONGEST or LENT.search(clause):
        return None
    return StatedCost(label, only, whole=whole, comes_in=True)


STARTS = re.compile(r"[;(]|,(?!\d)\s|\s(?:and|but)\s")
ENDS = re.compile(r"[;)]|,(?!\d)\s|\s(?:and|but)\s")


def _clause(text: str, amount: MoneyAmount) -> str:
    """The part of a sentence around an amount."""
    inside = text[: amount.at].rfind("(") > text[: amount.at].rfind(")")
    before = [found for found in STARTS.finditer(text) if found.end() <= amount.at and (inside or found[0] != "(")]
    starts = [0, *(found.end() for found in before)]
    ends = [found.start() for found in ENDS.finditer(text) if found.start() >= amount.end]
    return text[starts[-1] : min(ends, default=len(text))]


def rate(text: str) -> bool:
    """Whether a sentence names an amount for each of something, which is in no total."""
    return len(amounts(text)) > 0 and cost(text) is None and RATE.search(text) is not None


def cost_table(costs: Sequence[StatedCost], *, balanced: bool = True) -> str:
    """The costs as a table, below them what comes in; totals and a balance only where all are in one currency."""
    told = list(dict.fromkeys(costs))
    spent, earned = [one for one in told if not one.comes_in], [one for one in told if one.comes_in]
    signs = {one.amount.sign for one in told if one.amount.sign}
    sign = signs.pop() if len(signs) == 1 else ""
    rows = [*_group(spent, "Total", sign), *_group(earned, "Total income", sign, lead="Income: ")]
    if balanced and sign and spent and earned:
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
    return f"{sign}{_digits(value)}" if len(sign) == 1 else f"{sign} {_digits(value)}"


def _digits(value: float) -> str:
    return f"{value:,.2f}" if value % 1 else f"{value:,.0f}"


def _cell(text: str) -> str:
    return text.replace("|", r"\|").strip()
