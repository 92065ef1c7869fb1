"""`go test -json`, written by hand after the format that `go doc test2json` documents."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from thoughtforge.languages.go.runners.go import names
from thoughtforge.languages.go.runners.go import read as read_report
from thoughtforge.sandbox.box import SandboxResult
from thoughtforge.testing.report import Environment, SuiteReport, SuiteRun, UnreadableFile
from thoughtforge.testing.report import TestResult as Result

PACKAGE = "example.org/shelf"


def event(action: str, **more: Any) -> dict[str, Any]:
    return {"Time": "2026-01-01T00:00:00Z", "Action": action, "Package": PACKAGE, **more}


PASSED = [
    event("start"),
    event("run", Test="TestAdd"),
    event("output", Test="TestAdd", Output="=== RUN   TestAdd\n"),
    event("output", Test="TestAdd", Output="--- PASS: TestAdd (0.02s)\n"),
    event("pass", Test="TestAdd", Elapsed=0.02),
]
FAILED = [
    event("run", Test="TestSub/small"),
    event("output", Test="TestSub/small", Output="=== RUN   TestSub/small\n"),
    event("output", Test="TestSub/small", Output="    shelf_test.go:12: got 3, want 4\n"),
    event("output", Test="TestSub/small", Output="--- FAIL: TestSub/small (0.00s)\n"),
    event("fail", Test="TestSub/small", Elapsed=0),
    event("skip", Test="TestSlow", Elapsed=0),
]


def read(
    events: list[dict[str, Any]], *, code: int = 1, stderr: str = "", root: Path = Path("/r"), **asked: Any
) -> SuiteReport:
    text = "".join(json.dumps(each) + "\n" for each in events)
    job = SuiteRun(root, Environment("x"), {"go.mod": "module example.org/shelf\n\ngo 1.22\n"}, **asked)
    return read_report(job, SandboxResult(code, text.encode(), stderr.encode(), b"", "", False))


def test_tests_are_told_by_the_file_that_declares_them(tmp_path: Path) -> None:
    text = "package shelf\n\nfunc TestAdd(t *testing.T) {}\nfunc TestSub(t *testing.T) {}\n"
    (tmp_path / "shelf_test.go").write_text(text)
    report = read([*PASSED, *FAILED, event("fail", Elapsed=0.1)], root=tmp_path)
    assert report.broken == ""
    assert list(report.results.values()) == [
        Result("shelf_test.go::TestAdd", "passed", seconds=0.02),
        Result(
            "shelf_test.go::TestSub[small]", "failed", "assertion", "", "got 3, want 4", path="shelf_test.go", line=12
        ),
        Result(f"{PACKAGE}::TestSlow", "skipped"),
    ]
    assert names("shelf_test.go", text) == ("shelf_test.go::TestAdd", "shelf_test.go::TestSub")


def test_tests_of_inner_packages_have_their_folder(tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep/in_test.go").write_text("func TestIn(t *testing.T) {\n")
    package = f"{PACKAGE}/deep"
    told = [
        {"Action": "start", "Package": package},
        {"Action": "output", "Package": package, "Test": "TestIn", "Output": "    in_test.go:3: no\n"},
        {"Action": "fail", "Package": package, "Test": "TestIn"},
        {"Action": "fail", "Package": package},
    ]
    found = read(told, root=tmp_path).results["deep/in_test.go::TestIn"]
    assert (found.outcome, found.path, found.line) == ("failed", "deep/in_test.go", 3)


def test_a_package_without_an_end_breaks_the_run() -> None:
    assert read(PASSED, code=0).broken == f"the tests of {PACKAGE} did not finish"


def test_a_package_that_fails_without_a_failed_test_breaks_the_run() -> None:
    exited = [*PASSED, event("output", Output="exit status 2\n"), event("fail", Elapsed=0.1)]
    assert read(exited).broken == f"{PACKAGE} failed without a failed test: exit status 2"


def test_a_panic_is_no_missing_behaviour() -> None:
    panic = [
        event("start"),
        event("output", Test="TestAdd", Output="panic: index out of range [recovered]\n"),
        event("fail", Test="TestAdd", Elapsed=0),
        event("fail"),
    ]
    assert read(panic).results == {
        f"{PACKAGE}::TestAdd": Result(
            f"{PACKAGE}::TestAdd", "failed", "other", error="panic: index out of range [recovered]"
        )
    }


def test_what_does_not_compile_is_named_with_what_is_missing() -> None:
    built = [
        {"ImportPath": PACKAGE, "Action": "build-output", "Output": "./shelf_test.go:7:9: undefined: Sub\n"},
        {"ImportPath": PACKAGE, "Action": "build-fail"},
        event("start"),
        event("output", Output="FAIL\texample.org/shelf [build failed]\n"),
        event("fail", FailedBuild=PACKAGE),
    ]
    report = read(built)
    assert (report.broken, report.unreadable) == (
        "",
        (UnreadableFile("shelf_test.go", 7, "undefined: Sub", "missing", "Sub"),),
    )


def test_compiler_lines_of_older_versions_are_read_too() -> None:
    report = read(
        [],
        code=1,
        stderr="# example.org/shelf\n./shelf_test.go:9:4: s.Sub undefined (type S has no field or method Sub)\n",
    )
    assert [(file.line, file.missing) for file in report.unreadable] == [(9, "Sub")]


def test_a_missing_go_breaks_the_run() -> None:
    assert read([], code=2, stderr="go: cannot find main module\n").broken == (
        "go test failed to run, code 2: go: cannot find main module"
    )


def test_listed_tests_are_collected() -> None:
    listed = [
        event("start"),
        event("output", Output="TestAdd\n"),
        event("output", Output="ok  \texample.org/shelf\t0.1s\n"),
    ]
    assert read([*listed, event("pass")], code=0, collect_only=True).collected == (f"{PACKAGE}::TestAdd",)


def test_only_the_asked_tests_are_answered() -> None:
    report = read([*PASSED, *FAILED, event("fail")], ids=(f"{PACKAGE}::TestAdd",))
    assert (list(report.results), report.collected) == ([f"{PACKAGE}::TestAdd"], (f"{PACKAGE}::TestAdd",))
