"""Plan or code, which kind of plan, which language: read off single words, which are named as the reason."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from thoughtforge.providers.builtin.sentences import CHANGED, FOR_CODE, FOR_PLAN, NO_SIGNS, Piece, cue, cues

TO_CODE = re.compile(
    r"^\W*(?:change (?:it )?to |make it |it is |it's |type:?\s*|deliverable type:?\s*)?(?:an? |the )?(?:code"
    r"|software|app|program)\W*$",
    re.IGNORECASE,
)
TO_PLAN = re.compile(
    r"^\W*(?:change (?:it )?to |make it |it is |it's |keep |type:?\s*|deliverable type:?\s*)?(?:an? "
    r"|the )?(?:plan|document)\W*$",
    re.IGNORECASE,
)
SHOWN = 5
FEW = 2
HEAD_ENDS = re.compile(
    r"\s(?:for|of|about|that|which|who|with|in|on|using|based|written|so|to|from|where|by|until|um|für|para"
    r"|que)\s|[,;:(.]",
    re.IGNORECASE,
)
"""Where the name of a thing ends and what is said about it begins."""


class Kind(NamedTuple):
    """Plan or code, why, and whether the notes leave it open."""

    name: str
    reason: str
    open: bool


def deliverable(texts: Sequence[str], wanted: Sequence[str] = ()) -> Kind:
    """What is wanted by name decides; signs of both, or one in passing, make a plan with a question.

    `wanted` are the things asked for: the title and what stands behind the words of wishing.
    """
    for text in reversed(texts):
        for name, pattern in (("code", TO_CODE), ("plan", TO_PLAN)):
            if pattern.match(text):
                return Kind(name, f"{CHANGED} {' '.join(text.split())}", False)
    code, plan = signs(cue("code"), texts), signs(cue("plan"), texts)
    heads = [_head(text) for text in wanted]
    documents, software = signs(cue("document"), heads), signs(cue("software"), heads)
    if documents and not software:
        return Kind("plan", f"{FOR_PLAN} {', '.join(documents)}.", False)
    if software and not documents:
        return Kind("code", f"{FOR_CODE} {', '.join(dict.fromkeys([*software, *code]))}.", False)
    if code and (plan or documents):
        return Kind("plan", f"{FOR_PLAN} {', '.join(plan or documents)}. {FOR_CODE} {', '.join(code)}.", True)
    if code:
        sure = len(code) >= FEW or not wanted
        return Kind("code" if sure else "plan", f"{FOR_CODE} {', '.join(code)}.", not sure)
    return Kind("plan", f"{FOR_PLAN} {', '.join(plan)}." if plan else NO_SIGNS, False)


def firm_name(wanted: Sequence[str]) -> str:
    """The type that the things asked for name."""
    heads = [_head(text) for text in wanted]
    documents, software = signs(cue("document"), heads), signs(cue("software"), heads)
    return "plan" if documents and not software else "code" if software and not documents else ""


def code_signs(texts: Sequence[str]) -> list[str]:
    """The words that speak for code."""
    return signs(cue("code"), texts) or signs(cue("software"), texts)


def _head(text: str) -> str:
    """The name of a thing without what is said about it."""
    return HEAD_ENDS.split(f"{text.strip()} ", maxsplit=1)[0]


def signs(pattern: re.Pattern[str], texts: Sequence[str]) -> list[str]:
    """The words found, as the person wrote them, each once."""
    found = {word.casefold(): word for text in texts for word in pattern.findall(text)}
    return list(found.values())[:SHOWN]


def plan_kind(texts: Sequence[str], known: Sequence[str]) -> str:
    """The kind whose words occur most; a single word counts in the title and the first sentence only."""
    counts = {name: sum(len(pattern.findall(text)) for text in texts) for name, pattern in cues("kinds").items()}
    named = {name for name, pattern in cues("kinds").items() if any(pattern.search(text) for text in texts[:FEW])}
    possible = {
        name: count + (name in named)
        for name, count in counts.items()
        if (count >= FEW or name in named) and (not known or name in known)
    }
    return max(possible, key=lambda name: possible[name]) if possible else "generic"


def language(texts: Sequence[str]) -> str | None:
    """The programming language the person named first in our list; None when they named none."""
    return next(
        (name for name, pattern in cues("languages").items() if any(pattern.search(text) for text in texts)), None
    )


CONTEXT = "context"
URL = re.compile(r"(?<!\w)\w{1,20}://\S+")
LABELLED = re.compile(r"^\W*([^\W\d][^:.?!]{0,40}):\s*\S")
MOST_LABEL_WORDS = 3
ORDER = (
    ("unknowns", "unknown"),
    ("constraints", "must"),
    ("assumptions", "assumption"),
    ("constraints", "limit"),
    ("constraints", "money"),
    ("objective", "objective"),
)
"""List of the intent, cue: the first that is found decides. What is doubtful is never sold as settled."""
ADVERB = r"(?:really |just |only |also |still |now |definitely |basically |all |both |gerne? |finally |desperately )*"
WISH = re.compile(
    r"(?:(?:^|(?<=[.:;,(]))\W{0,9}(?:(?:so|ok|okay|well|hi|basically|also|and|but|then|und|pues|y)\W{1,9}){0,3}"
    r"|\b(?=(?:i|we)\b))"
    rf"(?:(?:i|we)(?:\s+would|['’]d)\s+{ADVERB}(?:like|love|prefer)(?!\w)|(?:what\s+)?(?:i|we)(?:\s+(?:would|do)"
    rf"|['’](?:d|m|re|ve))?\s+{ADVERB}"
    r"(?:(?:was |am |were |are |been )?thinking (?:about|of)(?=\s+(?:an?\b|the\b|[a-z]+ing\b|our\b))"
    r"|want(?! nothing)(?:ed)?(?:\s+is)?|need(?!s? to (?:decide|figure|find out))(?:ed)?(?:\s+is)?"
    r"|love(?=\s+(?:to|an?))|wish(?: for)?|hope"
    r"|(?:am |are )?planning(?: on)?|plan(?=\s+(?:to|an?|on)\b)|intend|aim|(?:am |are )?looking (?:for|to)|(?:am "
    r"|are )?trying(?=\s+to)|dream(?:ing)? of)(?!\w)"
    r"|(?:want|need(?!s? to (?:decide|figure|find out))|would like|would love|looking for|wanted|hoping|planning"
    r"|trying)(?=\s)"
    r"|(?:my |our |the )?(?:main |overall )?(?:goal|aim|objective|idea|point|plan|wish"
    r"|dream)(?: for [^.:]{1,30})?\s*(?::|is(?: that)?\b)"
    r"|(?:ich|wir|yo|nosotros)?\s?(?:möchten?|wollen|brauchen?|quiero|queremos|necesit\w+)\b)",
    re.IGNORECASE,
)
"""Somebody wants or needs something: the sentence is an objective even when it names a limit."""
DUTY = re.compile(
    r"^\W{0,9}(?:(?:so|ok|okay|well|and|but|also|now)\W{1,5}){0,2}(?:(?:i|we|all of us|(?:the )?\w+ of us"
    r"|my [\w'’]+ and i|our \w+)(?:['’]ve)?)\s(?:have got to|have to|need to|got to|has to|must|should)\s+"
    r"(?:find|build|create|make|design|organi[sz]e|plan|write|set up|draft|prepare|develop|start|open"
    r"|renovate|renew|replace|rebuild|restore|run|hold|host"
    r"|launch|found|publish|produce|put together|put on|come up with|deliver|introduce|establish)\s+(?:up\s+)?"
    r"(?:an?|our|my|the|this|some|one|two)\b",
    re.IGNORECASE,
)
"""Somebody has to bring something about: that is what the note is for, whatever it says of having to."""
HAS_TO = re.compile(
    r"^\W{0,9}(?:(?:so|ok|okay|well|and|but|also|now)\W{1,5}){0,2}(?:(?:i|we|all of us|(?:the )?\w+ of us"
    r"|my [\w'’]+ and i|our \w+)(?:['’]ve)?)\s"
    r"(?:(?:have|need|got|has) (?:got )?to|must|should|are going to|will)\s+"
    r"(?!be\b|have\b|not\b|know\b|pay\b|ask\b)(?=[a-z]{3,})",
    re.IGNORECASE,
)
"""What somebody has to do, when nobody says what they want."""
TO_FIND_OUT = re.compile(
    r"^\W*(?:(?:and|so|but|also|please|ok)\W{1,5}){0,2}(?:(?:can|could|would|will|should) (?:you|someone"
    r"|somebody|anyone|anybody|one of us|[A-Z]\w+) "
    r"(?:please |maybe |perhaps |kindly )?|please |(?:someone|somebody|anyone) (?:should|must|has to"
    r"|needs to|could|can|please) "
    r"|(?:i|we)(?:['’]d| would)? (?:also )?(?:like|love|need|want) to (?=know|be told|hear|understand)"
    r"|(?:i|we) wonder(?=\s)|(?:i['’]m|we['’]re) wondering(?=\s)"
    r"|(?:does|do) (?:anyone|anybody|somebody|someone|you) (?=know))"
    r"(?:\w+ )?(?:(?:find out|look up|look into|check|ask(?: \w+){0,3}?|tell (?:me|us)|say|explain"
    r"|clarify|verify|confirm|figure out|see|know|hear"
    r"|be told|understand|find|test|enquire|inquire)(?: for (?:me|us))?,?\s+)?(?:if|whether|who|whom"
    r"|whose|what|when|where|why|how|which)\b",
    re.IGNORECASE,
)
"""Somebody is to find something out: that is a question, whatever mark it ends with."""
OTHERS = re.compile(
    r"^\W{0,9}(?:(?:the|my|our|das|mein|unser|el|la|mi)\s)?(?:[\w'’-]+\s){1,4}?(?:really |just |also )?(?:wants?"
    r"|needs?|would like|would love|hopes? to|quiere)\s(?!\W?\d)",
    re.IGNORECASE,
)
"""The same said of others; who wants so many euros names a price."""
INDEFINITE = re.compile(r"^\W*an?\s", re.IGNORECASE)
"""A sentence that begins so names the thing that is wanted."""
NOT_WISHED = re.compile(
    r"\b(?:(?:nobody|no one|not|never|don['’]?t|doesn['’]?t|didn['’]?t)\s(?:\w+\s)?(?:wants?|needs?)|no need)\b",
    re.IGNORECASE,
)
WOULD_NEED = re.compile(r"\b(?:would|might|could|may|does|do|will)(?: not|n['’]t)? need\b|['’]ll need\b", re.IGNORECASE)
REQUEST = re.compile(
    r"(?:^|(?<=[.,:;]\s))\W{0,9}(?:(?:so|ok|and|but|also)\W{1,5})?(?:(?:can|could|would|will) (?:you|someone"
    r"|somebody|anybody|anyone)(?! (?:tell|say|explain|imagine))"
    r"(?: please| maybe| perhaps)?(?: help(?: (?:me|us))?(?: to)?)?|please|(?:help|helps) (?:me|us)(?: to)?"
    r"|let['’]?s)(?=\s)",
    re.IGNORECASE,
)
"""A polite request is a wish, whatever mark it ends with."""
IMPERATIVE = re.compile(
    r"^\W*(?:build|create|make|design|organi[sz]e|plan|write|set up|draft|prepare|develop|find|start)\s+(?:an?"
    r"|the|our|my|some|me|us|one|two)\b",
    re.IGNORECASE,
)
ASKING = re.compile(
    r"^\W*(?:(?:and|but|so|or|also)\s+)?(?:who|what|when|where|why|how|which|whose|wer|was|wann|wo|warum|wieso"
    r"|wie|welche[rsnm]?"
    r"|qué|quién|cuándo|dónde|por qué|cómo|cuál(?:es)?|cuánt[oa]s?)\b",
    re.IGNORECASE,
)
INVERTED = re.compile(
    r"^\W*(?:(?:and|but|so|or|also)\s+)?(?:do|does|did|is|are|was|were|can|could|should|shall|will|would|may|has"
    r"|have|must)\s"
    r"(?:i|we|you|they|he|she|it|the|there|this|that|these|those|my|our|his|her|an?|any\w*|some\w*)\b",
    re.IGNORECASE,
)
QUESTION_MARKS = "?？"
AT_END = re.compile(r"(?<=[?？])\s*\([^()]*\)\W*$")
"""A remark in brackets behind a question."""
THROAT = re.compile(
    r"^\W*(?:(?:ok(?:ay)?|so|um+|uh+|er+|ah|oh|well|anyway|hm+|right|alright|hi|hello|hey|listen|look|lol|and|also|but|btw"
    r"|basically|you know|also gut|na gut)\b[\s,.:;!–—…-]*)+",
    re.IGNORECASE,
)
"""With what somebody begins to speak."""
FILLER = re.compile(
    r"^\W*(?:(?:where do i start|here goes|sorry for|lol|it['’]s late|(?:this is )?not (?:yet )?decided|more than good"
    r"|that would be (?:good|great|nice))\b[^?]{0,40}"
    r"|(?:(?:nobody|no one|who|god) knows|(?:i )?(?:have )?no (?:idea|clue)|(?:i )?(?:do not|don['’]?t) know"
    r"|not sure|keine ahnung|mal sehen|weiß nicht|ni idea)(?: yet| really| tbh| noch)?\W*)$",
    re.IGNORECASE,
)
ANNOUNCED = re.compile(r"^\W*(?:(?:now|about|re|regarding|next)\s)?(?:the|our|my)\s[\w-]+\s?[.:…]+\W*$", re.IGNORECASE)
"""A topic that is only announced: `the toilets.`"""
FEWEST_SAID = 3
"""Words that must follow a beginning for the sentence to say something."""


def is_filler(text: str) -> bool:
    """Whether a sentence says nothing: the person clears their throat."""
    if WISH.search(text) or "?" in text:
        return False
    begun = THROAT.match(text)
    rest = text[begun.end() :] if begun else text
    empty = begun and len(rest.split()) < FEWEST_SAID and not any(letter.isdigit() for letter in rest)
    return bool(empty) or FILLER.match(rest) is not None or ANNOUNCED.match(text) is not None


TAIL = re.compile(
    r"(?:[,;–—]|\s-)\s*(?:but |and |so |or |also |btw )?(?=(?:who|what|when|where|why|how|which|whose|do|does"
    r"|did|is|are|can|could|should|shall"
    r"|will|would|may|must|has|have)\s[^?]{3,160}\?\W*$)",
    re.IGNORECASE,
)
BRACKETED = re.compile(r"[(\[]\s*([^()\[\]]{4,160}\?)\s*[)\]]")
FEWEST_ASKED = 2


class StatedAndAsked(NamedTuple):
    """A sentence that states and asks at once."""

    stated: str
    asked: str


def split(text: str) -> StatedAndAsked | None:
    """What a sentence states, and the question at its end or in its brackets; None when it does only one of both."""
    for found in TAIL.finditer(text):
        stated = text[: found.start()].strip()
        if _by_cue(URL.sub(" ", stated)) and not ASKING.match(stated):
            return StatedAndAsked(stated, text[found.end() :].strip())
    inside = BRACKETED.search(text)
    if inside and len(inside.group(1).split()) > FEWEST_ASKED:
        stated = f"{text[: inside.start()].rstrip()}{text[inside.end() :]}"
        if any(letter.isalnum() for letter in stated):
            asked = ASKING.match(inside.group(1)) or INVERTED.match(inside.group(1))
            return StatedAndAsked(stated, inside.group(1) if asked else text)
    return None


def belongs(piece: Piece) -> str:
    """The list a piece goes into."""
    if piece.kind != "sentence":
        return CONTEXT
    text = URL.sub(" ", piece.text)  # the words inside an address say nothing
    label = LABELLED.match(text)
    said = _labelled(label.group(1)) if label else ""
    if said:
        return said
    if asks(text):
        return "open_questions"
    return _by_cue(text) or _labelled(piece.under) or CONTEXT


def asks(text: str) -> bool:
    """Whether a sentence is a question: by its mark, or by how it begins; a polite request is none."""
    bare = AT_END.sub("", text)
    marked = next((mark for mark in reversed(bare) if mark.isalnum() or mark in QUESTION_MARKS), "") in ("?", "？")
    if TO_FIND_OUT.match(text):
        return True
    if REQUEST.match(text):
        return False
    open_end = text.rstrip()[-1:].isalnum()
    return marked or bool(open_end and (ASKING.match(text) or INVERTED.match(text)))


def wishes(text: str) -> bool:
    """Whether a sentence begins with wanting or needing something, before any doubt or limit it may add."""
    found = WISH.search(text) or REQUEST.search(text) or IMPERATIVE.match(text) or DUTY.match(text)
    if not found or WONDERS.search(text):
        return False
    before = text[: found.start()]
    return not cue("unknown").search(before) and not cue("must").search(before)


WONDERS = re.compile(
    r"\b(?:(?:not|un)\s?(?:yet |quite )?(?:sure|clear|decided)|(?:do not|don['’]?t) know|no idea"
    r"|undecided|wondering|nobody knows|either\b.{1,80}\bor"
    r"|depends on)\b",
    re.IGNORECASE,
)
"""The wish itself is in question; a `maybe` behind it only doubts what follows."""


def _by_cue(text: str) -> str:
    doubtful, hard = cue("unknown").search(ABOUT_SO_MANY.sub(r"\1", text)), cue("must").search(text)
    if ABOUT_SO_MANY.search(text) and not doubtful and not hard and not wishes(text):
        return "assumptions"
    believed = cue("assumption").search(text)
    if not hard and not believed and not doubtful and NOT_WISHED.search(text):
        return "constraints"
    if DUTY.match(text) and not doubtful or _firm_wish(text, hard=hard):
        return "objective"
    firm = not hard and not doubtful and not believed and not WOULD_NEED.search(text)
    if firm and OTHERS.match(text) and cue("objective").search(text):
        return "objective"
    found = next((name for name, found in ORDER if cue(found).search(text)), "")
    return "" if found == "objective" and WOULD_NEED.search(text) else found


ABOUT_SO_MANY = re.compile(
    r"\b(?:maybe|perhaps|vielleicht|quizás?)\s((?:about |around |some )?[€$£]?\d)", re.IGNORECASE
)
"""A figure that is guessed is no question."""


def _firm_wish(text: str, *, hard: re.Match[str] | None) -> bool:
    """A wish, with what follows it in doubt or not; a limit in it is a limit."""
    return not hard and wishes(text)


def _labelled(label: str) -> str:
    """What a heading or a label says about what stands below or behind it; a long one must begin with the word."""
    long = len(label.split()) > MOST_LABEL_WORDS
    for name, pattern in cues("labels").items():
        found = pattern.search(label)
        if found and (not long or (found.start() == 0 and len(label.split()) <= 2 * MOST_LABEL_WORDS)):
            return name
    return ""
