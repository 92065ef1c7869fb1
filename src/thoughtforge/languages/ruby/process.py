"""How a Ruby runner is started in the box, and how what its reporter told is read."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from thoughtforge.languages.ruby.naming import files_with_tests, is_ruby_test
from thoughtforge.sandbox.box import SandboxResult
from thoughtforge.testing.report import RunnerCommand, SuiteReport, SuiteRun
from thoughtforge.testing.run import report_of
from thoughtforge.testing.toolchain import fetched

INSIDE = Path(__file__).parent / "inside"


def ruby_command(
    job: SuiteRun, reporter: str, *, pattern: str, load_path: Sequence[str], requires: Sequence[str]
) -> RunnerCommand:
    """One of the reporters, on the files a job names or on all that have tests."""
    wanted = list(dict.fromkeys([*job.files, *(id.partition("::")[0] for id in job.ids)]))
    known = [path.relative_to(job.root).as_posix() for path in job.root.rglob("*.rb")]
    ask = {
        "root": str(job.root),
        "files": wanted or files_with_tests(known, pattern),
        "load_path": [str(job.root / place) for place in load_path if (job.root / place).is_dir()],
        "requires": list(requires),
        "product": [path for path in known if not is_ruby_test(path)],
        "collect_only": job.collect_only,
    }
    texts = {name: (INSIDE / name).read_text(encoding="utf-8") for name in (reporter, "telling.rb")}
    env = {"MT_NO_PLUGINS": "1", "MT_CPU": "1", "LANG": "C.UTF-8"}
    gems = fetched(job.environment, "ruby/gems")
    argv = ["ruby", "--disable=did_you_mean,error_highlight", f"{{run}}/{reporter}"]
    if gems:
        # the base commit's Gemfile, as it was installed: the workspace's own cannot load anything else
        env |= {"BUNDLE_GEMFILE": str(gems.parent / "Gemfile"), "BUNDLE_PATH": str(gems), "BUNDLE_FROZEN": "true"}
        env |= {"BUNDLE_APP_CONFIG": str(gems.parent / ".bundle")}
        argv.insert(1, "-rbundler/setup")
    return RunnerCommand(tuple(argv), env=env, files={**texts, "ask.json": json.dumps(ask)})


def ruby_report(job: SuiteRun, ended: SandboxResult) -> SuiteReport:
    """What the reporter told, and only the tests that were asked for."""
    report = report_of(ended, collect_only=job.collect_only)
    wanted = frozenset(job.ids)
    return report._replace(
        results={}
        if job.collect_only
        else {id: one for id, one in report.results.items() if not wanted or id in wanted},
        collected=tuple(id for id in report.collected if not wanted or id in wanted),
    )
