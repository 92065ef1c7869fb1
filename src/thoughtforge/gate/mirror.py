"""The mirror: the repository as the tools of the gate read it, with its own packages and who imports whom.

It holds the text of each Python file as Python reads it, without suppressions that the base commit does not have. The
packages are found from the paths of the files; nothing is imported to find them.
"""

from __future__ import annotations

import io
import os
import re
import shutil
import threading
import tokenize
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any, NamedTuple

from thoughtforge.gate import language_servers
from thoughtforge.gate.context import Broken

if TYPE_CHECKING:
    from grimp import ImportGraph


PYTHON = (".py", ".pyi")
REQUIRES = re.compile(r"requires-python\s*=\s*[\"'][^\"']*?>=?\s*3\.(\d+)")
OLDEST, NEWEST = 8, 14


class Package(NamedTuple):
    """A package at the top: its import name and its folder, from the root."""

    name: str
    folder: str


def packages(paths: Iterable[str]) -> tuple[Package, ...]:
    """The packages below `src`, or the topmost folders with an `__init__.py`; of equal names the shallowest counts."""
    everything = {path for path in paths if path.endswith(".py")}
    found: dict[str, Package] = {}
    for path in sorted(everything, key=lambda each: (each.count("/"), each)):
        package = _package(PurePosixPath(path).parts[:-1], everything)
        if package is not None and all(part.isidentifier() for part in package.name.split(".")):
            found.setdefault(package.name, package)
    return tuple(sorted(found.values()))


def roots(paths: Iterable[str]) -> tuple[str, ...]:
    """The folders imports begin at, from the root of the repository; the root itself is `.`."""
    above = {str(PurePosixPath(package.folder).parent) for package in packages(paths)}
    return (".", *sorted(above - {"."}))


def oldest_python(pyproject: str) -> str:
    """The oldest Python a project says it runs on, such as `3.11`; empty when it does not say."""
    found = REQUIRES.search(pyproject)
    return f"3.{min(max(int(found[1]), OLDEST), NEWEST)}" if found else ""


def _package(folders: tuple[str, ...], everything: set[str]) -> Package | None:
    if "src" in folders[:-1] and f"{'/'.join(folders[: folders.index('src') + 1])}/__init__.py" not in everything:
        at = folders.index("src") + 1
        return Package(folders[at], "/".join(folders[: at + 1]))
    top = None
    for depth in range(len(folders), 0, -1):
        if "/".join((*folders[:depth], "__init__.py")) not in everything:
            break
        top = depth
    return Package(folders[top - 1], "/".join(folders[:top])) if top else None


LOOK = 8 * 1024
"""A NUL byte this early makes a file binary."""


def decode(path: str, data: bytes) -> str:
    """The text of a file, empty for a binary one. A Python file always has one: no odd byte may hide it."""
    if path.endswith(PYTHON):
        return _python(data)
    return "" if b"\0" in data[:LOOK] else data.decode("utf-8", "replace").removeprefix("\ufeff")


def _python(data: bytes) -> str:
    """The text as Python itself would read it: in UTF-7 and the like, code can stand where others see a comment."""
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
        return data.decode(encoding)
    except (SyntaxError, UnicodeDecodeError, LookupError):
        return data.decode("utf-8", "replace").removeprefix("\ufeff")


DIRECTIVE = re.compile(
    r"noqa|nosec|///\s*script|type\s*:\s*ignore|(?:ruff|ty|flake8|isort|pyright|mypy|pylint|fmt|yapf)\s*:",
    re.IGNORECASE,
)
COMMENT = re.compile(r"#[^\n]*")
DEAF = "x"
"""What the first letter of a directive becomes, so that no tool knows it and no column moves."""


def without_new(text: str, base: str | None) -> str:
    """The text with every suppression made deaf whose line the base text does not have, as often as it has it.

    It goes by lines, not by tokens: a text that only looks like a comment is changed too, which no tool minds, while
    nothing that a tool would take for a comment is missed in a file that does not parse.
    """
    starts = [found.start() for found in COMMENT.finditer(text) if DIRECTIVE.search(found[0])]
    if not starts:
        return text
    # only \n ends a line here: what else Unicode calls a line break does not end a comment for a tool
    known = Counter(line.strip() for line in (base or "").split("\n") if "#" in line)
    lines = text.split("\n")
    for start in starts:
        number = text.count("\n", 0, start)
        lines[number] = _deaf(lines[number], known)
    return "\n".join(lines)


def _deaf(line: str, known: Counter[str]) -> str:
    key = line.strip()
    if known[key] > 0:
        known[key] -= 1
        return line
    code, mark, comment = line.partition("#")
    return code + mark + DIRECTIVE.sub(lambda found: DEAF + found[0][1:], comment)


