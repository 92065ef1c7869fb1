"""One check on a folder of files, through the real gate with the real tools."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from thoughtforge.catalog import Catalog
from thoughtforge.gate.active import check_names
from thoughtforge.gate.cache import BaseFiles
from thoughtforge.gate.conformance import Conformance, load
from thoughtforge.gate.findings import Finding, Outcome
from thoughtforge.gate.run import Gate, GateConfig

Files = Mapping[str, str]


def only(name: str, options: Mapping[str, Any], *, library: Path) -> Conformance:
    """A configuration in which one check alone is active."""
    checks: dict[str, Any] = {each: False for each in check_names()}
    checks[name] = {"active": True, "options": dict(options)}
    project = {"conformance/one.yaml": json.dumps({"checks": checks})}
    return load(Catalog(project=project, user=None, library=library), check_names())


def write(root: Path, files: Files) -> None:
    """Lay files out below a folder."""
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8", newline="")


def outcome(
    folder: Path,
    name: str,
    files: Files,
    *,
    base: Files | None = None,
    options: Mapping[str, Any] | None = None,
    search_path: str | None = None,
) -> Outcome:
    """What a check comes to when these files lie in a folder and the base commit has those of `base`."""
    root = folder / "files"
    write(root, files)
    before = None if base is None else BaseFiles("0" * 40, tuple(sorted(base)), dict(base))
    means = GateConfig(folder / "tools", os.environ["PATH"] if search_path is None else search_path)

    async def looked() -> Outcome:
        gate = Gate(root, only(name, options or {}, library=folder / "none"), before=before, config=means)
        try:
            await gate.open(files)
            paths = sorted({*files, *(base or {})})
            changed = [path for path in paths if base is None or files.get(path) != base.get(path)]
            verdict = await gate.stage_end(changed)
        finally:
            await gate.close()
        return next(each for each in verdict.outcomes if each.check == name)

    return asyncio.run(looked())


def findings(folder: Path, name: str, files: Files, **given: Any) -> tuple[Finding, ...]:
    """The findings of a check that is not broken."""
    came = outcome(folder, name, files, **given)
    assert not came.broken, came.broken
    return came.findings


def told(folder: Path, name: str, files: Files, **given: Any) -> list[tuple[str, int, str]]:
    """Path, line and message of each finding."""
    return [(each.path, each.line, each.message) for each in findings(folder, name, files, **given)]
