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
    found = {at for at in filled if any(each.match(lines[at]) for each in (MAIL, DEVICE, SUBJECT, NO_CONTENT))}
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


SUBJECT = re.compile(r"^\s*(?:subject|betreff|asunto)\s*:\s*(?:(?:re|fwd?|aw|wg)\s*:\s*)*(\S.*)$", re.IGNORECASE)
NO_CONTENT = re.compile(
    r"^\W*/?(?:(?:please )?help(?: me)?(?: please)?|ok(?:ay)?|thanks?(?: you)?|thx|fine|good|great|perfect"
    r"|looks? good|go on|continue|confirm|quit|exit|done|hello|hi)\W*$",
    re.IGNORECASE,
)
"""A message, line or sentence that only asks for help, greets, thanks or agrees."""
