"""What a sentence states in figures: money, dates and counts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from thoughtforge.providers.builtin.sentences import cue, data

NUM = r"\d(?:[\d.,]{0,20}\d)?"
UNIT = r"€|\$|£|¥|euros?|eur|dollars?|usd|pounds?|gbp|quid|bucks|chf|francs?|pesos?"
MONEY = re.compile(
    rf"(?<![\w.,])(?:(?P<sign>[€$£¥]|eur|usd|gbp|chf)\s?(?P<first>{NUM})\s?(?P<times>k|m)?(?!\w)"
    rf"|(?P<second>{NUM})\s?(?P<many>k|m)?\s?(?P<unit>{UNIT})(?!\w)|(?P<bare>{NUM})(?P<more>k)(?!\w)|(?P<round>{NUM}),[-–])",
    re.IGNORECASE,
)
SIGNS = {"euro": "€", "eur": "€", "dollar": "$", "usd": "$", "buck": "$", "pound": "£", "gbp": "£", "quid": "£"}
TIMES = {"": 1, "k": 1_000, "m": 1_000_000}
THOUSAND = 3
MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
OTHER_MONTHS = {
    "mär": "mar",
    "mai": "may",
    "okt": "oct",
    "dez": "dec",
    "ene": "jan",
    "abr": "apr",
    "ago": "aug",
    "dic": "dec",
}
MONTH = (
    r"(?:jan(?:uary|uar)?|feb(?:ruary|ruar)?|mar(?:ch|zo)?|märz|apr(?:il)?|may|mai|mayo|june?|juni|july?|juli"
    r"|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|okt(?:ober)?|nov(?:ember)?|dec(?:ember)?|dez(?:ember)?"
    r"|enero|febrero|abril|junio|julio|agosto|septiembre|octubre|noviembre|diciembre)(?!\w)"
)
DAY = r"(?:monday|tuesday|wednesday|thursday|friday|saturday|sunday)s?"
DATE = re.compile(
    rf"(?<![\w.])(?:(?:{DAY},?\s+(?:the\s+)?)?(?:(?P<from>\d{{1,2}})(?:st|nd|rd|th)?\.?\s?(?:-|–|to|until)\s?)?"
    rf"(?P<day>\d{{1,2}})(?:st|nd|rd|th)?\.?\s+(?:(?:of|de)\s+)?(?P<month>{MONTH})(?:\s+(?P<year>\d{{4}}))?"
    rf"|(?P<month2>{MONTH})\s+(?P<day2>\d{{1,2}})(?:st|nd|rd|th)?(?![\w:])(?:,?\s+(?P<year2>\d{{4}}))?"
    rf"|(?P<iso>\d{{4}}-\d{{2}}-\d{{2}})|(?P<dotted>\d{{1,2}}[./]\d{{1,2}}\.?(?:[./]?\d{{2,4}})?)(?=[\s,;.)]"
    rf"|$)(?<=[\d.])"
    rf"|(?:(?:(?:early|mid|late|end of|start of|beginning of|next|this|last)[ -]){{1,2}}|(?<=\bin )|(?<=\bby )"
    rf"|(?<=\buntil )|(?<=\bbefore )"
    rf"|(?<=\bto )|(?<=\bfrom )|(?<=\bfor )|(?<=\bnot )|(?<=\bof ))(?P<month3>{MONTH})(?:\s+(?P<year3>\d{{4}}))?"
    rf"|(?P<weekday>(?:next |this )?{DAY})(?!\w))",
    re.IGNORECASE,
)
VAGUE = re.compile(
    r"\b(?:(?:next|this|last|the|end of(?: the| this| next)?|within (?:\w+ )?|in (?:\w+ )?|by|before|until"
    r"|for (?:\w+ )?)\s?"
    r"(?:spring|summer|autumn|fall|winter|christmas|easter|weekends?|days?|weeks?|months?|quarters?|years?"
    r"|january|february"
    r"|march|april|june|july|august|september|october|november|december|first frost)|tomorrow|today|week \d+"
    r"|(?:by|in|before|until|of) \d{4}"
    r"|at the latest|(?:sommer|winter|frühling|herbst|januar|februar|märz|april|mai|juni|juli|august|september"
    r"|oktober|november|dezember"
    r"|enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|octubre|noviembre|diciembre))\b",
    re.IGNORECASE,
)
SMALL = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
COUNT = re.compile(
    rf"(?<![\w.,€$£/:-])(?P<number>{NUM}|{'|'.join(SMALL[2:])})(?P<times>k)?\s+(?P<noun>[^\W\d_]{{3,}})(?![\w/])",
    re.IGNORECASE,
)
MOVED = re.compile(
    rf"(?P<verb>\b(?:mov|shift|chang|postpon|push)\w+)\s+from\s+(?:the\s+)?\d{{1,2}}(?:st|nd|rd"
    rf"|th)?\.?(?:\s+{MONTH})?\s+to\b",
    re.IGNORECASE,
)
"""Of what moves from one day to another the later one counts."""
NUMBER = re.compile(
    rf"\b(?:is|are|was|were|be|of|to|costs?|budget|rent|price|=)\s*:?\s+(?:(?:now|only|about|around|roughly)\s+)?"
    rf"(?P<number>{NUM})(?P<times>k)?(?![\w/:%]|[.,]\d|\s?(?:o['’]clock|am|pm|percent)\b)",
    re.IGNORECASE,
)
"""A number that names no thing: `rent is 850 a month`."""
YEAR = re.compile(r"(?:19|20)\d\d")
CONTRACTED = re.compile(r"(?:n['’]t|['’](?:ll|s|re|d|ve|m))(?!\w)", re.IGNORECASE)
WORD = re.compile(r"[^\W\d_][\w'’]+")
ENDINGS = re.compile(r"(?:'s|’s|ing|ed|es|s|ly|e)$")
SPEAKER = re.compile(
    r"^.{0,40}?\b(?:thinks?|says?|said|believes?|told (?:me|us)|reckons?|guess(?:es)?|suppose)\b(?: that)?",
    re.IGNORECASE,
)
CLAUSE = re.compile(r"[;–—()]|,(?!\d)|\s-\s|\s(?:and|but|because)\s", re.IGNORECASE)
SHORTEST = 3


class Fact(NamedTuple):
    """One figure of a sentence, and what it is about."""

    kind: str
    """money, date, or the thing that is counted."""
    value: tuple[object, ...]
    text: str
    """The figure as it was written."""
    about: frozenset[str]
    """The words its clause has besides, without endings."""
    clause: str


def number(text: str) -> float:
    """8,000 and 8.000 are thousands, 8.50 is not."""
    whole, *rest = re.split(r"[.,]", text)
    if len(rest) == 1 and len(rest[0]) < THOUSAND:
        return float(f"{whole}.{rest[0]}")
    return float("".join([whole, *rest]))


class MoneyAmount(NamedTuple):
    """An amount of money."""

    value: float
    sign: str
    """Its currency, empty when none was named."""
    text: str
    at: int
    end: int


def amounts(text: str) -> list[MoneyAmount]:
    """All amounts of money; a bare `15k` is one only where the text speaks of money."""
    speaks = cue("money").search(text) is not None or cue("budget").search(text) is not None
    return [_amount(found) for found in MONEY.finditer(text) if speaks or not found["bare"]]


def _amount(found: re.Match[str]) -> MoneyAmount:
    digits = found["first"] or found["second"] or found["bare"] or found["round"]
    times = (found["times"] or found["many"] or found["more"] or "").casefold()
    unit = (found["sign"] or found["unit"] or "").casefold()
    sign = SIGNS.get(unit.rstrip("s"), unit.upper())
    return MoneyAmount(number(digits) * TIMES[times], sign, found.group().strip(), found.start(), found.end())


class StatedDate(NamedTuple):
    """A date as it was written, and what it comes to."""

    key: tuple[object, ...]
    text: str
    at: int


def dates(text: str) -> list[StatedDate]:
    """All dates that name a day, a month or a weekday."""
    return [when for found in DATE.finditer(text) if (when := _when(found))]


def _when(found: re.Match[str]) -> StatedDate | None:
    month = found["month"] or found["month2"] or found["month3"]
    if month and found.group() == "may" and not found["month3"]:
        return None
    short = (month or "")[:3].casefold()
    number_of = MONTHS.index(OTHER_MONTHS.get(short, short)) + 1 if month else 0
    if found["month3"]:
        key: tuple[object, ...] = ("month", number_of)
    elif month:
        day = int(found["day"] or found["day2"])
        key = ("days", number_of, day, int(found["from"])) if found["from"] else ("day", number_of, day)
    else:
        key = ("other", found.group().casefold())
    return StatedDate(key, found.group().strip(), found.start())


def timed(text: str) -> bool:
    """Whether a text says when, however vaguely."""
    return bool(dates(text)) or VAGUE.search(text) is not None


@lru_cache(maxsize=4_000)
def facts(text: str) -> tuple[Fact, ...]:
    """The figures of a sentence, clause by clause; of what it takes back itself the last one stays."""
    found: list[Fact] = []
    about: frozenset[str] = frozenset()
    for clause in CLAUSE.split(MOVED.sub(r"\g<verb> to", text)):
        here = list(_facts(clause.strip()))
        found += [fact if fact.about or fact.kind.startswith("count") else fact._replace(about=about) for fact in here]
        about = next((fact.about for fact in here if fact.about), subject(clause) or about)
    if cue("correction").search(text):
        found = list({(fact.kind, fact.about): fact for fact in found}.values()) if not _not_but(text) else found[:1]
    return tuple(found)


def _not_but(text: str) -> bool:
    return re.search(r",\s*not\s", text, re.IGNORECASE) is not None


def _facts(clause: str) -> Iterator[Fact]:
    """The figures of one clause: money, dates, counts, and numbers of nothing that is named."""
    money, days = amounts(clause), dates(clause)
    for one in money:
        yield Fact("money", (one.value, one.sign), one.text, subject(clause, one.text), clause)
    for when in days:
        yield Fact(f"date {when.key[0]}", when.key, when.text, subject(clause, when.text), clause)
    spent = [(one.at, one.end) for one in money] + [(when.at, when.at + len(when.text)) for when in days]
    for found in COUNT.finditer(clause):
        noun = stem(found["noun"])
        inside = any(start <= found.start() < end for start, end in spent)
        if not inside and noun not in stems("uncounted") and not re.fullmatch(UNIT, found["noun"], re.IGNORECASE):
            spent.append(found.span())
            value = (float(_worth(found["number"], found["times"])),)
            yield Fact(f"count {noun}", value, found.group(), subject(clause, found.group()), clause)
    for found in NUMBER.finditer(clause):
        inside = any(start <= found.start("number") < end for start, end in spent)
        year = YEAR.fullmatch(found["number"]) and not cue("money").search(clause)
        if not inside and not year:
            written = clause[found.start("number") : found.end()]
            value = (float(_worth(found["number"], found["times"])),)
            yield Fact("number", value, written, subject(clause, written), clause)


def _worth(digits: str, times: str | None) -> float:
    small = digits.casefold()
    return SMALL.index(small) if small in SMALL else number(small) * TIMES[(times or "").casefold()]


class FigurePlace(NamedTuple):
    """Where a figure stands."""

    kind: str
    at: int
    end: int


def figures(text: str) -> list[FigurePlace]:
    """All figures of a text in order, with their places; a number of nothing has the kind `number`."""
    found = [FigurePlace("money", one.at, one.end) for one in amounts(text)]
    found += [FigurePlace("date", when.at, when.at + len(when.text)) for when in dates(text)]
    for pattern in (COUNT, PLAIN_NUMBER):
        taken = [(one.at, one.end) for one in found]
        for one in pattern.finditer(text):
            if not any(start <= one.start() < end for start, end in taken):
                noun = stem(one["noun"]) if pattern is COUNT else ""
                counted = noun and noun not in stems("uncounted")
                end = one.end() if counted else one.end("number")
                found.append(FigurePlace(f"count {noun}" if counted else "number", one.start(), end))
    return sorted(found, key=lambda figure: figure.at)


PLAIN_NUMBER = re.compile(rf"(?<![\w.,:/-])(?P<number>{NUM}|{'|'.join(SMALL[2:])})(?![\w:/]|[.,]\d)", re.IGNORECASE)


def stem(word: str) -> str:
    """A word without its ending, so that `expected` and `expects` are the same."""
    short = ENDINGS.sub("", word.casefold())
    return short if len(short) >= SHORTEST else word.casefold()


def subject(clause: str, without: str = "") -> frozenset[str]:
    """The words that say what a clause is about."""
    bare = DATE.sub(" ", SPEAKER.sub(" ", clause.replace(without, " ") if without else clause))
    words = WORD.findall(CONTRACTED.sub(" ", bare))
    return frozenset(stem(word) for word in words if len(word) >= SHORTEST) - stems("neutral")


@lru_cache
def stems(name: str) -> frozenset[str]:
    """The words of a list of the cues, without endings."""
    return frozenset(stem(word) for word in data()[name])
