"""Repositories that tell each change in a file of its own: where these files are, their names and what they hold."""

from __future__ import annotations

import hashlib
import re
import tomllib
from collections.abc import Collection, Mapping, Sequence
from configparser import ConfigParser
from configparser import Error as ConfigError
from pathlib import PurePosixPath
from typing import Any, Literal, NamedTuple

from thoughtforge.code.changelog import ChangelogEntry, one_line
from thoughtforge.code.changelog_words import WORDS

SETTINGS = ("towncrier.toml", "pyproject.toml", "setup.cfg", "tox.ini", "changelog.d/scriv.ini")
"""Files that name a folder of fragments."""
FOLDERS = ("changes", "changelog.d", "newsfragments", "news", "changelog", ".changes", "docs/changes", "docs/news")
NAMED = (
    *("changelog.d", "changes.d", "news.d", "newsfragments", "docs/newsfragments", "changelogs/unreleased"),
    *("changelogs/fragments", ".changeset", ".changes/unreleased"),
)
"""Folders whose name says that they hold fragments."""
FRAGMENT = re.compile(r"\+?[\w.#-]+?\.(?P<kind>[a-z]+)(\.\d+)?(?P<end>\.(md|rst|txt))?")
UNSAID = re.compile(r"readme|template|\.git|_|changelog", re.IGNORECASE)
"""Names of files that are no fragments."""
TOWNCRIER_KINDS = ("feature", "bugfix", "doc", "removal", "misc")
SCRIV_KINDS = ("Removed", "Added", "Changed", "Deprecated", "Fixed", "Security")
RENO, RENO_SETTINGS = "releasenotes/notes", ("reno.yaml", "releasenotes/config.yaml")
RENO_KINDS = {"added": "features", "changed": "upgrade", "removed": "upgrade", "fixed": "fixes", "security": "security"}

Form = Literal["name", "scriv", "reno", ""]


class Fragments(NamedTuple):
    """A folder that gets one file for each change. `form` is empty when it is not clear: then `note` says why."""

    folder: str
    form: Form = "name"
    """Where the kind of a change stands: in the name of the file, or in it as scriv or reno has it."""
    kinds: tuple[str, ...] = ()
    ending: str = ""
    numbered: bool = False
    """Whether names begin with the number of an issue; who has none begins with +."""
    note: str = ""


def fragments(paths: Collection[str], settings: Mapping[str, str]) -> Fragments | None:
    """Where this repository keeps fragments; None when it keeps none."""
    known = sorted(paths)
    return _towncrier(known, settings) or _scriv(known, settings) or _reno(known) or _usual(known) or _unclear(known)


def _inside(paths: Sequence[str], folder: str) -> list[str]:
    names = [path.rpartition("/") for path in paths]
    return [name for above, _, name in names if above == folder and not UNSAID.match(name)]


def _towncrier(paths: Sequence[str], settings: Mapping[str, str]) -> Fragments | None:
    tables = [found for name in SETTINGS[:2] if (found := _tool(settings.get(name, ""), "towncrier")) is not None]
    if not tables:
        return None
    table = tables[0]
    folder = str(PurePosixPath(str(table.get("directory") or _beside_package(table))))
    if folder.startswith(("/", "..")) or any(path == folder for path in paths):
        return Fragments(folder, "", note=f"towncrier's folder {folder} is none of this repository")
    if any(section.get("path") for section in _rows(table, "section")):
        return Fragments(folder, "", note=f"towncrier's folder {folder} has sections, and nothing says which one fits")
    there = [match for name in _inside(paths, folder) if (match := FRAGMENT.fullmatch(name))]
    own = [str(kind.get("directory") or kind.get("name", "")).lower() for kind in _rows(table, "type")]
    named = table.get("fragment")
    kinds = tuple(kind for kind in (*own, *(named if isinstance(named, dict) else ())) if kind) or TOWNCRIER_KINDS
    usual = ".md" if str(table.get("filename", "")).endswith(".md") else ".rst"
    ending = next((match["end"] or "" for match in there if match["kind"] in kinds), usual)
    return Fragments(folder, kinds=kinds, ending=ending, numbered=True)


def _rows(table: Mapping[str, Any], name: str) -> list[dict[str, Any]]:
    found = table.get(name)
    return [row for row in found if isinstance(row, dict)] if isinstance(found, list) else []


def _beside_package(table: Mapping[str, Any]) -> str:
    """Where towncrier looks when no directory is named."""
    package = str(table.get("package") or "").replace(".", "/")
    return f"{table.get('package_dir', '.')}/{package}/newsfragments" if package else "newsfragments"


