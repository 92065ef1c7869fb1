"""How many tokens a text costs, without a tokenizer; and cutting a text down to a number of them.

Characters become classes, the classes are split where o200k_base splits a text before it joins bytes, and each kind of
piece has a price by its length. The prices were set on tests/data/tokens/*_a.txt and are checked on *_b.txt: never more
than a tenth too low. A class says nothing about meaning, so long random lower-case words come out too low; what a model
reports corrects the estimate (`ratio`, `scaled`).
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache
from math import ceil
from string import ascii_lowercase, ascii_uppercase, digits
from typing import NamedTuple

UNIT = 100
"""Prices are whole hundredths of a token, so that a sum does not depend on the order of the pieces."""

LEAST = 12
"""Tokens the omission mark may need; `fit` has nothing to show for less."""

LONG = 40
"""Characters for one token that only blank or ruled text has; whatever is longer is judged by its beginning."""

NAMED = (("a", ascii_lowercase), ("A", ascii_uppercase), ("0", digits))
ASCII = {ord(char): name for name, chars in NAMED for char in chars}
"""Letters and digits become `a`, `A` and `0`; marks and blanks stay what they are."""

BEYOND = [
    (int(start, 16), name)
    for start, name in re.findall(
        "([0-9a-f]+):(.)",
        "80:2 c0:l 250:2 370:g 400:c 530:2 590:i 1000:3 10a0:i 1100:3 1e00:l 1f00:3 200d:j 200e:3 2010:p 2028:3 20e3:j "
        "20e4:3 2190:s 2c00:3 3000:p 3040:k 3100:3 3400:h a000:3 ac00:n d7b0:3 f900:h fb00:3 fe00:j fe10:3 ff00:p "
        "fff0:3 10000:4 1f000:e 1fb00:4",
    )
]
"""Where each class beyond ASCII begins. l: Latin with accents, g: Greek, c: Cyrillic, i: Hebrew to Tibetan, Georgian,
p: quotes, dashes, CJK marks, s: arrows and symbols, k: kana, h: Han, n: Hangul, e: emoji, j: joins or colours the one
before. Anything else is a figure, its bytes in UTF-8, which no byte-level tokenizer exceeds."""


class Prices(NamedTuple):
    """What a piece costs by its length."""

    first: tuple[int, ...]
    """For lengths 1, 2, 3 …"""
    more: int
    """For every character after those. A price per character that rises would make a cut text the cheaper one."""

    def of(self, length: int) -> int:
        """The price of a piece of that length."""
        over = length - len(self.first)
        return self.first[length - 1] if over <= 0 else self.first[-1] + self.more * over


WORD = Prices((100, 100, 100, 102, 108, 112, 118, 122, 128, 132), 15)
CAPITALS = Prices((100, 110, 175, 210, 250), 40)
INNER = Prices((100, 125, 195, 200, 200, 200, 200, 200, 200, 200, 205, 210), 15)
"""Letters right after other letters or a digit: the inside of an identifier or, when short, of hex and base64."""
MARKS = Prices((100, 100, 122, 160, 205, 240), 50)
RULER = Prices((100,), 5)
"""A line of dashes and the like is a token or two, whatever its length."""
NEWLINES = Prices((100,), 10)
BLANKS = Prices((100,), 2)
BY_CLASS = {
    "l": Prices((100, 100, 110, 120, 130, 140, 150), 15),
    "g": Prices((100, 100, 130, 170), 35),
    "c": Prices((100, 100, 110, 130, 150), 27),
    "i": Prices((100,), 40),
    "h": Prices((100,), 75),
    "k": Prices((100,), 65),
    "n": Prices((100,), 55),
    "p": Prices((100,), 50),
    "j": Prices((100,), 100),
    "s": Prices((160,), 150),
    "e": Prices((215,), 215),
    "2": Prices((200,), 0),
    "3": Prices((300,), 0),
    "4": Prices((400,), 0),
}

MARK = r"[!-/:-@\[-`{-~]"
PIECES = re.compile(
    rf"[\t !-/:-@\[-`{{-~]?[aA]+|0{{1,3}}[aA]*"
    rf"| ?(?:(?![-=_.*#~]{{4}}){MARK})+[\r\n/]*"
    r"| ?[-=_.*#~]{4,}[\r\n]*"
    r"| ?(?:l+a*|g+|c+|i+|n+|s+|e+)|h+|k+|p+|j+"
    r"|(?:[ \t]*+[\r\n]++)++"
    r"|[ \t]+(?!\S)|[ \t]+"
    r"|[\s\S]"
)
"""A mark or blank goes with the word after it, a blank with the marks after it, newlines with the marks before them."""
APART = re.compile(r"[^\n]*+(?:\n(?=/|[ \t]*+(?:[^\S \t]|\Z))[^\n]*+)*+\n?")
"""A line with what belongs to it: a newline ends every piece, unless blank lines or a slash follow."""
PARTS = re.compile("0+|[^0aA]?A+(?!a)|[^0aA]?A?a+")
ONLY_RULER = re.compile(r" ?[-=_.*#~]{4}")


def estimate(text: str) -> int:
    """The tokens of `text`, rounded up. Two texts joined never cost more than both and one."""
    return ceil(price(text) / UNIT)


def price(text: str) -> int:
    """The tokens of `text` in hundredths."""
    return sum(map(price_apart, APART.findall(text)))


@lru_cache(maxsize=4096)  # most of a context is in the next one too
def price_apart(text: str) -> int:
    """The price of a text that no piece begins before or ends after."""
    pieces = Counter(PIECES.findall(text.translate(classes(text))))
    return sum(count * price_of(piece) for piece, count in pieces.items())


def classes(text: str) -> dict[int, str]:
    """What each character of `text` becomes."""
    if text.isascii():
        return ASCII
    others = {ord(char) for char in set(text) if not char.isascii()}
    return ASCII | {code: BEYOND[bisect_right(BEYOND, (code, "~")) - 1][1] for code in others}


@lru_cache(maxsize=8192)  # written in classes, a text has few different pieces
def price_of(piece: str) -> int:
    """The price of one piece, by what it is made of."""
    start = piece.lstrip(" \t")[:1]
    if start in BY_CLASS:
        return BY_CLASS[start].of(len(piece))
    if start == "" or start in "\r\n":
        return (NEWLINES if start else BLANKS).of(len(piece))
    if piece[-1] in "aA0":
        return sum(part_price(part, inner=number > 0) for number, part in enumerate(PARTS.findall(piece)))
    return (RULER if ONLY_RULER.match(piece) else MARKS).of(len(piece))


def part_price(part: str, *, inner: bool) -> int:
    """The price of one run of digits, of capitals or of a word inside a piece of letters."""
    if part[0] == "0":
        return UNIT
    if part[-1] == "A":
        return CAPITALS.of(len(part))
    return (INNER if inner else WORD).of(len(part))


def fit(text: str, tokens: int) -> str:
    """`text` when it fits, else its head and its tail around a line that says how much is missing.

    The head gets about two thirds. Whole lines are kept unless a long line would then cost most of the room.
    With fewer than LEAST tokens there is no room for the line, and nothing is kept.
    """
    if fits(text, tokens):
        return text
    if tokens < LEAST:
        return ""
    by_lines = fit_lines(text.split("\n"), tokens)
    return by_lines if 2 * estimate(by_lines) > tokens else fit_characters(text, tokens)


def fit_head(text: str, tokens: int) -> str:
    """`text` when it fits, else its first lines and how many are missing; whatever has no short lines is fitted."""
    if fits(text, tokens):
        return text
    lines = text.split("\n")
    count = fitting(lines, (tokens - LEAST) * UNIT)
    if count < 2:
        return fit(text, tokens)
    return "\n".join((*lines[:count], omission(len(lines) - count, "line")))


def fits(text: str, tokens: int) -> bool:
    """Whether `text` costs no more; a beginning that costs more than one above settles it."""
    return estimate(text[: LONG * max(tokens, 0)]) <= tokens + 1 and estimate(text) <= tokens


def fit_lines(lines: list[str], tokens: int) -> str:
    """The first and the last lines that fit around the mark; empty when not one does."""
    room = (tokens - LEAST) * UNIT
    head = fitting(lines, 2 * room // 3)
    used = sum(price(line + "\n") for line in lines[:head])
    tail = fitting(lines[:head:-1], room - used)
    while head + tail:
        mark = omission(len(lines) - head - tail, "line")
        result = "\n".join((*lines[:head], mark, *lines[len(lines) - tail :]))
        if estimate(result) <= tokens:
            return result
        head, tail = (head, tail - 1) if tail else (head - 1, tail)
    return ""


def omission(count: int, what: str) -> str:
    """The line that stands for what was left out."""
    return f"… [{count} {what}{'s' if count != 1 else ''} omitted] …"


def fitting(lines: list[str], room: int) -> int:
    """How many of the first lines the room is enough for."""
    for count, line in enumerate(lines):
        room -= price(line[: LONG * (room // UNIT + 1)] + "\n")
        if room < 0:
            return count
    return len(lines)


def lines_in(lines: Sequence[str], *, room: int) -> int:
    """How many of the first lines a number of tokens is enough for; never none, so that whoever reads on gets on."""
    return max(1, fitting(list(lines), room * UNIT)) if lines else 0


def fit_characters(text: str, tokens: int) -> str:
    """The first and the last characters that fit around the mark."""

    def kept(count: int) -> str:
        tail = count // 3
        parts = (text[: count - tail], omission(len(text) - count, "character"), text[len(text) - tail :])
        return "\n".join(part for part in parts if part)

    # No more than eight characters a token: only blank or ruled text is cheaper, and every probe reads what it keeps.
    count = bisect_right(range(1, min(len(text), 8 * tokens)), tokens, key=lambda count: estimate(kept(count)))
    while count and estimate(kept(count)) > tokens:
        count -= 1
    return kept(count)


def ratio(pairs: Iterable[tuple[int, int]]) -> float:
    """How far a model's count was above the estimate at worst, from (estimated, reported) pairs; at least 1."""
    return max((1.0, *(reported / estimated for estimated, reported in pairs if estimated > 0)))


def scaled(estimated: int, ratio: float) -> int:
    """The estimate for a model of that ratio."""
    return ceil(estimated * ratio)


ERROR_LENGTH = 500
"""Characters of an error an agent is shown."""


def one_line(text: str, length: int = ERROR_LENGTH) -> str:
    """The text on one line, cut at `length` characters with a mark."""
    line = " ".join(text.split())
    return line if len(line) <= length else f"{line[: length - 1]}…"
