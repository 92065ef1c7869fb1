"""What the files of a Python project declare to need, as tools and people read them."""

from __future__ import annotations

import configparser
import re
import tomllib
from collections.abc import Iterable, Iterator
from typing import Any

from thoughtforge.suites.declared import table_in, versions_in
from thoughtforge.suites.language import Requirement

REQUIREMENT = re.compile(r"\s*([A-Za-z0-9][A-Za-z0-9._-]*)\s*(.*)")


def in_pyproject(text: str) -> Iterator[Requirement]:
    """Plain, optional and grouped dependencies, and poetry's."""
    data = tomllib.loads(text)
    project = table_in(data, "project")
    yield from _parsed(_texts(project.get("dependencies")))
    groups = [*table_in(project, "optional-dependencies").values(), *table_in(data, "dependency-groups").values()]
    for group in groups:
        yield from _parsed(_texts(group))
    poetry = table_in(data, "tool", "poetry")
    for place in (poetry, *table_in(poetry, "group").values()):
        # poetry lists the interpreter among the dependencies
        yield from (pair for pair in versions_in(table_in(place, "dependencies")) if pair[0] != "python")


def in_requirements(text: str) -> Iterator[Requirement]:
    """The lines that name a package; options and addresses name none."""
    lines = (re.sub(r"(^|\s)#.*", "", line).strip() for line in text.replace("\\\n", " ").splitlines())
    yield from _parsed(line for line in lines if not line.startswith("-") and "://" not in line.partition("@")[0])


def in_setup_cfg(text: str) -> Iterator[Requirement]:
    """What the package needs, and its extras."""
    config = configparser.ConfigParser(interpolation=None)
    config.read_string(text)
    blocks = [config.get("options", "install_requires", fallback="")]
    if config.has_section("options.extras_require"):
        blocks += [value for _, value in config.items("options.extras_require")]
    for block in blocks:
        yield from in_requirements(block)


def _texts(values: Any) -> list[str]:
    return [value for value in values if isinstance(value, str)] if isinstance(values, list) else []


def _parsed(lines: Iterable[str]) -> Iterator[Requirement]:
    """Name and the rest of lines such as `click>=8.1; python_version > "3"`."""
    for line in lines:
        if found := REQUIREMENT.fullmatch(line):
            yield found[1], found[2]


DECLARES = {"pyproject.toml": in_pyproject, "requirements*.txt": in_requirements, "setup.cfg": in_setup_cfg}
"""Pattern of a file's name → how what it declares is read."""
