"""What the files of a Python project ask for, in lines every installer knows."""

from __future__ import annotations

import configparser
import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any, NamedTuple

from thoughtforge.languages.python.setup_py import told
from thoughtforge.testing.imports import NAME, normal, package_name, table_in
from thoughtforge.testing.language import PlainNeeds

if TYPE_CHECKING:
    from packaging.requirements import Requirement


def poetry_requirements(poetry: Mapping[str, Any], wanted: Callable[[str], object]) -> Iterator[str]:
    """The dependencies of a `[tool.poetry]` table and of its groups with a wanted name."""
    yield from _lines(poetry.get("dependencies"))
    yield from _lines(poetry.get("dev-dependencies"))
    groups = poetry.get("group")
    for name, group in groups.items() if isinstance(groups, Mapping) else ():
        if wanted(name) and isinstance(group, Mapping):
            yield from _lines(group.get("dependencies"))


def pipfile_requirements(data: Mapping[str, Any]) -> Iterator[str]:
    """The packages of a Pipfile, those for development too."""
    yield from _lines(data.get("packages"))
    yield from _lines(data.get("dev-packages"))


def _lines(table: Any) -> Iterator[str]:
    for name, value in table.items() if isinstance(table, Mapping) else ():
        if name.lower() == "python":
            continue  # Poetry lists the interpreter among the dependencies
        for choice in value if isinstance(value, list) else [value]:
            yield _line(name, choice)


def _line(name: str, value: Any) -> str:
    if isinstance(value, str):
        return f"{name}{specifier(value)}"
    if not isinstance(value, Mapping):
        return name
    extras = f"[{','.join(map(str, value['extras']))}]" if value.get("extras") else ""
    marker = f"; {value['markers']}" if value.get("markers") else ""
    for key, prefix in (("git", "git+"), ("url", ""), ("path", "file://"), ("file", "file://")):
        if key in value:
            at = next((f"@{value[part]}" for part in ("rev", "tag", "branch", "ref") if part in value), "")
            return f"{name}{extras} @ {prefix}{value[key]}{at}"
    return f"{name}{extras}{specifier(str(value.get('version', '*')))}{marker}"


def specifier(version: str) -> str:
    """A version as asked for: `^1.2` and `~1.2` written out, `*` as nothing, a bare one as equal."""
    parts = [part.strip() for part in version.split(",")]
    return ",".join(filter(None, map(_one, parts)))


def _one(part: str) -> str:
    if part in ("*", ""):
        return ""
    if part[0] == "^" or (part[0] == "~" and part[1:2] != "="):
        return _range(part[1:].strip(), caret=part[0] == "^")
    if part[0].isdigit():
        return f"=={part}"
    return part.replace(" ", "")


def _range(version: str, *, caret: bool) -> str:
    """From a version up to the next that may break: the first number that is not zero, or the second for `~`."""
    numbers = [int(number) for number in re.findall(r"\d+", version)[:3]]
    if not numbers:
        return ""
    place = (
        next((place for place, number in enumerate(numbers) if number), len(numbers) - 1)
        if caret
        else min(1, len(numbers) - 1)
    )
    above = [*numbers[:place], numbers[place] + 1]
    return f">={version},<{'.'.join(map(str, above))}"


GROUPS = re.compile(r"(unit[-_]?)?tests?|testing|dev|develop|development|ci", re.IGNORECASE)
"""Names of extras and groups that hold what tests need."""
ROOT_FILES = re.compile(
    r"(test|dev|ci)?[-_]?requirements([-_.]?(test|tests|testing|dev|development|ci))?\.txt", re.IGNORECASE
)
FOLDER_FILES = re.compile(
    r"requirements/(base|main|requirements|tests?|testing|dev|development|ci)\.txt", re.IGNORECASE
)
REMOTE = re.compile(r"(git|hg|svn|bzr)?\+?(https?|ssh)://")
INDEX_OPTIONS = ("-i ", "--index-url", "--extra-index-url", "--find-links", "-f ", "--pre", "--trusted-host")
DEEPEST = 10
DO = "; name what tests need of it in setup.command (thoughtforge config edit)"


