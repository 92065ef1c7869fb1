"""The gate: runs the checks on what changed and answers what is new, what was there before and what is broken.

Syntax comes first and ends the gate at once; everything else runs side by side. Whatever a check needs of the base
commit is worked out once per commit and kept.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

from thoughtforge import __version__
from thoughtforge.gate import language_servers
from thoughtforge.gate.active import Active, active, ruff_wanted
from thoughtforge.gate.cache import BaseFiles, read_findings, write_findings
from thoughtforge.gate.commands import CommandRun, CommandSandbox
from thoughtforge.gate.conformance import Conformance
from thoughtforge.gate.context import Broken
from thoughtforge.gate.files import Files, View
from thoughtforge.gate.findings import Finding, GateVerdict, Outcome, OutcomeCache, Violation, identify, judge, key_of
from thoughtforge.gate.linters import Ruff, Ty
from thoughtforge.gate.mirror import Mirror, PackageGraph, oldest_python
from thoughtforge.workspaces.patterns import any_matches

EVERYWHERE = "ty everywhere"
ANYWHERE = ("types", "architecture")
"""Categories in which a change can break another file than the one it is in."""


class GateConfig(NamedTuple):
    """What a gate is given besides the files."""

    place: Path
    """A private folder of its own, outside the workspace."""
    search_path: str
    environment: Path | None = None
    """The Python environment with the repository's dependencies."""
    environment_digest: str = ""
    more: tuple[Path, ...] = ()
    """Further folders of modules the tests may import."""
    is_test: Callable[[str], bool] = lambda path: False
    surroundings: CommandSandbox = CommandSandbox()
    own: Callable[[], Iterable[str]] = tuple
    """Modules that are announced: the project's own before they exist."""
    kept: Path | None = None
    """Where the findings of base commits are kept between processes."""


