"""What a correction takes out of the statements before it: the whole sentence, or only its part."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from thoughtforge.providers.builtin.facts import dates, figures, stem, subject
from thoughtforge.providers.builtin.sentences import cue
from thoughtforge.providers.builtin.sorting import WISH

OBJECT = re.compile(
    r"^\W*(?:the |that |our |my |a |an |any |idea (?:with|of|about) |all )*([^,.;:!?()–—]{2,60}?)"
    r"(?=\s+(?:because|since|as|for now|so|then|that|which|we|i|it|is|this time|this year|after all|any ?more|too"
    r"|please|and)\b|[,.;:!?()–—]|\s-\s|$)",
    re.IGNORECASE,
)
OFF = re.compile(
    r"^\W*(?:the |our |my |all )*(?P<thing>[^,.;:!?]{2,40}?)\s+(?:(?:is|are|gets?|has been|have been|was|were)\s+"
    r"(?:now\s+|all\s+)?(?:off|out|cancell?ed|dropped|scrapped|called off|not happening|no longer (?:needed|wanted)"
    r"|not needed(?: any ?more)?|gone)|(?:can|may) go|falls through|fell through"
    r"|is not going to happen)(?=\s*[,.;:!(–—]|\s*$"
    r"|\s+(?:after all|because|now)\b)",
    re.IGNORECASE,
)
AFTER_ALL = re.compile(r"^\W*no (?P<thing>[^,.;:!?]{2,40}?)\s+(?:after all|any ?more)\b", re.IGNORECASE)
FIRST = re.compile(
    r"^\W*(?:instead of|rather than|in place of) (?:the |our |my |a |an )?(?P<old>[^,.;:!?]{2,50}?)\s*"
    r"(?:,|(?=\s(?:we|i|there|let['’]?s|they|she|he)\b))\s*(?P<new>\S.*)$",
    re.IGNORECASE,
)
LAST = re.compile(
    r"^(?P<new>.*?\S),?\s+(?:instead of|rather than|in place of) (?:the |our |my |a "
    r"|an )?(?P<old>[^,.;:!?]{2,50})(?P<end>[.!]?)$",
    re.IGNORECASE,
)
SWAP = re.compile(
    r"^\W*(?:we |i |let['’]?s )?(?:replace|swap|exchange|substitute) (?:the |our |my )?(?P<old>[^,.;:!?]{2,50}?)"
    r"\s+(?:with|by|for)\s+(?P<new>\S.*)$",
    re.IGNORECASE,
)
BESIDE = (
    r"\b(?:near|next to|beside|behind|after|before|than|like|at|during|opposite|from|under|to|in|around|between"
    r"|on|about)\s+(?:the |our |a |an |my )?(?:\w+\s)?"
)
PARTS = re.compile(r"(\s*,(?!\d)\s*(?:and |or )?|\s+(?:and|or|plus|with|including)\s+)", re.IGNORECASE)
DANGLING = re.compile(r"[\s,]+(?:(?:perhaps|maybe|possibly|probably|and|or|with|plus)[\s,]*)+$", re.IGNORECASE)
"""Words that must not be the last ones when what followed them is gone."""


class TakenThing(NamedTuple):
    """What a sentence takes out, and what is left of the sentence."""

    words: frozenset[str]
    head: str
    """The last word as it was written: the thing itself."""
    days: frozenset[tuple[object, ...]]
    """The dates it names: only what names them too is meant."""
    instead: str
    """What stands in its place; empty when nothing does."""


def taken_out(text: str) -> TakenThing | None:
    """The thing a sentence takes out; `text` is without the words that announce a correction."""
    for pattern in (FIRST, LAST, SWAP):
        found = pattern.match(text)
        if found:
            return _thing(found["old"], f"{found['new']}{found.groupdict().get('end') or ''}")
    begins = cue("taken_out").match(text.lstrip())
    if begins:
        rest = OBJECT.match(text.lstrip()[begins.end() :])
        return _thing(rest.group(1)) if rest else None
    off = OFF.match(text) or AFTER_ALL.match(text)
    return _thing(off["thing"]) if off else None


def _thing(named: str, instead: str = "") -> TakenThing | None:
    words = re.findall(r"\w{3,}", named)
    about = subject(named)
    days = frozenset(when.key for when in dates(named))
    return TakenThing(about, words[-1] if words else "", days, instead) if about else None


def without(text: str, thing: TakenThing) -> str | None:
    """The sentence without the thing; empty when nothing is left, None when the sentence is not about it."""
    if not thing.words <= subject(text) or not thing.days <= {when.key for when in dates(text)}:
        return None
    parts = PARTS.split(text)
    pieces, joints = parts[::2], ["", *parts[1::2]]
    named = [at for at, piece in enumerate(pieces) if thing.words <= _words(piece)]
    left = [at for at in range(len(pieces)) if at not in named and subject(pieces[at])]
    alone = bool(thing.instead) and len(subject(text) - thing.words) <= 1
    if not named or (_beside(text, thing) and not alone):
        return None
    for at in named:
        if at + 1 < len(pieces) and joints[at].strip().casefold() in ("with", "including"):
            joints[at + 1] = joints[at]
    if not left:
        return ""
    if 0 not in named:
        return _joined(text, [(joints[at], pieces[at]) for at in range(len(pieces)) if at not in named])
    return _without_first(text, [(joints[at], pieces[at]) for at in left], first=pieces[0], thing=thing)


def _without_first(text: str, left: list[tuple[str, str]], *, first: str, thing: TakenThing) -> str | None:
    """A sentence whose first part names the thing: a wish goes on with its second thing, a list of facts too."""
    wish = WISH.match(first)
    if wish:
        extra = subject(first[wish.end() :]) - thing.words
        lead = first[: wish.end()].rstrip()
        return "" if len(extra) > 1 else _joined(text, [("", f"{lead} {left[0][1]}"), *left[1:]])
    if figures(first) and any(figures(piece) for _, piece in left) and left[0][0].lstrip().startswith(","):
        return _joined(text, [("", left[0][1]), *left[1:]])
    joined_things = left[0][0].strip().casefold() in ("and", "or", "plus") and len(subject(first) - thing.words) == 0
    return None if joined_things else ""


def _joined(text: str, parts: list[tuple[str, str]]) -> str:
    end = text.rstrip()[-1:]
    found = "".join([parts[0][1], *(f"{joint}{piece}" for joint, piece in parts[1:])]).strip()
    found = DANGLING.sub("", found)
    return found if found[-1:] == end or end.isalnum() else f"{found}{end}"


def _beside(text: str, thing: TakenThing) -> bool:
    """Whether the thing only says where or when something else is."""
    return re.search(rf"{BESIDE}{re.escape(thing.head)}", text, re.IGNORECASE) is not None


@lru_cache(maxsize=2_000)
def _words(part: str) -> frozenset[str]:
    return frozenset(stem(word) for word in re.findall(r"[\w'’]{3,}", part))