class Needs(NamedTuple):
    """Requirement lines for the installer, and everything a person should know about them."""

    lines: tuple[str, ...] = ()
    constraints: tuple[str, ...] = ()
    reads: tuple[str, ...] = ()
    """The files they come from."""
    refused: tuple[str, ...] = ()
    """Lines that would install from the tree itself, with their file."""
    notes: tuple[str, ...] = ()


def needs(paths: Iterable[str], read: Callable[[str], str]) -> Needs:
    """What the files of a project declare. Files below other folders belong to other projects."""
    known = set(paths)
    gathered = _Gathered(known, read)
    for path in sorted(known):
        if ROOT_FILES.fullmatch(path) or FOLDER_FILES.fullmatch(path):
            gathered.requirements_file(path)
    for path, reader in (
        ("pyproject.toml", gathered.pyproject),
        ("setup.cfg", gathered.setup_cfg),
        ("setup.py", gathered.setup_py),
        ("Pipfile", gathered.pipfile),
        ("tox.ini", gathered.tox),
    ):
        if path in known:
            try:
                reader(read(path))
            except (tomllib.TOMLDecodeError, configparser.Error, SyntaxError, ValueError, RecursionError) as error:
                gathered.notes.append(f"{path} cannot be read: {str(error).splitlines()[0]}")
            gathered.reads.append(path)
    return gathered.needs()


def plain(paths: Iterable[str], read: Callable[[str], str]) -> PlainNeeds:
    """The same needs, told apart: requirements by name, and everything that is more than a name and a version."""
    found = needs(paths, read)
    lines = [(line, _parsed(line)) for line in (*found.lines, *found.constraints)]
    refused = [line for line, known in lines if known is None or known.url]
    return PlainNeeds(
        tuple(known.name for _, known in lines if known is not None),
        tuple(f"{line}: only names and versions of packages are installed" for line in (*found.refused, *refused)),
    )


