"""What is wrong with a plan's structure, found without any model."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from thoughtforge.forge.findings import AuditFinding
from thoughtforge.forge.layout import MANIFEST, MOST_FILES, OWN, REQUIRED
from thoughtforge.forge.numbering import id_of, referred
from thoughtforge.forge.phases import files_of
from thoughtforge.forge.plan_file import body_of, header_of
from thoughtforge.forge.structure import PlanSection, key_of, lines_of, sections_of
from thoughtforge.forge.template import built_in, own_lines, template_lines

PLACEHOLDER = re.compile(
    r"[\W_]*(?:(?:todo|tbd|tba|fixme|xxx)(?![^\W_])(?:[\s:.…*_)\]>-]*$|\s*[:–—-]|\s*\()"
    r"|(?:to be (?:determined|decided|defined|written|filled in)|fill (?:this )?in|coming soon|lorem ipsum)\b.{0,40}$)",
    re.IGNORECASE,
)
BRACKETED = re.compile(r"[\s*+>-]*(?:<[^<>/@:]+>|\[[^\]\[`]+\]|\{\{?[^{}:]+\}?\})[\s.]*")
UNFILLED = re.compile(r"\{\{\s*[A-Z][A-Z_]*\s*\}\}")
CODE = re.compile(r"(`+)(?!`).*?(?<!`)\1(?!`)")
SMALL_FILES = 2
SMALL_LINES = 60


class PlanLimits(NamedTuple):
    """How large a plan may be, and how often it is audited."""

    small: bool
    """Whether it names one or two files."""
    body_lines: int | None
    """60 for a small plan; None for any other."""
    audit_rounds: int
    """1 for a small plan, as long as nothing blocks; else the cap."""


def limits(text: str, *, audit_rounds: int = 5) -> PlanLimits:
    """The limits of a plan, by the files it names."""
    small = 1 <= len(files_of(text).paths) <= SMALL_FILES
    return PlanLimits(small, SMALL_LINES if small else None, 1 if small else audit_rounds)


def preflight(text: str, *, name: str = "", template: str = "") -> tuple[AuditFinding, ...]:
    """A missing required section is blocking; placeholder text, an empty or a doubled section is medium; a manifest
    that does not count is minor.

    `name` is the file's: another id in the header is blocking. Blocking findings stop the audit before any model is
    called, medium ones stop the approval.
    """
    known = template_lines(built_in()) | template_lines(template)
    found = sections_of(text)
    blocking = [*_identity(text, name), *_missing(found), *_too_many(text)]
    medium = [*_doubled(found), *_placeholders(found, known), *_too_long(text)]
    return (*blocking, *medium, *_listed_otherwise(text))


def _identity(text: str, name: str) -> Iterator[AuditFinding]:
    header = header_of(text)
    if not header.title:
        yield AuditFinding("blocking", "The plan has no title. Begin the file with `# Plan: …`.", title="No title")
    if name and id_of(name) and referred(header.id) != id_of(name):
        told = f"The file is {id_of(name)}, but its header says {header.id or 'no id'}. Correct the line **ID:**."
        yield AuditFinding("blocking", told, title="The id is not the file's")


def _missing(found: tuple[PlanSection, ...]) -> Iterator[AuditFinding]:
    keys = {one.key for one in found}
    for name in REQUIRED:
        if key_of(name) not in keys:
            told = f"The plan has no section `## {name}`. Add it."
            yield AuditFinding("blocking", told, name, title=f"Section {name} is missing")


def _too_many(text: str) -> Iterator[AuditFinding]:
    files = files_of(text)
    if len(files.paths) == MOST_FILES and files.notices:
        yield AuditFinding("blocking", files.notices[-1], title="The plan names too many files")


def _listed_otherwise(text: str) -> Iterator[AuditFinding]:
    """Why the files of the plan are not those of its manifest."""
    files = files_of(text)
    for notice in files.notices if len(files.paths) < MOST_FILES else ():
        yield AuditFinding("minor", notice, MANIFEST, title="The manifest does not count as it is")


def _doubled(found: tuple[PlanSection, ...]) -> Iterator[AuditFinding]:
    keys = [one.key for one in found]
    for name in (*REQUIRED, MANIFEST, *OWN):
        if keys.count(key_of(name)) > 1:
            told = f"The plan has {keys.count(key_of(name))} sections `## {name}`. Make one of them."
            yield AuditFinding("medium", told, name, title=f"Section {name} stands twice")


def _placeholders(found: tuple[PlanSection, ...], known: frozenset[str]) -> Iterator[AuditFinding]:
    for name in REQUIRED:
        texts = [one.text for one in found if one.key == key_of(name)]
        if not texts:
            continue
        if not own_lines("\n".join(texts), known):
            told = f"The section {name} says nothing yet. Fill it in."
            yield AuditFinding("medium", told, name, title=f"Section {name} is empty")
            continue
        for line in (line.text for text in texts for line in lines_of(text)):
            if is_placeholder(line) or " ".join(line.split()) in known and _telling(line):
                told = f"{line.strip()[:80]!r} is placeholder text. Replace it with what the plan means."
                yield AuditFinding("medium", told, name, title=f"Placeholder in section {name}")


def _telling(line: str) -> bool:
    """Whether a line is text; a heading or a line of a table that template and plan share is none."""
    return len(re.findall(r"[^\W\d_]{2,}", line)) > 2 and not line.lstrip().startswith(("#", "|"))


def is_placeholder(line: str) -> bool:
    """Whether a line only says that something is to be written here. What stands in back-ticks is meant."""
    plain = CODE.sub("x", line)
    words = len(re.findall(r"[^\W_]+", plain))
    return bool(PLACEHOLDER.match(plain) or UNFILLED.search(plain) or (words > 1 and BRACKETED.fullmatch(plain)))


def _too_long(text: str) -> Iterator[AuditFinding]:
    most = limits(text).body_lines
    lines = sum(1 for line in body_of(text).split("\n") if line.strip())
    if most and lines > most:
        told = f"The plan changes at most {SMALL_FILES} files, so its body has at most {most} lines; it has {lines}."
        yield AuditFinding("medium", told, title="The plan is too long for its change")
