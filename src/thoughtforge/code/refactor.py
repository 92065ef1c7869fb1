"""Refactor's exit: green's, and the quality of what was changed."""

from __future__ import annotations

from collections.abc import Mapping

from thoughtforge.code import green
from thoughtforge.code.exit import ExitReport
from thoughtforge.code.session import CodeSession
from thoughtforge.gate.findings import GateVerdict, grouped
from thoughtforge.testing.language import language_of


async def measure(session: CodeSession, built: green.Built) -> ExitReport:
    """Green's conditions once more, then coverage, complexity, duplication and size of the changed code."""
    exit = await green.measure(session, built._replace(coverage=True))
    changed = await session.workspace.changed_lines(built.base, built.tree)
    product = {path: lines for path, lines in changed.items() if not session.is_test(path)}
    texts = {path: await _text(session, built.tree, path) for path in product}
    _coverage(exit, product, texts, need=session.rules.change.coverage)
    verdict = await session.gate.stage_end(sorted(product))
    _quality(exit, green.without(verdict, green.within(session.is_test)))
    return exit


async def _text(session: CodeSession, tree: str, path: str) -> str:
    return (await session.workspace.read(tree, path)).decode("utf-8", "replace")


def _coverage(exit: ExitReport, changed: Mapping[str, frozenset[int]], texts: Mapping[str, str], *, need: int) -> None:
    """The share of the changed lines that can run and did."""
    can_run = {path: executable(path, texts[path]) for path in changed}
    wanted = {path: changed[path] & lines for path, lines in can_run.items() if lines is not None}
    others = [path for path, lines in can_run.items() if lines is None]
    total = sum(len(lines) for lines in wanted.values())
    if not total:
        exit.not_run("coverage_threshold", "no changed line can run" if not others else "not measured here")
        exit.fact(coverage_percent=100.0 if not others else 0.0, coverage_measured=False)
        return
    covered: Mapping[str, list[int]] = exit.report.get("covered", {})
    hit = sum(len(lines & set(covered.get(path, ()))) for path, lines in wanted.items())
    percent = round(100 * hit / total, 1)
    missed = [
        f"{path}: lines {_ranges(lines - set(covered.get(path, ())))} do not run"
        for path, lines in wanted.items()
        if lines - set(covered.get(path, ()))
    ]
    problems = [f"{percent} % of {total} changed lines run, {need} % are needed", *missed] if percent < need else []
    exit.require("coverage_threshold", problems, good=f"{percent} % of {total} changed lines run")
    exit.fact(coverage_percent=percent, coverage_measured=True)


def executable(path: str, text: str) -> frozenset[int] | None:
    """The lines of a file that can run; None when its language does not tell."""
    language = language_of(path)
    return language.proofs.executable(text) if language and language.proofs.executable else None


def _ranges(lines: frozenset[int]) -> str:
    return ", ".join(str(line) for line in sorted(lines)[:12]) + (" …" if len(lines) > 12 else "")


def _complexity_held(verdict: GateVerdict) -> str:
    """That nothing new is too complex, and what of the changed files was so before."""
    old = [f"{f.path}:{f.line} {f.message}" for f in verdict.existing if f.check == "max-complexity"]
    held = "no new function is above the limit of cyclomatic complexity"
    more = f", and {len(old) - 1} more" if len(old) > 1 else ""
    return f"{held}; there before: {old[0]}{more}" if old else held


def _quality(exit: ExitReport, verdict: GateVerdict) -> None:
    if verdict.broken:
        exit.broken("quality", "; ".join(f"{one.check}: {one.broken}" for one in verdict.broken))
        return
    complex_ = [f for f in verdict.new if f.check == "max-complexity"]
    smells = [f for f in verdict.new if f.check != "max-complexity"]
    told = [f"{f.id} {f.path}:{f.line} {f.message}" for f in complex_]
    exit.require("complexity_threshold", told, good=_complexity_held(verdict))
    exit.require("no_code_smells", [group.told() for group in grouped(smells)])
    exit.fact(
        complexity_acceptable=not complex_,
        open_findings=len(verdict.new),
        duplicated=sum(f.check == "no-duplicate-code" for f in smells),
    )
