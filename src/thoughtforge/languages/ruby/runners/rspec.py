"""RSpec: a formatter of the engine tells each example as it ends."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Collection, Iterator

from thoughtforge.languages.ruby.naming import files_with_tests, is_ruby_test, rspec_names
from thoughtforge.languages.ruby.process import ruby_command, ruby_report
from thoughtforge.testing.report import RunnerCommand, SuiteRun

DESCRIPTION = "Ruby specs run by RSpec"
LANGUAGE = "ruby"
RANK = 62
PROGRAMS = ("ruby",)
CONFIG = (".rspec", "Gemfile", "Gemfile.lock", "*.gemspec", ".ruby-version")
COMPILES_TOGETHER = False

is_test = is_ruby_test
names = rspec_names
read = ruby_report

PATTERN = r".+_spec\.rb"


def applies(paths: Collection[str], read: Callable[[str], str]) -> bool:
    """Whether there are specs, unless they are written for minitest."""
    specs = files_with_tests(paths, PATTERN)
    return bool(specs) and not any("minitest" in read(path) for path in specs)


def command(job: SuiteRun) -> RunnerCommand:
    """Every spec file in one process, with what the base's `.rspec` loads first."""
    requires = tuple(_required(job.config.get(".rspec", "")))
    return ruby_command(job, "rspec_report.rb", pattern=PATTERN, load_path=("lib", "spec"), requires=requires)


def _required(text: str) -> Iterator[str]:
    """What `.rspec` loads. Its other options show results or choose among them, which the engine decides."""
    words = shlex.split(text, comments=True)
    for at, word in enumerate(words):
        option, _, value = word.partition("=")
        if option in ("-r", "--require"):
            yield value or (words[at + 1] if at + 1 < len(words) else "")