class _Gathered:
    """Lines as they are found, each with the file that has it."""

    def __init__(self, known: set[str], read: Callable[[str], str]) -> None:
        self.known = known
        self.read = read
        self.lines: list[str] = []
        self.constraints: list[str] = []
        self.reads: list[str] = []
        self.refused: list[str] = []
        self.notes: list[str] = []
        self.own_name = ""

    def needs(self) -> Needs:
        lines = [line for line in dict.fromkeys(self.lines) if not self.own_name or package_name(line) != self.own_name]
        return Needs(
            tuple(lines),
            tuple(dict.fromkeys(self.constraints)),
            tuple(dict.fromkeys(self.reads)),
            tuple(dict.fromkeys(self.refused)),
            tuple(self.notes),
        )

    def requirements_file(self, path: str, *, into: list[str] | None = None, depth: int = 0) -> None:
        target = self.lines if into is None else into
        self.reads.append(path)
        text = self.read(path).removeprefix("\ufeff").replace("\\\n", " ")
        for raw in text.splitlines():
            line = re.sub(r"(^|\s)#.*", "", raw).strip()
            included = re.match(r"(-r|--requirement|-c|--constraint)[ =]*(\S+)", line)
            if included and depth < DEEPEST:
                inner = str(PurePosixPath(path).parent / included[2])
                other = self.constraints if included[1] in ("-c", "--constraint") else target
                if inner in self.known:
                    self.requirements_file(inner, into=other, depth=depth + 1)
                else:
                    self.notes.append(f"{path} includes {included[2]}, which does not exist")
            elif line:
                self.take(line, path, into=target)

    def take(self, line: str, path: str, *, into: list[str] | None = None) -> None:
        """One line: a requirement by name or address, an option of the index, or one that is refused."""
        target = self.lines if into is None else into
        if line.startswith(INDEX_OPTIONS):
            self.notes.append(f"{path}: {line.partition(' ')[0]} is passed on unchanged")
            target.append(line)
        elif line.startswith(("-e", "--editable")) or _is_local(line):
            self.refused.append(f"{path}: {line}")
        elif line.startswith("-"):
            self.notes.append(f"{path}: {line} is left out")
        elif NAME.match(line) or REMOTE.match(line):
            target.append(line)

    def pyproject(self, text: str) -> None:
        data = tomllib.loads(text)
        project = table_in(data, "project")
        self.own_name = normal(str(project.get("name") or table_in(data, "tool", "poetry").get("name") or ""))
        extras = table_in(project, "optional-dependencies")
        self._all(project.get("dependencies"), "pyproject.toml", extras)
        for name, lines in extras.items():
            if GROUPS.fullmatch(name):
                self._all(lines, "pyproject.toml", extras)
        groups = table_in(data, "dependency-groups")
        for name in groups:
            if GROUPS.fullmatch(name):
                self._all(list(_group(groups, name, DEEPEST)), "pyproject.toml", extras)
        self._all(
            list(poetry_requirements(table_in(data, "tool", "poetry"), GROUPS.fullmatch)), "pyproject.toml", extras
        )
        if "dependencies" in _strings(project.get("dynamic")) and not self.lines:
            self.notes.append("pyproject.toml computes its dependencies at build time; they are unknown")

    def setup_cfg(self, text: str) -> None:
        config = configparser.ConfigParser(interpolation=None)
        config.read_string(text)
        blocks = [
            config.get("options", "install_requires", fallback=""),
            config.get("options", "tests_require", fallback=""),
        ]
        if config.has_section("options.extras_require"):
            blocks += [value for name, value in config.items("options.extras_require") if GROUPS.fullmatch(name)]
        lines = [line.strip() for block in blocks for line in block.splitlines() if line.strip()]
        named = [line for line in lines if line.startswith("file:")]
        for path in (part.strip() for line in named for part in line.removeprefix("file:").split(",")):
            if path in self.known:
                self.requirements_file(path)
        self._all([line for line in lines if line not in named], "setup.cfg", {})

    def setup_py(self, text: str) -> None:
        for field in told(text):
            if not field.known:
                self.notes.append(f"setup.py computes {field.name}; its value is unknown without running setup.py{DO}")
                continue
            value = field.value
            given = (
                [lines for name, lines in value.items() if GROUPS.fullmatch(name)]
                if isinstance(value, dict)
                else [value]
            )
            for lines in given:
                self._all([lines] if isinstance(lines, str) else list(lines), "setup.py", {})

    def pipfile(self, text: str) -> None:
        self._all(list(pipfile_requirements(tomllib.loads(text))), "Pipfile", {})

    def tox(self, text: str) -> None:
        config = configparser.ConfigParser(interpolation=None)
        config.read_string(text)
        for raw in config.get("testenv", "deps", fallback="").splitlines():
            line = raw.partition("#")[0].strip()
            if _parsed(line):  # neither `{toxinidir}/x` nor `py311: x`
                self.take(line, "tox.ini")

    def _all(self, lines: Any, path: str, extras: Mapping[str, Any], *, depth: int = DEEPEST) -> None:
        for line in _strings(lines):
            if self.own_name and package_name(line) == self.own_name:
                # `project[test]` among its own extras means those extras, never the project itself
                own = _parsed(line)
                for extra in sorted(own.extras) if own and depth else ():
                    self._all(extras.get(extra), path, extras, depth=depth - 1)
            else:
                self.take(line, path)


def _parsed(line: str) -> Requirement | None:
    """A line that is a requirement and nothing else; None for any other."""
    from packaging.requirements import InvalidRequirement, Requirement

    try:
        return Requirement(line)
    except InvalidRequirement:
        return None


def _is_local(line: str) -> bool:
    """Whether a line means a place on this machine: `.`, `./lib`, `name @ file:///…`.

    This and the other guards of `take` are ours, not `packaging`'s: its grammar knows neither pip's options nor paths,
    and what it cannot read must be refused here, not passed on.
    """
    where = line.partition(" @ ")[2].strip() or line
    name = re.split(r"[\[\s;]", where)[0]
    return where.startswith((".", "/", "~", "file:")) or "file://" in where or ("/" in name and not REMOTE.match(where))


def _group(groups: Mapping[str, Any], name: str, depth: int) -> Iterator[str]:
    """A dependency group and those it includes."""
    for item in groups.get(name) or ():
        if isinstance(item, str):
            yield item
        elif isinstance(item, Mapping) and depth:
            yield from _group(groups, str(item.get("include-group")), depth - 1)


def _strings(values: Any) -> list[str]:
    return [value for value in values if isinstance(value, str)] if isinstance(values, list) else []
