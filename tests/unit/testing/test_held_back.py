"""Held-back cases are decided outside the process of the code: no cheat in product code passes, honest code does."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from suite_runs import found_sandbox, write
from thoughtforge.sandbox.box import ResourceLimits
from thoughtforge.sandbox.sandbox import Sandbox
from thoughtforge.settings.config import Setup
from thoughtforge.testing.cases import HeldBackFile, read_cases
from thoughtforge.testing.environment import prepare
from thoughtforge.testing.held_back import CaseResult, add_file, try_cases
from thoughtforge.testing.report import Environment

HONEST = """import sys

def add(a, b):
    return a + b

def fail(text):
    raise ValueError(f"bad {text}")

def talk():
    print("hello")

async def later(x):
    return x

class Shelf:
    def __init__(self, size):
        self.size = size

    def left(self, books):
        return self.size - len(books)

def main():
    print("got", sys.argv[1:], sys.stdin.read())
    with open("out.txt", "w") as file:
        file.write(open("in.txt").read().upper())
    return 3
"""
LONG = ResourceLimits(wall_seconds=60.0)
PROJECT = '[project]\nname = "calc"\nscripts.calc = "calc:main"\n'
SERVER = """import http.server, os

class Answers(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        self.send_response(201)
        self.end_headers()
        self.wfile.write(b'{"got": ' + self.rfile.read(int(self.headers["Content-Length"])) + b"}")

http.server.HTTPServer(("127.0.0.1", int(os.environ["PORT"])), Answers).serve_forever()
"""


@pytest.fixture(scope="module")
def sandbox() -> Sandbox:
    return found_sandbox()


@pytest.fixture(scope="module")
def environment(sandbox: Sandbox, tmp_path_factory: pytest.TempPathFactory) -> Environment:
    root = tmp_path_factory.mktemp("empty")
    folder = tmp_path_factory.mktemp("home")
    making = prepare(root, paths=(), environments=folder, setup=Setup(), sandbox=sandbox, search_path="/usr/bin")
    return asyncio.run(making).environment


@pytest.fixture
def tried(sandbox: Sandbox, environment: Environment, tmp_path: Path) -> Any:
    def run(*cases: dict[str, Any], product: str = HONEST, limits: ResourceLimits = LONG) -> list[CaseResult]:
        root = write(tmp_path, {"src/calc.py": product, "pyproject.toml": PROJECT, "tools/server.py": SERVER})
        read = read_cases([{"criterion": "AC", "kind": "call"} | case for case in cases])
        assert read.problems == ()
        doing = try_cases(read.cases, root=root, environment=environment, sandbox=sandbox, limits=limits)
        return list(asyncio.run(doing))

    return run


PASSING: list[dict[str, Any]] = [
    {"target": "calc:add", "args": [20, 22], "expect": 42},
    {"target": "calc:add", "kwargs": {"a": [1], "b": [2]}, "expect": [1, 2]},
    {"target": "calc:add", "args": [{"$": "tuple", "items": [1]}] * 2, "property": {"type": "tuple", "length": 2}},
    {"target": "calc:fail", "args": ["x"], "raises": "ValueError", "message": "bad x"},
    {"target": "calc:fail", "args": ["x"], "raises": "Exception"},
    {"target": "calc:talk", "expect": None, "stdout": "hello\n"},
    {"target": "calc:later", "args": [5], "expect": 5},
    {"target": "left", "on": {"target": "calc:Shelf", "args": [3]}, "args": [["x"]], "expect": 2},
    {"target": "calc:add", "args": ["ab", "c"], "property": {"matches": "^a.c$", "length": 3, "contains": "bc"}},
    {"target": "calc:add", "args": [[], [1, 2]], "property": {"sorted": True, "equals_input": 1}},
    {"target": "calc:add", "args": [1, 1], "property": {"at_least": 2, "at_most": 2}},
    {
        "kind": "argv", "argv": ["calc", "x"], "stdin": "in", "files": {"in.txt": "abc"},
        "stdout": "got ['x'] in\n", "exit": 3, "writes": {"out.txt": "ABC"},
    },
    {"kind": "argv", "argv": ["python", "-c", "import calc; print([calc.add(1, 1)])"], "exit": 0, "stdout_json": [2]},
    {
        "kind": "http", "argv": ["python", "{root}/tools/server.py"], "method": "POST", "body": "[1]",
        "status": 201, "body_json": {"got": [1]},
    },
]  # fmt: skip
FAILING: list[tuple[dict[str, Any], str]] = [
    ({"target": "calc:add", "args": [20, 22], "expect": 43}, "expected 43, got 42"),
    ({"target": "calc:add", "args": [1, "x"], "expect": 3}, "it raised TypeError"),
    ({"target": "calc:gone", "expect": 3}, "it raised AttributeError"),
    ({"target": "nowhere:gone", "expect": 3}, "it raised ModuleNotFoundError"),
    ({"target": "calc:add", "args": [1, 2], "raises": "ValueError"}, "expected ValueError, got 3"),
    ({"target": "calc:fail", "args": ["x"], "raises": "KeyError"}, "expected KeyError, it raised ValueError"),
    ({"target": "calc:talk", "expect": None, "stdout": "bye\n"}, "expected it to print"),
    ({"target": "calc:add", "args": ["a", "b"], "property": {"matches": "x"}}, "it does not match 'x'"),
    ({"target": "calc:add", "args": [[3], [1]], "property": {"sorted": True}}, "it is not sorted"),
    ({"kind": "argv", "argv": ["calc"], "exit": 0}, "expected exit code 0, got 1"),
    ({"kind": "argv", "argv": ["no-such-program"], "exit": 0}, "no-such-program: No such file or directory"),
    ({"kind": "http", "argv": ["python", "-c", "raise SystemExit('no')"], "status": 200}, "the server ended before"),
]


def test_honest_code_passes_every_kind_of_case(tried: Any) -> None:
    assert tried(*PASSING) == [CaseResult("AC", "pass")] * len(PASSING)


def test_wrong_answers_fail_and_say_what_was_wrong(tried: Any) -> None:
    results = tried(*(case for case, _ in FAILING))
    assert [result.outcome for result in results] == ["fail"] * len(FAILING)
    for result, (_, said) in zip(results, FAILING, strict=True):
        assert result.detail.startswith(said)


CHEATS = {
    "ends the process in a call": "import os\ndef add(a, b):\n    os._exit(0)\n",
    "ends the process at import": "import os\nos._exit(0)\n",
    "exits at import": "import sys\nsys.exit(0)\n",
    "equals everything": (
        "class Any:\n    def __eq__(self, other):\n        return True\ndef add(a, b):\n    return Any()\n"
    ),
    "is an int that equals everything": (
        "class Any(int):\n    def __eq__(self, other):\n        return True\ndef add(a, b):\n    return Any(42)\n"
    ),
    "patches the runner": "import _pytest.runner\ndef add(a, b):\n    return 0\n",
    "reads the expected value where it is called": (
        "import sys\ndef add(a, b):\n    frame, found = sys._getframe(), []\n"
        "    while frame:\n        found += [v for v in frame.f_locals.values() if v == 42]\n"
        "        frame = frame.f_back\n"
        "    return found[0] if found else 0\n"
    ),
    "looks for the cases": (
        "import glob, os, re\ndef add(a, b):\n"
        "    text = ' '.join(open(p, errors='replace').read() for p in glob.glob('/proc/[0-9]*/cmdline'))\n"
        "    text += open('/proc/self/environ').read()\n"
        "    return 42 if re.search(r'\\b42\\b', text) else 0\n"
    ),
    "answers for itself": (
        "import json, os\ndef add(a, b):\n    for fd in range(3, 30):\n        try:\n"
        "            os.write(fd, b'{\"value\": {\"$\": \"tuple\"}}\\n')\n"
        "        except OSError:\n            pass\n    return 0\n"
    ),
    "answers nonsense": (
        "import os\ndef add(a, b):\n    for fd in range(3, 30):\n        try:\n"
        "            os.write(fd, b'\\xff[[[')\n        except OSError:\n            pass\n    return 0\n"
    ),
    "knows only what the tests show": "def add(a, b):\n    return {(1, 2): 3, (0, 5): 5}.get((a, b), 0)\n",
    "never ends": "def add(a, b):\n    while True:\n        pass\n",
    "patches the probe": (
        "import sys\nmain = sys.modules['__main__']\nmain.plain.encoded = lambda value: {'$': 'any'}\n"
        "def add(a, b):\n    return 0\n"
    ),
}  # fmt: skip


@pytest.mark.parametrize("cheat", CHEATS)
def test_no_cheat_in_product_code_passes(tried: Any, cheat: str) -> None:
    case = {"target": "calc:add", "args": [20, 22], "expect": 42}
    (result,) = tried(
        case, product=CHEATS[cheat], limits=ResourceLimits(wall_seconds=5.0) if cheat == "never ends" else LONG
    )
    assert result.outcome == "fail"


def test_one_case_leaves_nothing_behind_for_the_next(tried: Any) -> None:
    product = (
        "import os, pathlib, tempfile\nplace = pathlib.Path(tempfile.gettempdir(), 'count')\n"
        "def count():\n    place.write_text(place.read_text() + 'x' if place.exists() else 'x')\n"
        "    return place.read_text()\n"
        "def spoil():\n    pathlib.Path(__file__).write_text('')\n"
    )
    counted = {"target": "calc:count", "expect": "x"}
    results = tried(counted, {"target": "calc:spoil", "raises": "OSError"}, counted, product=product)
    assert results == [CaseResult("AC", "pass")] * 3


def test_a_forged_compiled_file_in_the_tree_is_not_read(tried: Any, tmp_path: Path) -> None:
    import py_compile

    right = write(tmp_path / "forge", {"calc.py": HONEST}) / "calc.py"
    forged = tmp_path / "src" / "__pycache__" / "calc.cpython-311.pyc"
    py_compile.compile(str(right), str(forged), invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH)
    case = {"target": "calc:add", "args": [20, 22], "expect": 42}
    assert [result.outcome for result in tried(case, product="def add(a, b):\n    return 0\n")] == ["fail"]


VERSIONED = (
    "from importlib.metadata import version\n\n__version__ = version('calc')\n\n\ndef told():\n    return __version__\n"
)


def test_a_package_may_ask_for_its_own_version_as_it_may_in_its_tests(
    sandbox: Sandbox, environment: Environment, tmp_path: Path
) -> None:
    asks = ["python", "-c", "import calc; print(calc.told())"]
    read = read_cases(
        [
            {"kind": "call", "criterion": "AC", "target": "calc:told", "expect": "1.2"},
            {"kind": "argv", "criterion": "AC", "argv": asks, "stdout": "1.2\n"},
        ]
    )
    root = write(tmp_path, {"src/calc.py": VERSIONED})
    for config in (
        {"pyproject.toml": f'{PROJECT}version = "1.2"\n'},
        {"setup.cfg": "[metadata]\nname = calc\nversion = 1.2\n"},
    ):
        doing = try_cases(read.cases, root=root, environment=environment, sandbox=sandbox, config=config, limits=LONG)
        assert asyncio.run(doing) == (CaseResult("AC", "pass"),) * 2


def test_code_that_cannot_be_imported_was_not_tried_and_says_why(tried: Any) -> None:
    (result,) = tried({"target": "calc:told", "expect": "1.2"}, product=VERSIONED)
    assert (result.outcome, result.imported) == ("fail", False)
    assert result.detail.startswith("importing calc raises PackageNotFoundError: No package metadata was found")


def test_a_pattern_that_runs_for_ever_is_ended(tried: Any) -> None:
    case = {"target": "calc:add", "args": ["a" * 50, "b"], "property": {"matches": "^(a+)+$"}}
    assert tried(case) == [CaseResult("AC", "fail", "it does not match '^(a+)+$'")]


def test_without_an_interpreter_a_case_is_broken_and_not_failed(sandbox: Sandbox, tmp_path: Path) -> None:
    read = read_cases([{"kind": "call", "criterion": "AC", "target": "calc:add", "expect": 1}])
    trying = try_cases(read.cases, root=tmp_path, environment=Environment("none"), sandbox=sandbox)
    assert asyncio.run(trying) == (CaseResult("AC", "broken", "the environment has no Python to run cases with"),)


def test_a_held_back_file_is_put_into_the_checkout_and_nowhere_else(tmp_path: Path) -> None:
    outside = write(tmp_path / "outside", {"x.py": "kept"})
    root = write(tmp_path / "root", {"tests/a.py": ""})
    (root / "tests" / "held.py").symlink_to(outside / "x.py")
    (root / "away").symlink_to(outside)
    file = HeldBackFile("AC", "tests/held.py", "new\n", "why")
    with pytest.raises(ValueError, match="is outside"):
        add_file(root, file)
    with pytest.raises(ValueError, match="is outside"):
        add_file(root, file._replace(path="away/deep/y.py"))
    add_file(root, file._replace(path="tests/deep/held.py"))
    assert (root / "tests" / "deep" / "held.py").read_text() == "new\n"
    assert (outside / "x.py").read_text() == "kept"
    assert sorted(path.name for path in outside.iterdir()) == ["x.py"]
