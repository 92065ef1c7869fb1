"""What all work on a thought's code goes by, each part once: specification, constraints, the person's words."""

from __future__ import annotations

import re
from collections.abc import Sequence

from thoughtforge.agent.context import MEASURED, SPECIFICATION, Block
from thoughtforge.coding.building import StageBuild
from thoughtforge.testing.language import languages
from thoughtforge.think.overruled import asked_for, confirmed
from thoughtforge.think.texts import constraints_block

ASKED = "asked for by the person later; it goes before scope, constraints and decisions"
TWICE = ("Context", "Scope", "Acceptance Criteria")
"""Sections of the constraints that the specification, or the list of criteria, may have as well."""
SECTIONS = re.compile(r"^(?=## )", re.MULTILINE)
TOLD = ("style", "architecture", "security", "quality")
"""Categories of checks that whoever writes should know beforehand; the others find what is broken."""
MARKUP = re.compile(r"[\s*:]+")


def confirmed_blocks(spec: str, constraints: str, *, title: str, beside: str = "") -> list[Block]:
    """The specification, and of the constraints what it does not say; `beside` is shown anyway."""
    later = asked_for(constraints)
    spec = confirmed(spec)
    rest = constraints_block(title, only_new(confirmed(constraints), f"{spec}\n{beside}"), budget=2_000)
    return [
        Block(ASKED, later, 1_200, floor=400, untrusted=True, need=MEASURED),
        Block("specification", spec, 2_500, floor=500, untrusted=True, need=SPECIFICATION),
        rest._replace(floor=400, need=SPECIFICATION),
    ]


def only_new(constraints: str, said: str) -> str:
    """The constraints without the sections that stand word for word in what is shown beside them."""
    known = _plain(said)
    head, *parts = SECTIONS.split(constraints)
    return "".join([head, *(part for part in parts if not _stands(part, known))])


def _stands(section: str, known: str) -> bool:
    heading, _, body = section.partition("\n")
    return heading.removeprefix("## ").strip() in TWICE and _plain(body) in known


def _plain(text: str) -> str:
    return MARKUP.sub(" ", text).strip()


def rules_block(site: StageBuild) -> Block:
    """What the engine checks in the files of this language, before it finds anything."""
    language = languages().get(site.session.runner.LANGUAGE)
    mine = language.endings if language is not None else ()
    rows = [
        f"- {one.name}: {one.check.DESCRIPTION}{_limits(one.options)}"
        for one in site.session.gate.checks
        if one.category in TOLD and _fits(getattr(one.check, "ENDINGS", ()), mine)
    ]
    return Block("rules the engine checks", "\n".join(rows), 900, floor=0, need=SPECIFICATION)


def _fits(endings: Sequence[str], mine: Sequence[str]) -> bool:
    return not endings or any(ending in mine for ending in endings)


def _limits(options: object) -> str:
    limit = getattr(options, "limit", None)
    return f" (limit: {limit})" if limit else ""
