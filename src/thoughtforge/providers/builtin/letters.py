"""What a note has around its content: the head, greeting, closing and signature of a letter, and words like `help`."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

MAIL = re.compile(r"^\s*(?:from|to|cc|bcc|sent|date|reply-to)\s*:\s*\S", re.IGNORECASE)
GREETING = re.compile(
    r"^\W*(?:(?:hi|hello|hey|dear|good (?:morning|afternoon|evening)|hallo|hola)\b[^.!?:;]{0,40}[,!.]?"
    r"|[^\W\d_][\w-]{1,20},)\s*$",
    re.IGNORECASE,
)
CLOSING_WORD = re.compile(
    r"^\W*(?:(?:many |best |kind |warm )*(?:thanks|thank you|cheers|regards|wishes|best|yours(?: sincerely"
    r"| truly)?|sincerely|love)"
    r"(?: (?:in advance|and regards|everyone|all))?)[,.!]*(?:\s+[^\W\d_][\w-]*)?\s*$",
    re.IGNORECASE,
)
DASHES = re.compile(r"^--\s*$")
DEVICE = re.compile(r"^\W*sent from my \w+", re.IGNORECASE)
WROTE = re.compile(
    r"^\W*(?:on\s.{3,80},\s*(?:at\s.{3,12},?\s*)?)?(?P<who>[^\d,:<>]{2,40}?)\s(?:<\S+>\s)?wrote:\s*$", re.IGNORECASE
)
"""The line before a quoted mail."""
WRITERS = re.compile(r"^\W*(?:from|to|cc|reply-to)\s*:\s*(?P<who>.+)$", re.IGNORECASE)
NAME = re.compile(r"(?<![\w@.-])[A-Z][\w'’-]+(?![\w@]|\.\w)")
INITIAL = re.compile(r"^\W*[A-Z]\.?\W*$")
SIGNATURE = 8
"""The most lines a signature has below its closing word."""
LONGEST_SIGNED = 60


def letter_parts(lines: Sequence[str], begins: Callable[[str], bool]) -> frozenset[int]:
    """The lines of a letter that are no content: its head, greeting, closing, signature, and a word like `help`.

    `begins` tells a line that begins something of its own.
    """
    filled = [at for at, line in enumerate(lines) if line.strip()]
    if not filled:
        return frozenset()
    heads = (MAIL, DEVICE, SUBJECT, NO_CONTENT, WROTE)
    found = {at for at in filled if any(each.match(lines[at]) for each in heads)} | _signed(lines, filled)
    top = [at for at in filled if at not in found]
    if top and len(top) > 1 and GREETING.match(lines[top[0]]):
        found.add(top[0])
    for at in filled:
        below = [line for line in filled if line > at]
        signed = len(below) <= SIGNATURE and all(len(lines[line]) <= LONGEST_SIGNED for line in below)
        plain = signed and not any(begins(lines[line]) and not DASHES.match(lines[line]) for line in below)
        if at > filled[0] and (DASHES.match(lines[at]) and below or (plain and CLOSING_WORD.match(lines[at]))):
            return frozenset(found | {at, *below})
    return frozenset(found)


def _signed(lines: Sequence[str], filled: Sequence[int]) -> set[int]:
    """The lines that are nothing but the name of somebody a mail is from or to, or an initial; only in mails."""
    told = [found["who"] for at in filled for each in (WRITERS, WROTE) if (found := each.match(lines[at]))]
    names = {name for who in told for name in NAME.findall(who)}
    if not names:
        return set()
    each = (INITIAL, GREETING, CLOSING_WORD)
    return {at for at in filled if any(one.match(lines[at]) for one in each) or _is_name(lines[at], names)}


def _is_name(line: str, names: set[str]) -> bool:
    words = re.findall(r"[\w'’-]+", line)
    return bool(words) and all(word in names for word in words)


SUBJECT = re.compile(r"^\s*(?:subject|betreff|asunto)\s*:\s*(?:(?:re|fwd?|aw|wg)\s*:\s*)*(\S.*)$", re.IGNORECASE)
NO_CONTENT = re.compile(
    r"^\W*/?(?:(?:please )?help(?: me)?(?: please)?|ok(?:ay)?|thanks?(?: you)?|thx|fine|good|great|perfect"
    r"|looks? good|go on|continue|confirm|quit|exit|done|hello|hi)\W*$",
    re.IGNORECASE,
)
"""A message, line or sentence that only asks for help, greets, thanks or agrees."""
