"""Who does what by when, as a sentence says it."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from thoughtforge.providers.builtin.corrections import plainly
from thoughtforge.providers.builtin.facts import VAGUE, WORD, amounts, dates, stem, stems, timed
from thoughtforge.providers.builtin.sentences import data

NAME = r"(?-i:[A-Z][\w'’]+)"
ACTOR = rf"(?:(?:Mr|Mrs|Ms|Dr)\.? )?{NAME}(?: (?:and|&) {NAME})?|[Ii]|[Ww]e"
BY = r"(?:by|until|before|till|on|bis|am|antes de|antes del)"
TASK = re.compile(
    rf"^\W*(?P<lead>(?:[^:]{{2,30}}:|so|and|then|\d+[.)])\s+)?(?P<who>{ACTOR})\s+(?P<what>(?:(?:will|'ll|has to"
    rf"|have to|must|should|shall|to|is to|is going to) )?"
    rf"[a-z]{{3,}}(?<!ed)\b[^.;]{{0,120}}?)\s+(?P<limit>{BY})\s+(?P<when>(?:\d{{1,2}}\.\s)?[^.;,()]{{3,40}})",
)
ACTION = re.compile(rf"^\W*action(?: for)?\s+(?P<who>{ACTOR}|me)\s*:\s*(?P<what>[^.;]{{3,120}})", re.IGNORECASE)
UNDATED = re.compile(
    rf"^\W*(?P<who>(?:[Mm]y|[Oo]ur) [a-z]+|{NAME}(?: (?:and|&|und|y) {NAME})?)\s(?P<aux>will |would |soll |wird )?"
    r"(?P<what>[a-zäöüß]{2,}\s[^.;:?!]{2,80}?)[.!]*$",
)
MORE_OF_IT = re.compile(
    r",\s(?:and\s|so\s)?(?=(?:they|it|he|she|this|that|which|who|i|we)\b|(?:he|she|it)['’]s"
    r"|[^,]{2,40}\s(?:must|has to|have to|should|needs? to|is|are)\s)",
    re.IGNORECASE,
)
NOT_A_TASK = re.compile(
    r"^(?:be|want|wants|need|needs|think|thinks|guess|is|are|was|were|has|have|had|says?|said|would|should|could"
    r"|can|cannot"
    r"|can't|might|may|like|likes|does not|do not|don't|doesn't|know|knows|hope|hopes|believe|assume|also|really|just"
    r"|expect|love|wish)\b(?! to be| to ask)",
    re.IGNORECASE,
)


COUNTED = re.compile(r"^\s*(?:\d{1,3}[.)]|[-*])\s+")
TO_DO = re.compile(r"^\W*(?:things? to do|to ?dos?|actions?|tasks?|next steps?)\b", re.IGNORECASE)


class StatedTask(NamedTuple):
    """Who does what by when; what was not said is empty."""

    what: str
    who: str
    when: str
    whole: bool = False
    """Whether it is all that the sentence says."""


def task(text: str) -> StatedTask | None:
    """The task a sentence gives somebody: the sentence itself, or a clause of it that names a day."""
    plain = plainly(COUNTED.sub("", text))
    found = _dated(plain) or _undated(plain, text)
    clauses = PARTS.split(plain)[1:] if found is None and not text.rstrip().endswith("?") else []
    named = next((one for one in map(_dated, clauses) if one is not None), None)
    return found or (named._replace(whole=False) if named else None)


PARTS = re.compile(r"[,;]\s(?:and\s|so\s|und\s)?|\s(?:and|und|y)\s(?=[A-Z])")


def _dated(text: str) -> StatedTask | None:
    """Who does what by a day."""
    found = TASK.match(text)
    if not found or not timed(f"by {found['when']}") or not _acts(found["who"], found["what"], limit=found["limit"]):
        return None
    when = _date_part(found["when"])
    rest = found.string[found.start("when") :].partition(when)[2].strip(" .!")
    about = (found["lead"] or "").strip()
    topic = f"{about} " if about.endswith(":") and not TO_DO.match(about) else ""
    what = _alone(DUTY.sub("", found["what"].strip()))
    return StatedTask(f"{topic}{what}", found["who"], when, not rest)


def _undated(plain: str, text: str) -> StatedTask | None:
    """Who does what, without a day."""
    undated = UNDATED.match(plain)
    if undated and not amounts(undated["what"]) and _does(undated["who"], undated["what"], aux=bool(undated["aux"])):
        what = _alone(undated["what"])
        return StatedTask(what, undated["who"], "", what == undated["what"])
    action = ACTION.match(text)
    if action:
        days, what = dates(action["what"]), action["what"].strip(" .!")
        when = days[0].text if days else ""
        return StatedTask(re.sub(rf"\s{BY}\s{re.escape(when)}$", "", what) if when else what, action["who"], when, True)
    return None


def _acts(who: str, what: str, *, limit: str) -> bool:
    """Whether somebody does something: a verb of doing, one of themselves about to, or a verb of any kind by a day."""
    deed = DUTY.sub("", what)
    first = WORD.match(deed)
    if first is None or NOT_A_TASK.match(deed) or who.casefold() in _starters():
        return False
    if stem(first.group()) in stems("does") or first.group() in data()["does_abroad"] or DUTY.match(what):
        return True
    word = first.group().casefold()
    present = word.endswith("s") and not word.endswith("ss") and stem(word) not in stems("happens")
    return present and limit.casefold() in DEADLINE and who[:1].isupper() and len(who) > 1


def _does(who: str, what: str, *, aux: bool) -> bool:
    """Whether somebody does something, no day named: only a verb of doing in the form that fits the person."""
    verb = what.partition(" ")[0].casefold()
    fits = aux or verb.endswith("s") or " and " in who
    known = fits and stem(verb) in stems("does") and stem(verb) not in stems("happens") or verb in data()["does_abroad"]
    return known and who.casefold() not in _starters() and not NOT_A_TASK.match(what)


def _alone(what: str) -> str:
    """The deed without a clause that only says more of it: `the invitations, they have to be out`."""
    return MORE_OF_IT.split(what, maxsplit=1)[0].strip()


DEADLINE = frozenset({"by", "until", "before", "till", "bis", "antes de", "antes del"})
DUTY = re.compile(r"^(?:will|'ll|has to|have to|must|should|shall|is to|is going to|to)\s", re.IGNORECASE)


def _date_part(text: str) -> str:
    """The date alone, without what follows it."""
    days = dates(f"by {text}")
    if days:
        return f"by {text}"[3 : days[0].at + len(days[0].text)].strip()
    vague = VAGUE.search(f"by {text}")
    return f"by {text}"[3 : vague.end()].strip() if vague else text.strip()


@lru_cache
def _starters() -> frozenset[str]:
    return frozenset(word.casefold() for word in data()["starters"])