class Gate:
    """The checks of one repository over one folder. Close it: it keeps warm tools."""

    def __init__(
        self,
        root: Path,
        conformance: Conformance,
        *,
        before: BaseFiles | None,
        config: GateConfig,
        against_base: bool = True,
    ) -> None:
        self.root = root
        self.conformance = conformance
        self.announced: frozenset[str] = frozenset()
        """Modules somebody has announced since."""
        self.before = before
        self.config = config
        self.against_base = against_base
        """Whether what the base commit has already is set apart; else everything counts."""
        self.commands = {name: CommandRun(spec, config.surroundings) for name, spec in conformance.commands.items()}
        self.checks = active(conformance, commands=self.commands)
        python = oldest_python(before.texts.get("pyproject.toml", "") if before else "")
        mirror = Mirror(config.place / "mirror")
        mirror.folder.mkdir(parents=True, exist_ok=True)
        settings = ruff_wanted(self.checks, python=python)
        self.files = Files(
            root,
            before,
            mirror=mirror,
            ruff=Ruff(
                mirror,
                settings,
                folder=config.place,
                search_path=config.search_path,
                own=lambda: {*config.own(), *self.announced},
            ),
            ty=Ty(
                mirror,
                folder=config.place,
                search_path=config.search_path,
                environment=config.environment,
                more=config.more,
                python=python,
            ),
            graph=PackageGraph(mirror, folder=config.place / "graph"),
        )
        self.cache = OutcomeCache()
        self.lock = asyncio.Lock()
        self.base: tuple[Finding, ...] | None = None
        self.versions = ""

    async def open(self, paths: Iterable[str]) -> None:
        """Take all files of the folder; call it once before anything is judged."""
        survey, _ = await asyncio.gather(language_servers.survey(self.config.search_path), self.files.refresh(paths))
        known = {tool.name: tool.version for tool in survey}
        known |= {name: command.edition() for name, command in self.commands.items()}
        self.versions = " ".join(f"{name}={version}" for name, version in known.items())

    async def edit(self, paths: Sequence[str], *, wide: bool = True) -> GateVerdict:
        """After an edit of these files. `wide` also looks at the types of all files that may depend on them."""
        adds = self.before is None or any(path not in self.before.texts for path in paths)
        moments = ("every_edit", "new_file") if adds else ("every_edit",)
        return await self._look(paths, [each for each in self.checks if each.check.MOMENT in moments], wide=wide)

    async def stage_end(self, paths: Sequence[str]) -> GateVerdict:
        """At the end of a stage that changed these files: every check."""
        return await self._look(paths, self.checks, wide=True)

    async def whole(self, paths: Sequence[str]) -> GateVerdict:
        """Every check on these files as they are, changed or not."""
        return await self._look(paths, self.checks, wide=True, everything=True)

    async def baseline(self) -> tuple[Finding, ...]:
        """What the base commit has already; worked out once per commit, configuration and set of tools."""
        if self.base is None and self.before is not None and self.against_base:
            self.base = await self._kept_base(self.before)
        return self.base or ()

    def stood(self, finding: Finding) -> bool:
        """Whether the base commit, once measured, has one of the same rule on that line of a file that is unchanged."""
        text = self.before.texts.get(finding.path) if self.before is not None else None
        if text is None or self.files.texts.get(finding.path) != text:
            return False
        place = (finding.path, finding.line, finding.check, finding.rule)
        return any((one.path, one.line, one.check, one.rule) == place for one in self.base or ())

    async def close(self) -> None:
        """End the warm tools."""
        await self.files.close()

    async def _look(
        self, paths: Sequence[str], checks: Sequence[Active], *, wide: bool, everything: bool = False
    ) -> GateVerdict:
        began = time.monotonic()
        async with self.lock:
            await self.files.refresh(paths)
            changed = None if everything else self.files.changed(paths)
            first = [check for check in checks if check.category == "syntax"]
            if not everything:
                await self._ask_ahead(checks, paths, wide=wide)
            outcomes = await self._run(first, paths, changed, wide=False)
            if not everything:
                verdict = await self._judged(outcomes, began)
                if not verdict.passed:
                    return verdict
            rest = [check for check in checks if check.category != "syntax" and self._wanted(check)]
            outcomes += await self._run(rest, paths, changed, wide=wide)
            return await self._judged(outcomes, began)

    async def _ask_ahead(self, checks: Sequence[Active], paths: Sequence[str], *, wide: bool) -> None:
        """Let the warm tools begin while the syntax is looked at; should that fail, nobody waits for their answers."""
        ruff, ty = self.files.ruff, self.files.ty
        typed = {
            path
            for check in checks
            if check.category == "types"
            for path in fitting(check, paths, is_test=self.config.is_test)
        }
        linted = {
            path for check in checks if check.check.RUFF for path in fitting(check, paths, is_test=self.config.is_test)
        }
        if typed and wide:
            self.files.begin(EVERYWHERE, "", ty.everything)
        for path in sorted(self.files.mirror.texts.keys() & typed) if not wide else ():
            self.files.begin("ty", path, partial(ty.look, path))
        for path in sorted(path for path in self.files.mirror.texts.keys() & linted if path.endswith(".py")):
            self.files.begin("ruff", path, partial(ruff.look, path))
        await asyncio.sleep(0)  # so that the questions are on their way

    def _wanted(self, check: Active) -> bool:
        """Whether an agent was honest is only a question when there is something to hold its work against."""
        return self.against_base or check.category != "honesty"

    async def _judged(self, outcomes: Sequence[Outcome], began: float) -> GateVerdict:
        found = any(outcome.findings for outcome in outcomes)
        before = await self.baseline() if found else ()
        return judge(outcomes, before, seconds=time.monotonic() - began)

    async def _run(
        self,
        checks: Sequence[Active],
        paths: Sequence[str],
        changed: Mapping[str, frozenset[int]] | None,
        *,
        wide: bool,
    ) -> list[Outcome]:
        tree = self.files.tree_digest()
        # the servers work while the rest of the checks do, so those that wait for one begin first
        order = sorted(checks, key=lambda check: (check.category != "types", not check.check.RUFF))
        return list(await asyncio.gather(*(self._one(check, paths, changed, tree, wide=wide) for check in order)))

    async def _one(
        self,
        check: Active,
        paths: Sequence[str],
        changed: Mapping[str, frozenset[int]] | None,
        tree: str,
        *,
        wide: bool,
    ) -> Outcome:
        began = time.monotonic()
        try:
            reached = await self._reached(paths) if wide and check.category == "types" else paths
            wanted = fitting(check, reached, is_test=self.config.is_test)
            key = key_of(check.name, check.options, check.severity, self._stamp(), tree, wanted, changed is None)
            known = self.cache.get(key)
            if known is not None:
                return known
            view = View(self.files, wanted, changed, is_test=self.config.is_test)
            found = list(await check.check.run(view, check.options)) if wanted else []
            outcome = self._outcome(check, found, view, time.monotonic() - began)
            self.cache.put(key, outcome)
            return outcome
        except Broken as broken:
            return _broken(check, f"{broken.what}. {broken.do}".strip(), began)
        except Exception as error:  # noqa: BLE001 - a check may come from anywhere; whatever it raises, it did not pass
            return _broken(check, f"the check itself failed: {type(error).__name__}: {error}", began)

    async def _reached(self, paths: Sequence[str]) -> Sequence[str]:
        """These files and every other file that has a type error: one may be there because of the change."""
        others = await self.files.once(EVERYWHERE, "", self.files.ty.everything)
        return [*paths, *sorted(set(others) - set(paths))] if self.against_base else paths

    def _outcome(self, check: Active, found: Sequence[Violation], view: View, seconds: float) -> Outcome:
        hint = check.check.HINT
        anywhere = self.against_base and check.category in ANYWHERE
        seen = set(view.paths)
        kept = [item for item in found if anywhere or not item.path or item.path in seen]
        texts = [(item._replace(hint=item.hint or hint), view.line(item.path, item.line)) for item in kept]
        named = {"check": check.name, "category": check.category}
        findings = identify(texts, **named, severity=check.severity, origins=self.files.moved.origins)
        return Outcome(check.name, check.category, "fail" if findings else "pass", tuple(findings), seconds=seconds)

    def _stamp(self) -> str:
        commit = self.before.commit if self.before else ""
        environment = f"{self.config.environment or ''} {self.config.environment_digest}"
        return f"{__version__} {self.versions} {self.conformance.digest} {environment} {commit}"

    async def _kept_base(self, before: BaseFiles) -> tuple[Finding, ...]:
        key = key_of("base", self._stamp(), [(check.name, check.options) for check in self.checks])
        file = self.config.kept / f"{key}.json" if self.config.kept else None
        known = read_findings(file) if file else None
        if known is not None:
            return known
        verdict = await self._measured_base(before)
        if file is not None and not verdict.broken:
            write_findings(file, verdict.new)
        return verdict.new

    async def _measured_base(self, before: BaseFiles) -> GateVerdict:
        """A gate of its own over the files of the base commit."""
        place = self.config.place / "base"
        root = place / "files"
        await asyncio.to_thread(before.write, root)
        config = self.config._replace(place=place / "tools", kept=None)
        gate = Gate(root, self.conformance, before=before, config=config, against_base=False)
        try:
            await gate.open(before.texts)
            return await gate.whole(tuple(before.texts))
        finally:
            await gate.close()


def _broken(check: Active, why: str, began: float) -> Outcome:
    return Outcome(check.name, check.category, "broken", broken=why, seconds=time.monotonic() - began)


def fitting(check: Active, paths: Iterable[str], *, is_test: Callable[[str], bool]) -> tuple[str, ...]:
    """Which of these files a check looks at."""
    return tuple(
        path
        for path in paths
        if (not check.check.ENDINGS or path.endswith(check.check.ENDINGS))
        and (not check.applies_to or any_matches(path, check.applies_to))
        and not (check.excluded and any_matches(path, check.excluded))
        and not (check.exempts_tests and is_test(path))
    )
