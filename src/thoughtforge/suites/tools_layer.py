"""The engine's own test tools as a folder a box can be given, for repositories that bring none."""

from __future__ import annotations

import compileall
import hashlib
import importlib.metadata
import re
import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from thoughtforge.kernel.errors import Mistake
from thoughtforge.suites.declared import normal

TOOLS = ("pytest", "coverage")


def tools_layer(environments: Path, names: Sequence[str] = TOOLS) -> Path:
    """A folder with these tools and what they need, copied once from our own installation."""
    wanted = sorted(_with_needs(names), key=lambda each: normal(each.name))
    identity = "\n".join([sys.implementation.cache_tag or "", *(f"{each.name} {each.version}" for each in wanted)])
    digest = hashlib.sha256(identity.encode()).hexdigest()[:16]
    folder = environments / f"tools-{digest}"
    if not folder.is_dir():
        environments.mkdir(parents=True, exist_ok=True)
        aside = Path(tempfile.mkdtemp(prefix="tools-new-", dir=environments))
        try:
            for distribution in wanted:
                _copy(distribution, aside)
            # a box cannot write beside it, so what is not compiled here is compiled anew in every run
            compileall.compile_dir(aside, quiet=2, stripdir=str(aside), prependdir=str(folder))
            aside.chmod(0o755)
            _take_place(aside, folder)
        finally:
            shutil.rmtree(aside, ignore_errors=True)
    return folder


def _take_place(aside: Path, folder: Path) -> None:
    try:
        aside.rename(folder)
    except OSError:
        if not folder.is_dir():  # another process was first, and made the same
            raise


def _with_needs(names: Sequence[str]) -> list[importlib.metadata.Distribution]:
    found: dict[str, importlib.metadata.Distribution] = {}
    pending = list(names)
    while pending:
        name = pending.pop()
        if normal(name) in found:
            continue
        try:
            found[normal(name)] = importlib.metadata.distribution(name)
        except importlib.metadata.PackageNotFoundError as error:
            if name in names:
                raise Mistake(f"{name} is not installed", do="Install it: pip install 'thoughtforge[code]'.") from error
            continue  # needed on other systems or versions only
        pending += _needed(found[normal(name)])
    return list(found.values())


def _needed(distribution: importlib.metadata.Distribution) -> Iterator[str]:
    for line in distribution.requires or ():
        name = re.match(r"[\w.-]+", line)
        if name and "extra" not in line.partition(";")[2]:
            yield name[0]


def _copy(distribution: importlib.metadata.Distribution, folder: Path) -> None:
    for path in distribution.files or ():
        source = Path(str(path.locate()))
        if path.parts[0] == ".." or path.suffix == ".pyc" or not source.is_file():
            continue  # programs for the shell live outside and are not needed
        target = folder.joinpath(*path.parts)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, target)
