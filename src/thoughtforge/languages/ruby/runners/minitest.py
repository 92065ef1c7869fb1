"""minitest: a reporter of the engine loads the test files and tells each test as it ends."""

from __future__ import annotations

from collections.abc import Callable, Collection

from thoughtforge.languages.ruby.naming import files_with_tests, is_ruby_test, minitest_names
from thoughtforge.languages.ruby.process import ruby_command, ruby_report
from thoughtforge.testing.report import RunnerCommand, SuiteRun

DESCRIPTION = "Ruby tests written for minitest, as classes or as specs"
LANGUAGE = "ruby"
RANK = 64
PROGRAMS = ("ruby",)
CONFIG = ("Gemfile", "Gemfile.lock", "*.gemspec", ".ruby-version")
COMPILES_TOGETHER = False

is_test = is_ruby_test
names = minitest_names
read = ruby_report

PATTERN = r"test_.+\.rb|.+_test\.rb|.+_spec\.rb"


def applies(paths: Collection[str], read: Callable[[str], str]) -> bool:
    """Whether there are files of tests in Ruby."""
    return bool(files_with_tests(paths, PATTERN))


def command(job: SuiteRun) -> RunnerCommand:
    """Every test file in one process; the folders `lib` and `test` are on the load path."""
    return ruby_command(job, "minitest_report.rb", pattern=PATTERN, load_path=("lib", "test"), requires=())