MARKER = "py.typed"
FIRST_AGE = 1_000_000_000


class Mirror:
    """The copy of one set of files."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.texts: dict[str, str] = {}
        self.state = 0
        """Counts changes, so that what was computed from the files can be known to be old."""
        self.layout: tuple[tuple[Package, ...], tuple[str, ...]] | None = None

    def shows(self, path: str) -> bool:
        """Whether a file belongs into the copy."""
        parts = PurePosixPath(path).parts
        plain = not path.startswith("/") and ".." not in parts
        return plain and (path.endswith(PYTHON) or parts[-1:] == (MARKER,))

    def put(self, path: str, text: str, *, base: str | None) -> bool:
        """Take a file as it is now; says whether anything changed."""
        seen = without_new(text, base)
        if self.texts.get(path) == seen:
            return False
        if path not in self.texts:
            self.layout = None
        file = self.file(path)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(seen.encode("utf-8", "replace"))
        self.texts[path] = seen
        self.state += 1
        # no two versions of a file are of the same age, however quickly one follows the other: caches go by it
        os.utime(file, (FIRST_AGE + self.state, FIRST_AGE + self.state))
        return True

    def drop(self, path: str) -> bool:
        """Forget a file that is gone; says whether it was there."""
        if self.texts.pop(path, None) is None:
            return False
        self.layout = None
        self.file(path).unlink(missing_ok=True)
        self.state += 1
        return True

    def file(self, path: str) -> Path:
        """Where a file lies in the copy."""
        return self.folder / path

    def packages(self) -> tuple[Package, ...]:
        """The repository's own packages."""
        return self._layout()[0]

    def roots(self) -> tuple[str, ...]:
        """The folders imports begin at."""
        return self._layout()[1]

    def _layout(self) -> tuple[tuple[Package, ...], tuple[str, ...]]:
        if self.layout is None:
            self.layout = (packages(self.texts), roots(self.texts))
        return self.layout


UNPARSABLE_MOST = 50
_building = threading.Lock()
"""grimp keeps its settings in one place for the whole process."""


class PackageGraph:
    """The import graph of a mirror, rebuilt when a file changed. Imports for type checking alone are not in it."""

    def __init__(self, mirror: Mirror, *, folder: Path) -> None:
        self.mirror = mirror
        self.folder = folder
        self.built: tuple[int, ImportGraph | None] | None = None

    def build(self) -> ImportGraph | None:
        """The graph; None when the repository has no package. Blocks: call it in a thread."""
        state = self.mirror.state
        if self.built is None or self.built[0] != state:
            self.built = (state, self._fresh())
        return self.built[1]

    def _fresh(self) -> ImportGraph | None:
        language_servers.library("grimp")
        own = self.mirror.packages()
        if not own:
            return None
        places = {package.name: self.mirror.file(package.folder) for package in own}
        with _building:
            try:
                return _read(places, cache=self.folder / "cache")
            except _syntax_error():
                return self._without_unparsable({package.name: package.folder for package in own})

    def _without_unparsable(self, folders: Mapping[str, str]) -> ImportGraph:
        """The graph without files that do not parse, as templates often do not; a changed one has failed before."""
        copy = self.folder / "copy"
        shutil.rmtree(copy, ignore_errors=True)
        for folder in folders.values():
            shutil.copytree(self.mirror.file(folder), copy / folder, dirs_exist_ok=True)
        for _ in range(UNPARSABLE_MOST):
            try:
                return _read({name: copy / folder for name, folder in folders.items()}, cache=None)
            except _syntax_error() as error:
                Path(str(error.filename)).write_text("")
        raise Broken(f"more than {UNPARSABLE_MOST} files do not parse", do="Exclude them in conformance/*.yaml.")


def _read(places: Mapping[str, Path], *, cache: Path | None) -> ImportGraph:
    """The graph; a cache goes by the age of files, which in a mirror tells every version from every other."""
    import grimp
    from grimp.application.config import settings

    usual = settings.PACKAGE_FINDER
    settings.configure(PACKAGE_FINDER=_Told(places))
    try:
        return grimp.build_graph(*places, exclude_type_checking_imports=True, cache_dir=str(cache) if cache else None)
    finally:
        settings.configure(PACKAGE_FINDER=usual)


class _Told:
    """Answers grimp's question for a package's folder."""

    def __init__(self, places: Mapping[str, Path]) -> None:
        self.places = places

    def determine_package_directories(self, package_name: str, file_system: Any) -> set[str]:
        return {str(self.places[package_name])}


def _syntax_error() -> type[Any]:
    from grimp.exceptions import SourceSyntaxError

    return SourceSyntaxError
