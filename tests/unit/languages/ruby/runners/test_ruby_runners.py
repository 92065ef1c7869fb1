"""minitest and RSpec for real: every outcome has its cause, and what a product does to them does not pass for one."""

from __future__ import annotations

import asyncio
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from suite_runs import found_sandbox, run_tests, write
from thoughtforge.languages.ruby.dependencies import OWN_NOTE, install
from thoughtforge.sandbox.box import ResourceLimits
from thoughtforge.settings.config import Setup
from thoughtforge.testing.access import PackageIndex
from thoughtforge.testing.environment import prepare
from thoughtforge.testing.install import Interpreter, ToInstall
from thoughtforge.testing.report import Environment, SuiteReport


def installed(*modules: str) -> bool:
    """Whether Ruby and these libraries are there."""
    code = "; ".join(f'require "{name}"' for name in modules)
    try:
        return subprocess.run(["ruby", "-e", code], capture_output=True, check=False).returncode == 0
    except FileNotFoundError:
        return False


needs_minitest = pytest.mark.skipif(not installed("minitest"), reason="ruby or minitest is not installed")
needs_rspec = pytest.mark.skipif(not installed("rspec/core", "rspec/mocks"), reason="ruby or rspec is not installed")
needs_bundler = pytest.mark.skipif(not installed("minitest", "bundler"), reason="ruby or bundler is not installed")
CALC = "module Calc\n  def self.add(a, b) = a + b\nend\n"
MINITEST = """require "minitest/autorun"
require "calc"

class SumsTest < Minitest::Test
  def test_ok = assert_equal(3, Calc.add(1, 2))

  def test_wrong = assert_equal(4, Calc.add(1, 2))

  def test_skipped = skip("later")

  def test_no_method = Calc.sub(1, 2)

  def test_no_constant = Calc::Shelf.new

  def test_no_file = require("calc/deep")

  def test_other = raise(ArgumentError, "x")
end
"""
RSPEC = """require "calc"

RSpec.describe Calc do
  it("is ok") { expect(Calc.add(1, 2)).to eq(3) }
  it("is wrong") { expect(Calc.add(1, 2)).to eq(4) }
  it "is later"
  it("has no method") { Calc.sub(1, 2) }
  it("expects a call") { expect(Calc).to receive(:add) }
  it("raises") { raise ArgumentError, "x" }

  context "when set up badly" do
    before(:context) { raise "early" }

    it("never begins") { }
  end
end
"""


def run(tmp_path: Path, name: str, tree: dict[str, str], **asked: object) -> SuiteReport:
    root = write(tmp_path / "tree", {"lib/calc.rb": CALC, **tree})
    return run_tests(root, tmp_path / "scratch", name=name, env=Environment("ruby"), **asked)


def short(report: SuiteReport) -> dict[str, str]:
    assert report.broken == ""
    told = report.results.values()
    return {one.id.partition("::")[2]: f"{one.outcome} {one.cause} {one.missing}".strip() for one in told}


@needs_minitest
def test_every_outcome_of_minitest_has_its_cause(tmp_path: Path) -> None:
    report = run(tmp_path, "minitest", {"test/sums_test.rb": MINITEST})
    assert short(report) == {
        "SumsTest::test_ok": "passed",
        "SumsTest::test_wrong": "failed assertion",
        "SumsTest::test_skipped": "skipped",
        "SumsTest::test_no_method": "failed missing sub",
        "SumsTest::test_no_constant": "failed missing Calc.Shelf",
        "SumsTest::test_no_file": "failed missing calc.deep",
        "SumsTest::test_other": "failed other",
    }
    wrong = report.results["test/sums_test.rb::SumsTest::test_wrong"]
    assert (wrong.path, wrong.line, wrong.error) == (
        "test/sums_test.rb",
        7,
        "Minitest::Assertion: Expected: 4 Actual: 3",
    )


@needs_rspec
def test_every_outcome_of_rspec_has_its_cause(tmp_path: Path) -> None:
    assert short(run(tmp_path, "rspec", {"spec/calc_spec.rb": RSPEC})) == {
        "Calc > is ok": "passed",
        "Calc > is wrong": "failed assertion",
        "Calc > is later": "skipped",
        "Calc > has no method": "failed missing sub",
        "Calc > expects a call": "failed assertion",
        "Calc > raises": "failed other",
        "Calc > when set up badly > never begins": "failed other",
    }


