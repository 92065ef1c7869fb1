"""A plan that a person edited: their sections over the newest ones, held against the version they were shown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from thoughtforge.forge.layout import AUDIT_LOG, OWN_KEYS, before_separation, layout_of
from thoughtforge.forge.meaning import plain
from thoughtforge.forge.plan_file import FIELDS, header_of, with_field
from thoughtforge.forge.structure import key_of, sections_of

LOG = key_of(AUDIT_LOG)
NAMES: Mapping[str, str] = {"id": "ID", "task": "Task", "created": "Created", "status": "Status", "project": "Project"}


class MergedPlan(NamedTuple):
    """The text that counts, and what had to be decided."""

    text: str
    both: tuple[str, ...] = ()
    """Sections that changed on both sides; the person's count."""
    restored: tuple[str, ...] = ()
    """What is the engine's and was put back."""


class _Piece(NamedTuple):
    """A section with its heading; the one without a name lies between the header and the first heading."""

    key: str
    name: str
    raw: str


def merged(*, base: str, newest: str, theirs: str) -> MergedPlan:
    """What the person changed since `base` counts; everything else is the newest; header and audit log are ours."""
    shown, now, edited = (_pieces(text) for text in (base, newest, theirs))
    kept: list[_Piece] = []
    both: list[str] = []
    for piece in edited:
        before, after, theirs_now = (_plain(pieces, piece.key) for pieces in (shown, now, edited))
        if after == theirs_now or (after == before and piece.key != LOG):
            kept.append(piece)  # the engine changed nothing here that the person has not
        elif piece.key != LOG and theirs_now != before:
            kept.append(piece)
            both += [piece.name or "the text above the first heading"]
        elif all(one.key != piece.key for one in kept):
            kept += _renewed(now, piece)
    both += [one.name for one in now if _removed(one.key, edited, shown) and _changed(one.key, now, shown)]
    header, restored = _header(newest, theirs)
    log = _plain(edited, LOG)
    if log not in (_plain(shown, LOG), _plain(now, LOG)):
        restored = (*restored, "the audit log")
    text = header + "".join(piece.raw for piece in _with_missing(kept, now, edited, shown))
    return MergedPlan(_with_fields(text, newest), tuple(dict.fromkeys(both)), restored)


def _body_start(text: str) -> int:
    """Where the header ends, with the blank lines below it."""
    end = layout_of(text).header_end
    return end + len(text[end:]) - len(text[end:].lstrip("\n"))


def _pieces(text: str) -> tuple[_Piece, ...]:
    start = _body_start(text)
    found = sections_of(text)
    first = text[start : found[0].start if found else len(text)]
    own = [_Piece("", "", first)] if first else []
    return (*own, *(_Piece(one.key, one.name, text[one.start : one.end]) for one in found))


def _plain(pieces: Sequence[_Piece], key: str) -> str | None:
    """What a section says, without what only formats it; None when there is none."""
    same = [plain(one.raw) for one in pieces if one.key == key]
    return "\n".join(same) if any(same) else None


def _removed(key: str, edited: Sequence[_Piece], shown: Sequence[_Piece]) -> bool:
    return key != LOG and _plain(edited, key) is None and _plain(shown, key) is not None


def _changed(key: str, now: Sequence[_Piece], shown: Sequence[_Piece]) -> bool:
    return _plain(now, key) != _plain(shown, key)


def _renewed(now: Sequence[_Piece], piece: _Piece) -> list[_Piece]:
    """The newest text of a section, with what separates the person's from the next."""
    same = [one.raw for one in now if one.key == piece.key]
    if not same:
        return []
    return [piece._replace(raw=_parted("".join(same))[0] + _parted(piece.raw)[1])]


def _with_missing(
    kept: Sequence[_Piece], now: Sequence[_Piece], edited: Sequence[_Piece], shown: Sequence[_Piece]
) -> list[_Piece]:
    """With the sections that are new since, each behind the one it follows; the audit log stays in any case."""
    whole = list(kept)
    for place, one in enumerate(now):
        if any(there.key == one.key for there in whole) or _removed(one.key, edited, shown):
            continue
        before = {earlier.key for earlier in now[:place]}
        at = max((n + 1 for n, there in enumerate(whole) if there.key in before), default=0)
        raw = f"{_parted(one.raw)[0]}\n"
        if at:
            body, tail = _parted(whole[at - 1].raw)
            own = one.key in OWN_KEYS  # a rule stands before it
            whole[at - 1] = whole[at - 1]._replace(raw=f"{body}{tail if own and tail else chr(10)}")
            raw += "" if own else tail.removeprefix("\n")
        whole.insert(at, one._replace(raw=raw))
    return whole


def _parted(raw: str) -> tuple[str, str]:
    """A section that ends with its last line, and the blank lines and the rule below it."""
    at = before_separation(raw, 0, len(raw))
    body = raw[:at]
    return (body if body.endswith("\n") else f"{body}\n"), raw[at:]


def _header(newest: str, theirs: str) -> tuple[str, tuple[str, ...]]:
    """The person's header, or the newest when theirs is gone."""
    head = theirs[: _body_start(theirs)]
    if header_of(theirs).title:
        found, wanted = header_of(theirs), header_of(newest)
        lost = [f"**{NAMES[name]}:**" for name in FIELDS if getattr(found, name) != getattr(wanted, name)]
        return head, tuple(lost)
    return newest[: _body_start(newest)], ("the header",)


def _with_fields(text: str, newest: str) -> str:
    wanted, there = header_of(newest), header_of(text)
    for name in FIELDS:
        if getattr(there, name) != getattr(wanted, name):
            text = with_field(text, NAMES[name], getattr(wanted, name))
    return text