def _tool(text: str, name: str) -> dict[str, Any] | None:
    """The settings of a tool in TOML; None when it has none or nobody can read them."""
    try:
        found = tomllib.loads(text).get("tool", {}).get(name)
    except tomllib.TOMLDecodeError:
        return None
    return found if isinstance(found, dict) else None


def _scriv(paths: Sequence[str], settings: Mapping[str, str]) -> Fragments | None:
    table = _tool(settings.get("pyproject.toml", ""), "scriv")
    for name in SETTINGS[2:]:
        table = table if table is not None else _section(settings.get(name, ""))
    if table is None:
        return None
    folder = str(PurePosixPath(str(table.get("fragment_directory") or "changelog.d")))
    if "categories" in table or folder.startswith(("/", "..")):
        return Fragments(folder, "", note=f"scriv's settings for {folder} are not the usual ones")
    return Fragments(folder, "scriv", kinds=SCRIV_KINDS, ending=f".{table.get('format') or 'rst'}")


def _section(text: str) -> dict[str, Any] | None:
    """Scriv's section of a file with settings."""
    parser = ConfigParser(interpolation=None)
    try:
        parser.read_string(text)
    except ConfigError:
        return None
    name = next((name for name in ("scriv", "tool:scriv") if parser.has_section(name)), "")
    return dict(parser[name]) if name else None


def _reno(paths: Sequence[str]) -> Fragments | None:
    notes = [path for path in paths if path.startswith(f"{RENO}/") and path.endswith(".yaml")]
    return Fragments(RENO, "reno", ending=".yaml") if notes or any(path in paths for path in RENO_SETTINGS) else None


def _usual(paths: Sequence[str]) -> Fragments | None:
    """A folder of fragments as the usual tools name them, whatever tool reads them."""
    for folder in dict.fromkeys((*FOLDERS, *NAMED)):
        names = _inside(paths, folder)
        found = [match for name in names if (match := FRAGMENT.fullmatch(name)) and _known(match["kind"])]
        if found:
            kinds = tuple(sorted({match["kind"] for match in found}))
            numbered = all(match.string[0] in "+0123456789" for match in found)
            return Fragments(folder, kinds=kinds, ending=found[0]["end"] or "", numbered=numbered)
    return None


def _unclear(paths: Sequence[str]) -> Fragments | None:
    """A folder that is for fragments, as its name or the numbers of issues in it say, in a form that nobody knows."""
    for folder in dict.fromkeys((*NAMED, *FOLDERS)):
        there = any(path.startswith(f"{folder}/") for path in paths)
        numbers = [name for name in _inside(paths, folder) if re.fullmatch(r"#?\d+\.(md|rst|txt|ya?ml)", name)]
        if there and (folder in NAMED or numbers):
            return Fragments(folder, "", note=f"{folder} is for one file each change, and their form is not clear")
    return None


def _known(kind: str) -> bool:
    return kind in WORDS or kind in TOWNCRIER_KINDS or any(kind in words for words in WORDS.values())


def written(
    place: Fragments, entries: Sequence[ChangelogEntry], *, slug: str, taken: Collection[str] = ()
) -> dict[str, str]:
    """Path → text of every new file; a name that is taken is not used again."""
    made: dict[str, str] = {}
    for entry in entries:
        kind, number = _kind(place, entry), 1
        while (path := _path(place, entry, kind, slug if number == 1 else f"{slug}-{number}")) in {*taken, *made}:
            number += 1
        made[path] = _text(place, entry, kind)
    return made


def _kind(place: Fragments, entry: ChangelogEntry) -> str:
    if place.form == "reno":
        return RENO_KINDS[entry.kind]
    words = (entry.kind, *WORDS.get(entry.kind, ()), "misc", "other")
    alike = {kind.lower(): kind for kind in place.kinds}
    return next((alike[word] for word in words if word in alike), place.kinds[0])


def _path(place: Fragments, entry: ChangelogEntry, kind: str, slug: str) -> str:
    if place.form == "name":
        return f"{place.folder}/{'+' if place.numbered else ''}{slug}.{kind}{place.ending}"
    if place.form == "reno":  # reno tells notes by sixteen digits at the end
        digits = hashlib.sha256(f"{slug} {entry.text}".encode()).hexdigest()[:16]
        return f"{place.folder}/{slug}-{digits}{place.ending}"
    return f"{place.folder}/{slug}{place.ending}"


def _text(place: Fragments, entry: ChangelogEntry, kind: str) -> str:
    text = one_line(entry.text)
    if place.form == "reno":
        return f"---\n{kind}:\n  - |\n    {text}\n"
    if place.form == "scriv":
        head = f"### {kind}" if place.ending == ".md" else f"{kind}\n{'-' * len(kind)}"
        return f"{head}\n\n- {text}\n"
    return f"{text}\n"
