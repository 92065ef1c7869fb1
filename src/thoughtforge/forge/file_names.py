"""Which names are names of files: what the languages say of theirs, and the lists of a data file."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

from thoughtforge.catalog import LIBRARY
from thoughtforge.testing.language import languages

FILE = LIBRARY / "forge" / "file-names.yaml"


class FileNames(NamedTuple):
    """What is known about names of files."""

    endings: frozenset[str]
    """In small letters, without the dot."""
    names: frozenset[str]
    dotted: frozenset[str]
    program_folders: frozenset[str]
    products: frozenset[str]
    domains: frozenset[str]


@cache
def file_names() -> FileNames:
    """Everything that is known, read once."""
    import yaml

    listed = {key: frozenset(str(words).split()) for key, words in yaml.safe_load(FILE.read_text("utf-8")).items()}
    known = languages().values()
    endings = {ending.removeprefix(".") for each in known for ending in each.endings}
    locks = {name for each in known if each.dependencies for name in each.dependencies.locks}
    names = {name for each in known for name in (*each.shared, *each.package_files) if "*" not in name}
    return FileNames(**{**listed, "endings": listed["endings"] | endings, "names": listed["names"] | locks | names})
