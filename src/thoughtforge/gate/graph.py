"""Who imports whom among a repository's own packages, read by grimp from the mirror and never by importing anything.

grimp finds packages through Python's import system, which knows the modules this very process runs from: for a
repository that holds one of those it would read the wrong tree. So it is told where each package lies.
"""

from __future__ import annotations

import shutil
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from thoughtforge.gate import tools
from thoughtforge.gate.mirror import Mirror
from thoughtforge.gate.scene import Broken

if TYPE_CHECKING:
    from grimp import ImportGraph

UNPARSABLE_MOST = 50
_building = threading.Lock()
"""grimp keeps its settings in one place for the whole process."""


class Graph:
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
        tools.library("grimp")
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
