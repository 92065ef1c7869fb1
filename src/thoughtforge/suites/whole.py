"""A run that can only be told as a whole: one test, answered by the exit code."""

from __future__ import annotations

from thoughtforge.sandbox.box import Boxed
from thoughtforge.suites.facts import said
from thoughtforge.suites.result import Job, Report, TestResult

COMMAND_MISSING = (126, 127)


def whole_report(id: str, job: Job, ended: Boxed, *, broken: bool = False) -> Report:
    """One test of that name. A command that could not be started, or was ended by a signal, says nothing."""
    if broken or ended.code in COMMAND_MISSING or ended.code > 128:
        return Report(collected=(id,), broken=f"{id} could not do its work, code {ended.code}{said(ended)}")
    if job.collect_only:
        return Report(collected=(id,))
    if ended.code == 0:
        return Report({id: TestResult(id, "passed")}, (id,))
    error = f"code {ended.code}{said(ended)}"
    return Report({id: TestResult(id, "failed", cause="other", error=error)}, (id,))
