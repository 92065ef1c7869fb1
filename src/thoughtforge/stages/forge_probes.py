"""The assumptions of a plan, tried before anybody approves it: a search, an import, a command, a few lines of code."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence
from pathlib import PurePosixPath

from thoughtforge.agent.run import Run, run_until_aborted
from thoughtforge.code.commands import check_allowed, run_named, shown, text_of
from thoughtforge.code.session import CodeSession
from thoughtforge.forge.feasibility import Expectation, PlanProbe, expected, probes_of
from thoughtforge.forge.findings import AuditFinding
from thoughtforge.kernel.errors import UserError
from thoughtforge.kernel.events import Measured
from thoughtforge.kernel.model import Criterion, Stage
from thoughtforge.testing.language import languages

HITS = 5
LONGEST_TRY = 20
"""Lines of an experiment."""
MOST = 12
"""Probes of one plan that are run."""
NO_PROGRAM = (126, 127)
"""How a shell ends that cannot start a program."""


async def probe(run: Run, stage: Stage, text: str) -> tuple[Criterion, ...]:
    """Each assumption with its answer; what cannot be tried is shown as not run, never as held."""
    wanted = probes_of(text)
    if not wanted:
        return ()
    tried = tuple([await _tried(run, one) for one in wanted[:MOST]])
    tried += tuple(Criterion(name=_name(one), outcome="not_run", detail="too many probes") for one in wanted[MOST:])
    bad, lost = (sum(one.outcome == how for one in tried) for how in ("fail", "broken"))
    run.record.journal.append(
        Measured(
            stage=stage.name,
            round=run.record.stage(stage.name).round,
            step=run.record.state.used.steps,
            what="probes",
            outcome="fail" if bad else "broken" if lost else "pass",
            summary=f"{len(tried)} assumptions, {bad} refuted" + f", {lost} could not be tried" * bool(lost),
            criteria=tried,
        )
    )
    return tried


def refuted(tried: Sequence[Criterion]) -> tuple[AuditFinding, ...]:
    """A refuted assumption blocks; one that could not be tried is none."""
    return tuple(
        AuditFinding(
            "blocking",
            f"The engine tried the assumption {one.name} and it does not hold: {one.detail}",
            "Risks",
            "A refuted assumption",
        )
        for one in tried
        if one.outcome == "fail"
    )


def _name(one: PlanProbe) -> str:
    return f"{one.assumption} | {one.kind} {' '.join(one.probe.split())[:120]} | {one.expect}"


async def _tried(run: Run, one: PlanProbe) -> Criterion:
    try:
        if one.kind == "search":
            return await _searched(run, one)
        session = await run.session()
        if session is None:
            raise UserError("nothing can be run here", do="")
        argv = _argv(session, one)
    except (UserError, ValueError) as mistake:
        what = mistake.what if isinstance(mistake, UserError) else str(mistake)
        return Criterion(name=_name(one), outcome="not_run", detail=what[:300])
    try:
        trial = run_named(session, argv, more=_like_tests(session))
        ended = await run_until_aborted(run.record.journal, run.people.drain_inbox, trial)
    except UserError as mistake:
        return Criterion(name=_name(one), outcome="broken", detail=f"could not run: {mistake.what}"[:300])
    output = text_of(ended.stdout + ended.stderr)
    how = f"ended by the limit {ended.stopped}" if ended.stopped else f"exit {ended.code}"
    told = f"{how}; {' '.join(shown(output.encode(), 400).split())}"
    if ended.stopped or _lacks(run, session, one, ended.code, output):
        return Criterion(name=_name(one), outcome="broken", detail=f"could not run: {told}")
    return _judged(one, code=ended.code, output=output, there=ended.code == 0, told=told)


def _like_tests(session: CodeSession) -> Mapping[str, str]:
    """What a program needs to find what the tests find."""
    language = languages().get(session.runner.LANGUAGE)
    known = language.finding if language is not None else None
    return known(session.environment, session.config) if known is not None else {}


def _lacks(run: Run, session: CodeSession, one: PlanProbe, code: int, output: str) -> bool:
    """Whether it ended for want of a program or a module that is neither the repository's nor what it looks for."""
    want = expected(one.expect)
    if code == 0:
        return False
    if code in NO_PROGRAM:
        return code != want.exit_code
    language = languages().get(session.runner.LANGUAGE)
    last = next((line for line in reversed(output.splitlines()) if line.strip()), "")
    found = re.search(language.lacking, last) if language is not None and language.lacking else None
    wanted = [want.output, one.probe.split(".")[0] if one.kind == "import" else ""]
    if found is None or any(found["name"] in text for text in wanted):
        return False
    paths = map(PurePosixPath, run.library.tree.entries)
    return not any(found["name"] in (path.stem, *path.parts) for path in paths)


async def _searched(run: Run, one: PlanProbe) -> Criterion:
    found = await run.library.tree.search(one.probe, limit=HITS)
    if found.error:
        return Criterion(name=_name(one), outcome="not_run", detail=found.error)
    rows = [f"{hit.path}:{hit.line}: {hit.text.strip()[:100]}" for hit in found.hits]
    told = "; ".join(rows) + (" and more" if found.more else "") if rows else "not found"
    return _judged(one, code=None, output="\n".join(rows), there=bool(rows), told=told)


def _argv(session: CodeSession, one: PlanProbe) -> list[str]:
    """The command that tries an assumption; one that is not allowed, or not known here, is a UserError."""
    if one.kind == "run":
        argv = shlex.split(one.probe)
        check_allowed(argv, session.rules.commands)
        return argv
    language = languages().get(session.runner.LANGUAGE)
    if one.kind not in ("import", "try") or language is None or not language.script:
        raise UserError(f"this kind of probe cannot be run here: {one.kind}", do="")
    if one.kind == "import":
        if not all(part.isidentifier() for part in one.probe.split(".")):
            raise UserError(f"{one.probe[:80]!r} is no name to import", do="")
        return [*language.script, language.import_line.format(one.probe)]
    if not one.probe.strip() or len(one.probe.splitlines()) > LONGEST_TRY:
        raise UserError(f"an experiment has 1 to {LONGEST_TRY} lines", do="")
    return [*language.script, one.probe]


def _judged(one: PlanProbe, *, code: int | None, output: str, there: bool, told: str) -> Criterion:
    want = expected(one.expect)
    holds = _holds(want, code=code, output=output, there=there)
    return Criterion(name=_name(one), outcome="pass" if holds else "fail", detail=told)


def _holds(want: Expectation, *, code: int | None, output: str, there: bool) -> bool:
    if want.found is not None and want.found != there:
        return False
    if want.exit_code is not None and code != want.exit_code:
        return False
    return want.output in output
