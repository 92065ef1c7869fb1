"""The change plan a person means, by its id, its number, its file or `last`. Imports little: it is asked first."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from thoughtforge.forge.numbering import id_of, plan_id, referred
from thoughtforge.kernel.errors import UserError

if TYPE_CHECKING:
    from thoughtforge.service.app import App


def find(app: App, word: str) -> str:
    """The plan a person means by `plan-017`, `17`, its file or `last`."""
    known = plan_ids(app)
    if word == "last" and known:
        return known[-1]
    id = id_of(Path(word).name) or referred(word)
    if id in known:
        return id
    shown = ", ".join(known[-5:]) or 'none yet; begin one: thoughtforge forge "What you want"'
    raise UserError(f"there is no plan {word!r}", do=f"Plans: {shown}")


def plan_ids(app: App) -> list[str]:
    """Every plan, by number."""
    ids = [id for id in app.store.ids() if id_of(f"{id}.md") == id]
    return sorted(ids, key=lambda id: int(id.rpartition("-")[2]))


def named(app: App, word: str) -> str:
    """The plan that a word names, when there is one; a description is none."""
    id = id_of(Path(word).name) or (referred(word) if not word.isdigit() else plan_id(int(word)))
    known = plan_ids(app)
    if id in known:
        return id
    if id and len(word.split()) == 1:
        return find(app, word)
    return known[-1] if word == "last" and known else ""
