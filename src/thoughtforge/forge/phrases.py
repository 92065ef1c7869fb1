"""Verdicts in words: ready to approve, needs revision, and what a negation or a condition makes of them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal

Opinion = Literal["refused", "approved"]
REFUSAL = re.compile(
    r"\b(?:needs?|needed|requires?|required|demands?|warrants?|calls? for)\s+(?:\w+\s+){0,3}?"
    r"(?:revisions?|revising|rework(?:ing)?|changes|work|another (?:round|pass)|to be (?:revised|reworked|redone|rewritten))\b"
    r"|\b(?:must|should|has to|have to|ought to)\s+(?:\w+\s+)?be\s+(?:\w+\s+)?(?:revised|reworked|redone|rewritten|rejected)\b"
    r"|\b(?:revise (?:and|then) (?:resubmit|re-?audit)|(?:changes|revisions?) (?:are |is )?(?:requested|required|needed)"
    r"|request(?:ing|s)? changes|send (?:it|this|the plan) back|no-go|(?:plan|it|this) is (?:rejected|refused|unacceptable)"
    r"|i (?:must |have to )?reject|reject (?:this|the) plan|unready|block(?:s|ed|ing) (?:approval|issues?|concerns?|problems?"
    r"|findings?))\b",
    re.IGNORECASE,
)
APPROVAL = re.compile(
    r"\bready (?:to (?:be )?(?:approved?|implement(?:ed)?|ship(?:ped)?|merged?)|for (?:approval|implementation))\b"
    r"|\b(?:i(?: would| can| do)? approve|approve (?:this|the) plan|approve it|(?:plan|it|this) (?:is|can be|may be|should be) approved"
    r"|good to go|lgtm|ship it|(?:plan|everything|it all) looks good|pass(?:es)? (?:the |this )?audit)\b",
    re.IGNORECASE,
)
NEVER_READY = re.compile(
    r"(?:\b(?:not|never|hardly|cannot|far from)\b|n't\b)[^.,;:!?\n]{0,40}\b(?:ready|acceptable|approved?)\b",
    re.IGNORECASE,
)
LABEL = re.compile(
    r"\b(?:verdict|decision|conclusion|recommendation)[ \t]*[:=—–-]+[ \t]*(?P<told>[^\n]{1,120})", re.IGNORECASE
)
ALONE = re.compile(
    r"^[^\w\n]*(?P<told>approved?|lgtm|pass(?:ed)?|ship it|reject(?:ed)?|fail(?:ed)?)[^\w\n]*$", re.IGNORECASE | re.M
)
YES = re.compile(
    r"(?:approved?|accepted|pass(?:ed|es)?|go|lgtm|ready|ok(?:ay)?|clean|ship it)(?=\s*(?:$|[.,;:!(\[—–✅]|-\s|with\b|as\b|this\b))",
    re.IGNORECASE,
)
NO = re.compile(
    r"(?:reject(?:ed)?|fail(?:ed|s)?|no[- ]go|revis(?:e|ion)|refused?|denied|blocked|unready|disapproved?|unapproved)\b",
    re.IGNORECASE,
)
NEGATION = re.compile(
    r"\b(?:not(?! only\b)|no(?! doubt\b)|never|cannot|cant|hardly|barely|scarcely|neither|nor|nothing|nobody|none|without"
    r"|far from|anything but|yet to|unable|fails? to|refused?|unlikely)\b|n't\b",
    re.IGNORECASE,
)
DIRECTLY_NEGATED = re.compile(
    r"(?:\b(?:not|no|never|nothing|nor|neither|without)|n't)\s+(?:\w+\s+){0,2}$", re.IGNORECASE
)
INSERTED = re.compile(r"\b(?:not|never)\s*,[^,.]*,\s*(?:\w+\s+)?$", re.IGNORECASE)
"""It is not, in my view, ready."""
CONDITION = re.compile(
    r"\b(?:once|if|when|unless|until|till|provided|assuming|as soon as|subject to|pending|almost|nearly|would be|could be"
    r"|after (?:\w+ing|the|these|those|this|that))\b",
    re.IGNORECASE,
)
CLAUSE = re.compile(
    r"[,;:()]|\s[-–—]\s|\b(?:and|but|so|because|hence|therefore|however|although|though)\b", re.IGNORECASE
)
END = re.compile(r"[.!?](?=\s|$)|[\n;]")
REACH = 300
"""How far a sentence is looked at on both sides of a phrase."""


def opinion(text: str) -> Opinion | None:
    """What the phrases of a text amount to; one refusal outweighs every approval. None when there is none."""
    plain = re.sub(r"[*_`]", "", text.replace("’", "'"))
    found: set[Opinion] = set()
    for one in _opinions(plain):
        if one == "refused":
            return one
        found.add(one)
    return "approved" if found else None


def _opinions(text: str) -> Iterator[Opinion]:
    for phrase in REFUSAL.finditer(text):
        if not _is_question(text, phrase.end()):
            yield "approved" if DIRECTLY_NEGATED.search(_before(text, phrase.start())) else "refused"
    for phrase in NEVER_READY.finditer(text):
        if not _is_question(text, phrase.end()):
            yield "refused"
    for phrase in APPROVAL.finditer(text):
        if not _is_question(text, phrase.end()):
            yield _approval(_before(text, phrase.start()), _after(text, phrase.end()))
    for label in LABEL.finditer(text):
        told = label["told"].strip()
        if NO.match(told) or (NEGATION.match(told) and not DIRECTLY_NEGATED.match(told)):
            yield "refused"
        elif YES.match(told):
            yield "refused" if CONDITION.search(told) or NEGATION.search(told) else "approved"
    for alone in ALONE.finditer(text):
        yield "refused" if NO.match(alone["told"]) else "approved"


def _approval(before: str, after: str) -> Opinion:
    clause = CLAUSE.split(before)[-1]
    if NEGATION.search(clause) or INSERTED.search(before) or CONDITION.search(before) or CONDITION.search(after):
        return "refused"
    return "approved"


def _before(text: str, at: int) -> str:
    """What stands before a place in its sentence."""
    near = text[max(0, at - REACH) : at]
    ends = [found.end() for found in END.finditer(near)]
    return near[ends[-1] if ends else 0 :]


def _after(text: str, at: int) -> str:
    near = text[at : at + REACH]
    found = END.search(near)
    return near[: found.start()] if found else near


def _is_question(text: str, at: int) -> bool:
    found = END.search(text, at, at + REACH)
    return found is not None and found.group() == "?"
