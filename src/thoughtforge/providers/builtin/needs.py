"""The sections a template requires: what is asked when nothing is known that stands in one."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any

from thoughtforge.catalog import LIBRARY
from thoughtforge.kernel.model import JsonObject
from thoughtforge.providers.builtin.placing import placed
from thoughtforge.providers.builtin.sentences import GAPS, SECTION_QUESTIONS, words
from thoughtforge.providers.builtin.sorting import plan_kind

SECTION = re.compile(
    r"^## (?P<name>\S.*)\n\{#\s*(?P<marks>(?:(?:required|actions|figures)[,:]\s*)*)(?P<purpose>.*?)#\}", re.M
)


@lru_cache
def outline(kind: str) -> tuple[JsonObject, ...]:
    """The sections of one of the library's templates; none when it has no such template."""
    path = LIBRARY / "templates" / f"{kind}.md"
    text = path.read_text(encoding="utf-8") if path.is_file() else ""
    return tuple(
        {"name": found["name"].strip(), "purpose": found["purpose"].strip(), "required": "required" in found["marks"]}
        for found in SECTION.finditer(text)
    )


def kinds() -> list[str]:
    """The kinds of plan the library has a template for."""
    return sorted(path.stem for path in (LIBRARY / "templates").glob("*.md"))


def question_of(heading: str) -> str:
    """What is asked about a section of that name; empty when there is no question for it."""
    return next((asked for names, asked in SECTION_QUESTIONS if words(names.split()).search(heading)), "")


def empty_sections(intent: JsonObject, resources: Sequence[Any]) -> Iterator[str]:
    """The questions of the required sections nothing is known about."""
    stated = [text for key in ("objective", "assumptions", "constraints", "context") for text in intent[key]]
    sections = outline(plan_kind([intent["title"], *stated], kinds()))
    nothing: JsonObject = {"challenges": (), "resolved": (), "open": ()}
    items = placed(sections, intent, nothing, resources=resources) if sections else []
    filled = {item.section for item in items if not item.text.startswith(GAPS)}
    for section in sections[1:]:
        if section["required"] and section["name"] not in filled and question_of(section["name"]):
            yield question_of(section["name"])
