"""Templates of plans: their sections, which one fits, and text made fit for a cell of a table."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from thoughtforge.catalog import Catalog
from thoughtforge.kernel.errors import UserError
from thoughtforge.kernel.model import JsonObject

if TYPE_CHECKING:
    from jinja2.sandbox import SandboxedEnvironment


CONTROL = re.compile(r"[\x00-\x08\x0e-\x1b\x7f]")
ENTITY = re.compile(r"&(?=#?\w{1,40};)")
PIPE = re.compile(r"(?<!\\)(\\*)\|")
SPLIT = re.compile(r"(?<!\\)\|")
BREAK = "<br>"


def cell(value: object) -> str:
    """The text as one cell. Braces need nothing: content is data and is never read as a template."""
    lines = [" ".join(line.split()) for line in CONTROL.sub("", str(value)).splitlines()]
    text = ENTITY.sub("&amp;", "\n".join(lines).strip()).replace("<", "&lt;")
    # After a backslash another one would end the cell in some readers, an entity does in none.
    text = PIPE.sub(lambda found: rf"{found[1]}&#124;" if found[1] else r"\|", text)
    return text.replace("\n", BREAK)


def cells(row: str) -> list[str]:
    """The cells of a table row as a reader sees them."""
    inner = row.strip()
    inner = inner.removeprefix("|")
    if inner.endswith("|") and not inner.endswith(r"\|"):
        inner = inner[:-1]
    return [part.strip() for part in SPLIT.split(inner)]


TITLE = "title"
"""The only variable outside the tables."""
COLUMNS = ("objective", "plan", "assessment")
BODY = "body"
"""The slot of a section for what stands below its table."""
HOLDS = ("actions", "figures")
"""What a section may hold that the engine looks after: a tasks table, and tables whose sums are checked."""
HEADER = re.compile(r"^\|\s*Objective\s*\|\s*Plan\s*\|\s*Assessment\s*\|\s*$", re.MULTILINE)
ROW = re.compile(
    r"^\|\s*\{\{\s*(\w+)_objective\s*\}\}\s*\|\s*\{\{\s*\1_plan\s*\}\}\s*\|\s*\{\{\s*\1_assessment\s*\}\}\s*\|\s*$",
    re.MULTILINE,
)
HEADING = re.compile(r"^##[ \t]+(.+?)[ \t]*$", re.MULTILINE)
COMMENT = re.compile(r"\{#-?\s*(.*?)\s*-?#\}", re.DOTALL)
MARKS = re.compile(r"^((?:required|actions|figures)(?:\s*,\s*(?:required|actions|figures))*)\s*:\s*")
"""What a comment may begin with: whether a section must stay, and what it holds."""
DO = "Correct the template, or remove it to get the built-in one; docs/extend.md shows one."


class Section(NamedTuple):
    """One section of a plan."""

    name: str
    """What its slots begin with."""
    heading: str
    purpose: str
    slots: tuple[str, ...]
    """The three cells of its table, then what stands below it."""
    text: str
    """Its part of the template below the heading."""
    required: bool = False
    """Whether a proposal must keep it."""
    holds: tuple[str, ...] = ()

    @property
    def cells(self) -> tuple[str, ...]:
        """The slots of its table."""
        return self.slots[:-1]

    @property
    def body(self) -> str:
        """The slot below its table."""
        return self.slots[-1]


class Template(NamedTuple):
    """A template that can be filled."""

    kind: str
    path: str
    digest: str
    opening: str
    """What stands before the first section."""
    sections: tuple[Section, ...]


def slots_of(name: str) -> tuple[str, ...]:
    """The slots of a section."""
    return tuple(f"{name}_{part}" for part in (*COLUMNS, BODY))


def parse(kind: str, text: str, *, path: str, digest: str = "") -> Template:
    """The template in a file; everything wrong with it is named, and trying again would not help."""
    from jinja2 import TemplateSyntaxError, nodes

    try:
        tree = jinja().parse(text)
    except TemplateSyntaxError as error:
        raise UserError(f"{path}, line {error.lineno}: {error.message}", do=DO) from error
    problems = []
    names: list[str] = []
    for output in tree.body:
        for node in output.nodes if isinstance(output, nodes.Output) else [output]:
            if isinstance(node, nodes.Name):
                names.append(node.name)
            elif not isinstance(node, nodes.TemplateData):
                problems.append(f"{path}, line {node.lineno}: only {{{{ slot }}}} may stand in a template")
    found = tuple(_sections(text))
    problems += [f"{path}: {what}" for what in _problems(text, names=names, found=found)]
    if problems:
        count = "a problem" if len(problems) == 1 else f"{len(problems)} problems"
        raise UserError(f"the plan template {path} has {count}", do=DO, details=tuple(problems))
    first = HEADING.search(text)
    return Template(kind, path, digest, text[: first.start()] if first else text, found)


@cache
def jinja() -> SandboxedEnvironment:
    """The environment of every template: what is inserted is escaped for a cell, what is missing is an error."""
    from jinja2 import StrictUndefined
    from jinja2.sandbox import SandboxedEnvironment

    return SandboxedEnvironment(
        undefined=StrictUndefined,
        autoescape=False,  # Markdown, not HTML: `finalize` escapes for a table cell
        finalize=cell,
        trim_blocks=True,
        keep_trailing_newline=True,
    )


def _sections(text: str) -> Iterator[Section]:
    for heading, part in _parts(text):
        row, comment = ROW.search(part), COMMENT.search(part)
        if row:
            told = " ".join(comment.group(1).split()) if comment else ""
            found = MARKS.match(told)
            marks = re.findall(r"\w+", found.group(1)) if found else []
            purpose = told[found.end() :] if found else told
            yield Section(
                row.group(1),
                heading,
                purpose or heading,
                slots_of(row.group(1)),
                part.partition("\n")[2],
                required="required" in marks,
                holds=tuple(one for one in HOLDS if one in marks),
            )


def _parts(text: str) -> Iterator[tuple[str, str]]:
    places = list(HEADING.finditer(text))
    for number, place in enumerate(places):
        end = places[number + 1].start() if number + 1 < len(places) else len(text)
        yield place.group(1), text[place.start() : end]


def _problems(text: str, *, names: list[str], found: tuple[Section, ...]) -> Iterator[str]:
    slots = {slot for section in found for slot in section.cells}
    if not HEADING.search(text):
        yield "there is no section; begin each with ## and a heading"
    for heading, part in _parts(text):
        if "{" in heading:
            yield f"the heading {heading!r} holds a slot"
        if len(HEADER.findall(part)) != 1 or len(ROW.findall(part)) != 1:
            yield (
                f"the section {heading!r} needs one table | Objective | Plan | Assessment | with one row of three slots"
            )
    for name in sorted(set(names)):
        if name != TITLE and name not in slots:
            yield f"{name} stands outside the tables"
        elif names.count(name) > 1:
            yield f"{name} is used {names.count(name)} times"


GENERIC = "generic"


class Choice(NamedTuple):
    """The template of a plan and what a person should know about the choice."""

    template: Template
    warning: str


def choose(catalog: Catalog, kind: str | None) -> Choice:
    """The template for a kind of plan. A broken one is an error with its details, never replaced by another."""
    known = catalog.names("templates")
    if kind and kind in known:
        return Choice(_load(catalog, kind), "")
    if GENERIC not in known:
        lacks = f"has no {GENERIC}.md" if known else "has none"
        raise UserError(
            f"no plan template can be used: {catalog.library / 'templates'} {lacks}",
            do=f"Put {GENERIC}.md there, or install the program again.",
        )
    warning = f"there is no plan template {kind!r}; the {GENERIC} one is used" if kind and kind != GENERIC else ""
    return Choice(_load(catalog, GENERIC), warning)


def outlines(catalog: Catalog) -> dict[str, list[JsonObject]]:
    """Every kind of plan with its sections, for whoever proposes one; templates that are broken are left out."""
    found: dict[str, list[JsonObject]] = {}
    for kind in catalog.names("templates"):
        try:
            template = _load(catalog, kind)
        except UserError:
            continue  # it is reported when somebody asks for it
        found[kind] = [_told(section) for section in template.sections]
    return found


def _told(section: Section) -> JsonObject:
    """A section as a proposer reads it; what does not apply is left out."""
    marks: JsonObject = {"required": True} if section.required else {}
    holds: JsonObject = {"holds": list(section.holds)} if section.holds else {}
    return {"name": section.heading, "purpose": section.purpose, **marks, **holds}


def _load(catalog: Catalog, kind: str) -> Template:
    file = catalog.find("templates", kind)
    return parse(kind, file.text, path=file.path, digest=file.digest)
