"""cargo test: compiler messages as JSON, results from what the test programs print."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterator
from pathlib import PurePosixPath
from typing import Any, NamedTuple

from thoughtforge.sandbox.box import SandboxResult
from thoughtforge.testing.report import Cause, RunnerCommand, SuiteReport, SuiteRun, TestResult, UnreadableFile, said
from thoughtforge.testing.toolchain import fetched

DESCRIPTION = "Rust tests run by `cargo test`"
LANGUAGE = "rust"
RANK = 60
PROGRAMS = ("cargo", "rustc")
CONFIG = ("Cargo.toml", "Cargo.lock", ".cargo/config.toml", "rust-toolchain*")
COMPILES_TOGETHER = True

PRIVATE_TARGET = ("sh", "-c", 'CARGO_TARGET_DIR="$TMPDIR/target" exec "$@"', "sh")

PROGRAM = re.compile(r"\s*(?:Running (?:unittests )?(?P<path>\S+) \(|Doc-tests (?P<doc>\S+))")
RUNNING = re.compile(r"running (\d+) tests?")
TEST = re.compile(r"test (?P<name>.+?)(?: - should panic)? \.\.\. (?P<outcome>ok|FAILED|ignored)\b.*")
LISTED = re.compile(r"(?P<name>.+): (?:test|benchmark)")
SUMMARY = re.compile(r"(?:test result: .+|\d+ tests?, \d+ benchmarks?)")
DETAIL = re.compile(r"---- (?P<name>.+?) stdout ----")
PANIC = re.compile(r"panicked at (?P<path>[^:\n]+):(?P<line>\d+):\d+:\n(?P<error>[^\n]*)")
MISSING = (
    re.compile(r"unresolved import `(?P<name>[^`]+)`"),
    re.compile(r"cannot find \w+(?: \w+)?,? `(?P<name>[^`]+)`"),
    re.compile(r"no \w+(?: or \w+)?(?: \w+)* named `(?P<name>[^`]+)`"),
    re.compile(r"use of (?:undeclared|unresolved)[^`]*`(?P<name>[^`]+)`"),
    re.compile(r"file not found for module `(?P<name>[^`]+)`"),
)
OUTCOMES = {"ok": "passed", "FAILED": "failed", "ignored": "skipped"}
WRITTEN = re.compile(
    r"\bmod\s+(?P<module>\w+)\s*\{|#\[(?:\w+::)*test\]\s*(?:#\[[^\]]*\]\s*)*(?:pub\s+)?(?:async\s+)?fn\s+(?P<name>\w+)"
    r"|(?P<open>\{)|(?P<close>\})|//[^\n]*|\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])'"
)
LONGEST = 400


def applies(paths: Collection[str], read: Callable[[str], str]) -> bool:
    """Whether the repository is a Rust crate or workspace."""
    return "Cargo.toml" in paths


def is_test(path: str) -> bool:
    """Everything in a folder of tests or benches; tests inside product files cannot be told apart from them."""
    at = PurePosixPath(path)
    return bool({"tests", "testdata", "snapshots"} & set(at.parts[:-1])) or at.name in ("tests.rs", "test.rs")


def command(job: SuiteRun) -> RunnerCommand:
    """Every test program also after one has failed, offline, built into private temporary files."""
    argv = ["cargo", "test", "--offline", "--no-fail-fast", "--message-format=json", "--color=never"]
    named = [file for file in job.files if PurePosixPath(file).parts[:-1] == ("tests",) and file.endswith(".rs")]
    if named and len(named) == len(job.files):
        argv += [part for file in named for part in ("--test", PurePosixPath(file).stem)]
    argv += ["--", "--list"] if job.collect_only else []
    env = {"RUST_BACKTRACE": "0", "RUSTFLAGS": "-Awarnings"}
    crates = fetched(job.environment, "cargo/home/registry")
    env |= {"CARGO_HOME": str(crates.parent)} if crates else {}
    return RunnerCommand((*PRIVATE_TARGET, *argv), env=env)


class CargoTarget(NamedTuple):
    """One test program: where its tests are written, what it printed, how many it announced."""

    path: str
    lines: tuple[str, ...]
    announced: int


def names(path: str, text: str) -> tuple[str, ...]:
    """Ids of the tests a file shows, named by the modules they are in."""
    names: list[str] = []
    modules: list[tuple[int, str]] = []
    depth = 0
    for found in WRITTEN.finditer(text):
        if found["name"]:
            names.append("::".join([path, *(module for _, module in modules), found["name"]]))
        elif found["module"]:
            modules.append((depth, found["module"]))
            depth += 1
        elif found["open"]:
            depth += 1
        elif found["close"]:
            depth -= 1
            modules = [module for module in modules if module[0] < depth]
    return tuple(names)


def read(job: SuiteRun, ended: SandboxResult) -> SuiteReport:
    """Tests by file and name. A program that did not come to its summary makes the run say nothing."""
    messages, lines = _split(ended.stdout.decode("utf-8", "replace"))
    unreadable = tuple(_errors(messages))
    errors = ended.stderr.decode("utf-8", "replace")
    paths = [
        match["path"] or f"doc-tests {match['doc']}" for line in errors.splitlines() if (match := PROGRAM.match(line))
    ]
    programs = list(_programs(lines, paths, listing=job.collect_only))
    wanted = frozenset(job.ids)
    found: dict[str, TestResult] = {}
    for program in programs:
        found.update({id: result for id, result in _results(program) if not wanted or id in wanted})
    broken = "" if unreadable else _why_broken(programs, paths, ended)
    return SuiteReport({} if job.collect_only else found, tuple(found), unreadable, broken=broken)


def _split(text: str) -> tuple[list[dict[str, Any]], list[str]]:
    messages, lines = [], []
    for line in text.splitlines():
        if line.startswith('{"reason":'):
            messages.append(json.loads(line))
        else:
            lines.append(line)
    return messages, lines


def _errors(messages: list[dict[str, Any]]) -> Iterator[UnreadableFile]:
    for message in (item["message"] for item in messages if item["reason"] == "compiler-message"):
        spans = [span for span in message["spans"] if span["is_primary"]]
        if message["level"] == "error" and spans:
            cause, missing = _missing(f"{message['message']} {spans[0].get('label') or ''}")
            place = spans[0]["file_name"], spans[0]["line_start"]
            yield UnreadableFile(*place, message["message"][:LONGEST], cause, missing=missing)


def _missing(error: str) -> tuple[Cause, str]:
    for pattern in MISSING:
        if found := pattern.search(error):
            return "missing", found["name"].replace("::", ".")
    return "other", ""


def _programs(lines: list[str], paths: list[str], *, listing: bool) -> Iterator[CargoTarget]:
    """Programs print one after the other, in the order in which cargo announces them."""
    begun: list[str] = []
    number = 0
    for line in lines:
        begun.append(line)
        if SUMMARY.fullmatch(line):
            announced = [int(match[1]) for each in begun if (match := RUNNING.fullmatch(each))]
            path = paths[number] if number < len(paths) else "?"
            yield CargoTarget(path, tuple(begun), announced[0] if announced else -1 if listing else 0)
            begun, number = [], number + 1


def _results(program: CargoTarget) -> Iterator[tuple[str, TestResult]]:
    text = "\n".join(program.lines)
    details = {match["name"]: text[match.end() :] for match in DETAIL.finditer(text)}
    for line in program.lines:
        if listed := LISTED.fullmatch(line):
            id = f"{program.path}::{listed['name']}"
            yield id, TestResult(id, "skipped")
        elif found := TEST.fullmatch(line):
            id = f"{program.path}::{found['name']}"
            yield id, _result(id, found["outcome"], details.get(found["name"], ""))


def _result(id: str, outcome: str, detail: str) -> TestResult:
    if outcome != "FAILED":
        return TestResult(id, "passed" if outcome == "ok" else "skipped")
    found = PANIC.search(detail.partition("\n---- ")[0])
    if not found:
        error = (detail.strip().splitlines() or ["failed"])[0][:LONGEST]
        return TestResult(id, "failed", cause="assertion" if "did not panic" in error else "other", error=error)
    asserted = found["error"].startswith("assertion")
    return TestResult(
        id,
        "failed",
        cause="assertion" if asserted else "other",
        error=found["error"][:LONGEST],
        path=found["path"],
        line=int(found["line"]),
    )


def _why_broken(programs: list[CargoTarget], paths: list[str], ended: SandboxResult) -> str:
    if not paths or len(programs) != len(paths):
        return f"cargo test failed to run, code {ended.code}{said(ended)}"
    for program in programs:
        answered = sum(bool(TEST.fullmatch(line)) for line in program.lines)
        if program.announced >= 0 and answered != program.announced:
            return f"{program.path} announced {program.announced} tests and reported {answered}"
    if ended.code not in (0, 101):
        return f"cargo test ended with code {ended.code}{said(ended)}"
    return ""