@needs_minitest
def test_files_and_ids_narrow_a_run_and_collecting_runs_nothing(tmp_path: Path) -> None:
    tree = {"test/sums_test.rb": MINITEST, "test/other_test.rb": MINITEST.replace("SumsTest", "OtherTest")}
    id = "test/other_test.rb::OtherTest::test_ok"
    assert list(run(tmp_path, "minitest", tree, ids=(id,)).results) == [id]
    told = run(tmp_path, "minitest", tree, files=("test/other_test.rb",), collect_only=True)
    assert (told.results, len(told.collected), id in told.collected) == ({}, 7, True)


CHEATS = {
    "ends the process": "exit!(0)\n",
    "leaves": "exit(0) if defined?(SumsTest)\nat_exit { exit!(0) }\nThread.new { sleep 0.01; exit!(0) }.join\n",
    "changes an assertion": "module Minitest::Assertions\n  def assert_equal(*) = true\nend\n",
    "changes equality": "class Integer\n  def ==(other) = true\nend\n",
    "changes a result": "Minitest::Test.prepend(Module.new { def run = super.tap { |r| r.failures.clear } })\n",
}


@needs_minitest
@pytest.mark.parametrize("code", CHEATS.values(), ids=CHEATS.keys())
def test_a_product_that_meddles_proves_nothing(tmp_path: Path, code: str) -> None:
    report = run(tmp_path, "minitest", {"lib/calc.rb": CALC + code, "test/sums_test.rb": MINITEST})
    assert report.broken


@needs_rspec
def test_a_product_that_changes_a_matcher_proves_nothing(tmp_path: Path) -> None:
    code = "class RSpec::Matchers::BuiltIn::Eq\n  def match(*) = true\nend\n"
    files = {"spec/calc_spec.rb": f'require "rspec/matchers"\n{RSPEC}', "lib/calc.rb": CALC + code}
    assert run(tmp_path, "rspec", files).broken == (
        "lib/calc.rb changed RSpec::Matchers::BuiltIn::Eq#match, by which tests judge"
    )


def test_a_gemfile_that_needs_the_tree_installs_nothing_and_says_so() -> None:
    files = {"Gemfile": "source 'https://rubygems.org'\ngemspec\n"}
    made = install(
        ToInstall(files, files.__getitem__, (), Interpreter(Path("/opt/python"), "3.11", ()), lambda name: None)
    )
    assert made is not None
    assert (made.steps, made.notes) == ((), (OWN_NOTE,))


@needs_bundler
def test_gems_of_the_gemfile_are_there_when_the_tests_run(tmp_path: Path) -> None:
    index = gems(tmp_path)
    test = MINITEST.replace('require "calc"\n', 'require "calc"\nrequire "greeting"\n')
    files = {
        "Gemfile": f'source "file://{index}"\ngem "greeting"\ngem "minitest"\n',
        "lib/calc.rb": CALC,
        "test/sums_test.rb": test,
    }
    root = write(tmp_path / "tree", files)
    made = asyncio.run(
        prepare(
            root,
            paths=list(files),
            environments=tmp_path / "environments",
            setup=Setup(),
            sandbox=found_sandbox(),
            search_path=os.environ["PATH"],
            access=PackageIndex(files=(index,)),
            limits=ResourceLimits(wall_seconds=120.0),
        )
    )
    report = run_tests(root, tmp_path / "scratch", name="minitest", env=made.environment)
    assert (report.broken, report.unreadable, len(report.results)) == ("", (), 7)


def gems(place: Path) -> Path:
    """An index on disk with a gem of ours and a copy of the minitest that is installed."""
    asked = ["ruby", "-e", 'puts Gem::Specification.find_by_name("minitest").full_gem_path']
    minitest = Path(subprocess.run(asked, capture_output=True, text=True, check=True).stdout.strip())
    index = place / "index"
    (index / "gems").mkdir(parents=True)
    shutil.copytree(minitest / "lib", place / "minitest" / "lib")
    write(place / "greeting", {"lib/greeting.rb": ""})
    for name in ("minitest", "greeting"):
        told = (
            f's.name = "{name}"; s.version = "5.99"; s.summary = "x"; s.authors = ["x"]; s.files = Dir["lib/**/*.rb"]'
        )
        write(place / name, {"g.gemspec": f"Gem::Specification.new {{ |s| {told} }}\n"})
        argv = ["gem", "build", "g.gemspec", "-o", str(index / "gems" / f"{name}-5.99.gem")]
        subprocess.run(argv, cwd=place / name, capture_output=True, check=True)
    subprocess.run(["gem", "generate_index", "--directory", str(index)], capture_output=True, check=True)
    return index
