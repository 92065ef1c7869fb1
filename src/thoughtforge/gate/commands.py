"""Command checks: a program of the repository's own judges its files, in the sandbox, in any language."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import unquote, urlsplit

from pydantic import BaseModel

from thoughtforge.gate.conformance import CommandCheck
from thoughtforge.gate.context import Broken, CheckContext
from thoughtforge.gate.findings import Violation
from thoughtforge.kernel.errors import UserError
from thoughtforge.kernel.model import Value
from thoughtforge.sandbox import sandbox
from thoughtforge.sandbox.box import Mount, ResourceLimits, SandboxResult, SandboxSpec
from thoughtforge.sandbox.sandbox import Sandbox

FILES = "{files}"
SAID = 300


class NoCheckOptions(Value):
    """A command check has none: its file says everything."""


class CommandSandbox(NamedTuple):
    """What commands get: the sandbox and, read-only, the repository's environment."""

    sandbox: Sandbox | None = None
    mounts: tuple[Mount, ...] = ()
    env: Mapping[str, str] = {}


class CommandRun:
    """One command check as the gate runs it."""

    def __init__(self, spec: CommandCheck, surroundings: CommandSandbox) -> None:
        self.spec = spec
        self.surroundings = surroundings
        self.CATEGORY = spec.category
        self.MOMENT = spec.moment
        self.SEVERITY = spec.severity
        self.DESCRIPTION = f"{' '.join(spec.argv)} finds nothing."
        self.HINT = f"Run it yourself: {' '.join(spec.argv).replace(FILES, '').strip()}"
        self.ACTIVE = True
        self.RUFF: tuple[str, ...] = ()
        self.ENDINGS = spec.endings
        self.Options: type[BaseModel] = NoCheckOptions

    def edition(self) -> str:
        """Which program it is: another version has another place, size or time. Empty when it is not there."""
        path = self.surroundings.env.get("PATH", sandbox.SEARCH_PATH)
        found = shutil.which(self.spec.argv[0], path=path)
        if found is None or not Path(found).is_absolute():  # one of the repository's own is a file like any other
            return ""
        real = Path(found).resolve()
        return f"{real} {real.stat().st_size} {real.stat().st_mtime_ns}"

    def ruff_settings(self, options: Any) -> dict[str, Any]:
        """Nothing: it does not use ruff."""
        return {}

    async def run(self, context: CheckContext, options: Any) -> Iterable[Violation]:
        """Run the program and read what it found."""
        there = [path for path in context.paths if (context.root / path).is_file()]
        if not there:
            return []
        if self.surroundings.sandbox is None:
            raise Broken("commands need a sandbox and none works here", do="See: thoughtforge doctor")
        argv = [part for word in self.spec.argv for part in (there if word == FILES else [word])]
        box = SandboxSpec(
            cwd=context.root,
            mounts=(Mount(context.root), *self.surroundings.mounts),
            env=self.surroundings.env,
            limits=ResourceLimits(wall_seconds=self.spec.wall_seconds),
        )
        try:
            ended = await sandbox.run(self.surroundings.sandbox, box, argv)
        except UserError as mistake:
            raise Broken(mistake.what, do=mistake.do) from mistake
        return [*self._changed(context), *(_placed(found, context.root) for found in self._read(ended, context.root))]

    def _changed(self, context: CheckContext) -> Iterator[Violation]:
        """The command's files are in the repository: a change to them would judge itself."""
        for word in self.spec.argv if context.changed is not None else ():
            path = word.removeprefix("./")
            before = context.base_text(path)
            if before is not None and before != context.text(path):
                message = f"{path}, which the check {self.spec.name} runs, was changed"
                yield Violation("", 0, message, anchor=path, hint="Revert the change; only a person may make it.")

    def _read(self, ended: SandboxResult, root: Path) -> Iterator[Violation]:
        known = (*self.spec.clean, *self.spec.findings)
        if ended.stopped or ended.cut or ended.code not in known:
            reason = f"stopped by {ended.stopped}" if ended.stopped else f"exit code {ended.code}"
            raise Broken(f"{self.spec.argv[0]} did not finish ({reason}): {_last_words(ended)}")
        found = list(self._findings(ended.stdout.decode("utf-8", "replace"), root))
        if ended.code in self.spec.findings and ended.code not in self.spec.clean and not found:
            # a program that says it found something must not pass because nobody could read what
            found = [Violation("", 0, f"{self.spec.argv[0]} failed: {_last_words(ended)}", anchor=self.spec.name)]
        yield from found

    def _findings(self, out: str, root: Path) -> Iterator[Violation]:
        if self.spec.parse == "sarif":
            yield from sarif_findings(out, root)
        elif self.spec.parse == "lines":
            for hit in re.compile(self.spec.pattern, re.MULTILINE).finditer(out):
                groups = hit.groupdict()
                line = groups.get("line") or "1"
                yield Violation(
                    _inside(groups["path"], root),
                    int(line) if line.isdigit() else 1,
                    groups["message"].strip(),
                    rule=groups.get("code") or "",
                )


def sarif_findings(text: str, root: Path) -> Iterator[Violation]:
    """Every result of a SARIF log, with the place it names first."""
    try:
        runs = json.loads(text)["runs"]
        for result in (result for run in runs for result in run.get("results") or []):
            place = (result.get("locations") or [{}])[0].get("physicalLocation", {})
            uri = place.get("artifactLocation", {}).get("uri", "")
            line = place.get("region", {}).get("startLine", 1)
            yield Violation(
                _inside(unquote(urlsplit(uri).path), root),
                int(line),
                str(result["message"]["text"]),
                rule=str(result.get("ruleId", "")),
            )
    except (ValueError, KeyError, TypeError, AttributeError, IndexError) as error:
        raise Broken(f"the output is not SARIF: {error}", do="Check the command's output format.") from error


def _inside(place: str, root: Path) -> str:
    """A place as a path from the root."""
    return place.removeprefix(f"{root}/").removeprefix("./")


def _placed(found: Violation, root: Path) -> Violation:
    """A finding at a place that is no file here is about the repository as a whole; it must not get lost."""
    if not found.path or (root / found.path).is_file():
        return found
    return found._replace(path="", line=0, message=f"{found.path}: {found.message}", anchor=found.path + found.message)


def _last_words(ended: SandboxResult) -> str:
    said = (ended.stderr or ended.stdout).decode("utf-8", "replace").strip()
    return said[-SAID:].replace("\n", " ") or "it printed nothing"
