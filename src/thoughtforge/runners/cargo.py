"""cargo test: compiler messages as JSON, results from what the test programs print."""

from __future__ import annotations

from collections.abc import Callable, Collection
from pathlib import PurePosixPath

from thoughtforge.sandbox.box import Boxed
from thoughtforge.suites.cargo_output import cargo_names, cargo_report
from thoughtforge.suites.result import Command, Job, Report
from thoughtforge.suites.toolchain import fetched

DESCRIPTION = "Rust tests run by `cargo test`"
LANGUAGE = "rust"
RANK = 60
PROGRAMS = ("cargo", "rustc")
CONFIG = ("Cargo.toml", "Cargo.lock", ".cargo/config.toml", "rust-toolchain*")
COMPILES_TOGETHER = True

PRIVATE_TARGET = ("sh", "-c", 'CARGO_TARGET_DIR="$TMPDIR/target" exec "$@"', "sh")


def applies(paths: Collection[str], read: Callable[[str], str]) -> bool:
    """Whether the repository is a Rust crate or workspace."""
    return "Cargo.toml" in paths


def is_test(path: str) -> bool:
    """Everything in a folder of tests or benches; tests inside product files cannot be told apart from them."""
    at = PurePosixPath(path)
    return bool({"tests", "testdata", "snapshots"} & set(at.parts[:-1])) or at.name in ("tests.rs", "test.rs")


def command(job: Job) -> Command:
    """Every test program also after one has failed, offline, built into private temporary files."""
    argv = ["cargo", "test", "--offline", "--no-fail-fast", "--message-format=json", "--color=never"]
    named = [file for file in job.files if PurePosixPath(file).parts[:-1] == ("tests",) and file.endswith(".rs")]
    if named and len(named) == len(job.files):
        argv += [part for file in named for part in ("--test", PurePosixPath(file).stem)]
    argv += ["--", "--list"] if job.collect_only else []
    env = {"RUST_BACKTRACE": "0", "RUSTFLAGS": "-Awarnings"}
    crates = fetched(job.environment, "cargo/home/registry")
    env |= {"CARGO_HOME": str(crates.parent)} if crates else {}
    return Command((*PRIVATE_TARGET, *argv), env=env)


def names(path: str, text: str) -> tuple[str, ...]:
    """The tests that a file's text shows."""
    return cargo_names(path, text)


def read(job: Job, ended: Boxed) -> Report:
    """What the compiler and the test programs said."""
    return cargo_report(job, ended)
