"""Verdicts in words: ready to approve, needs revision, and what a negation or a condition makes of them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal

Opinion = Literal["refused", "approved"]
REFUSAL = re.compile(
    r"\b(?:(?:needs?|needed|requires?|required|demands?|warrants?|calls? for)\s+(?:\w+\s+){0,3}?"
    r"(?:revisions?|revising|rework(?:ing)?|changes|work|another (?:round|pass)"
    r"|to be (?:revised|reworked|redone|rewritten))"
    r"|(?:must|should|has to|have to|ought to)\s+(?:\w+\s+)?be\s+(?:\w+\s+)?"
    r"(?:revised|reworked|redone|rewritten|rejected)"
    r"|please (?:revise|rework|redo)"
    r"|revise (?:and|then) (?:resubmit|re-?audit)|(?:changes|revisions?) (?:are |is )?(?:requested|required|needed)"
    r"|request(?:ing|s)? changes|send (?:it|this|the plan) back|no-go|unready"
    r"|(?:plan|it|this) is (?:rejected|refused|unacceptable)|i (?:must |have to )?reject|reject (?:this|the) plan"
    r"|block(?:s|ed|ing) approval|(?:there (?:is|are)|has|have|found|contains?|remain(?:s|ing)?)\s+"
    r"(?:(?!no\b|not\b|zero\b|without\b)\w+\s+){0,3}?blocking (?:issues?|concerns?|problems?|findings?))\b"
)
APPROVAL = re.compile(
    r"\b(?:ready (?:to (?:be )?(?:approved?|implement(?:ed)?|ship(?:ped)?|merged?)|for (?:approval|implementation))"
    r"|i(?: would| can| do)? approve|approve (?:this|the) plan|approve it|lgtm|ship it|good to go"
    r"|(?:plan|it|this) (?:is|can be|may be|should be) approved|(?:plan|everything|it all) looks good"
    r"|pass(?:es)? (?:the |this )?audit|no (?:\w+ )?blocking (?:issues?|concerns?|problems?|findings?))\b"
)
NEVER_READY = re.compile(
    r"(?:\b(?:not|never|hardly|cannot|far from)\b|n't\b)[^.,;:!?\n]{0,40}\b(?:ready|acceptable|approved?)\b"
)
HINT = re.compile(
    r"approv|revis|rework|redo|rewrit|reject|refus|ready|blocking|verdict|decision|conclusion|recommendation"
    r"|changes|another|work|lgtm|ship|good|send|no-go|acceptable|pass|fail|audit"
)
LABEL = re.compile(r"\b(?:verdict|decision|conclusion|recommendation)[ \t]*[:=—–-]+[ \t]*(?P<told>[^\n]{1,120})")
ALONE = re.compile(
    r"^[^\w\n]*(?P<told>approved?(?: with (?:minor )?(?:comments|suggestions|notes|remarks|findings))?"
    r"|lgtm|pass(?:ed)?|ship it|reject(?:ed)?|fail(?:ed)?)[^\w\n]*$",
    re.M,
)
YES = re.compile(
    r"(?:approved?|accepted|pass(?:ed|es)?|go|lgtm|ready|ok(?:ay)?|clean|ship it)"
    r"(?=\s*(?:$|[.,;:!(\[—–✅]|-\s)|\s+(?:with|as|this|once|if|when|until|provided|after|subject|pending)\b)"
)
FAVOUR = re.compile(r"\b(?:approved?|accept(?:ed)?|pass(?:ed)?|ready|go|ship)\b")
NO = re.compile(
    r"(?:reject(?:ed)?|fail(?:ed|s)?|no[- ]go|revis(?:e|ion)|refused?|denied|blocked|unready|disapproved?|unapproved)\b"
)
NEGATION = re.compile(
    r"\b(?:not(?! only\b)|no(?! doubt\b)|never|cannot|cant|hardly|barely|scarcely|neither|nor|nothing|nobody|none"
    r"|without|far from|anything but|yet to|unable|fails? to|refused?|unlikely)\b|n't\b"
)
DIRECTLY_NEGATED = re.compile(r"(?:(?:\b(?:not|never)|n't)\s+(?:\w+\s+){0,2}|\b(?:no|nothing)\s+(?:\w+\s+)?)$")
INSERTED = re.compile(r"\b(?:not|never)\s*,[^,.]*,\s*(?:\w+\s+)?$")
"""It is not, in my view, ready."""
CONDITION = re.compile(
    r"\b(?:once|if|when|unless|until|till|provided|assuming|as soon as|subject to|pending|almost|nearly"
    r"|would be|could be|after (?:\w+ing|the|these|those|this|that))\b"
)
CLAUSE = re.compile(r"[,;:()]|\s[-–—]\s|\b(?:and|but|so|because|hence|therefore|however|although|though)\b")
END = re.compile(r"[.!?](?=\s|$)|[\n;]")
BARE = str.maketrans("", "", "*_`")
REACH = 300
"""How far a sentence is looked at on both sides of a phrase."""


def opinion(text: str) -> Opinion | None:
    """What the phrases of a text amount to; one refusal outweighs every approval. None when there is none."""
    plain = text.replace("’", "'").translate(BARE).lower()
    if not HINT.search(plain):
        return None
    found: set[Opinion] = set()
    for one in _opinions(plain):
        if one == "refused":
            return one
        found.add(one)
    return "approved" if found else None


def _opinions(text: str) -> Iterator[Opinion]:
    for phrase in _stated(REFUSAL, text):
        yield "approved" if DIRECTLY_NEGATED.search(_before(text, phrase.start())) else "refused"
    for _ in _stated(NEVER_READY, text):
        yield "refused"
    for phrase in _stated(APPROVAL, text):
        yield _approval(_before(text, phrase.start()), _after(text, phrase.end()))
    for label in LABEL.finditer(text):
        yield from _labelled(re.sub(r"^[^\w]+", "", label["told"]).strip())
    for alone in ALONE.finditer(text):
        yield "refused" if NO.match(alone["told"]) else "approved"


def _stated(pattern: re.Pattern[str], text: str) -> Iterator[re.Match[str]]:
    """The phrases that no question asks."""
    return (phrase for phrase in pattern.finditer(text) if not _is_question(text, phrase.end()))


def _labelled(told: str) -> Iterator[Opinion]:
    """What stands behind `Verdict:`."""
    if NO.match(told) or (NEGATION.match(told) and FAVOUR.search(told)):
        yield "refused"
    elif YES.match(told):
        yield "refused" if CONDITION.search(told) or NEGATION.search(told) else "approved"


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
