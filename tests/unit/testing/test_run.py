"""Runs of real tests against product code that cheats, trees that are not the one under test, and honest twins."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from suite_runs import LIMITS, python_environment, run_tests, write
from thoughtforge.sandbox.box import Mount
from thoughtforge.testing.report import Environment, SuiteReport

HONEST = "def add(a, b):\n    return a + b\n"
WRONG = "def add(a, b):\n    return 0\n"
TESTS = """from calc import add

def test_small():
    assert add(1, 2) == 3

def test_zero():
    assert add(0, 5) == 5

def test_negative():
    assert add(-4, 1) == -3
"""
IDS = tuple(f"tests/test_calc.py::test_{name}" for name in ("small", "zero", "negative"))


def tree(root: Path, product: str, **more: str) -> Path:
    return write(root, {"src/calc/__init__.py": product, "tests/test_calc.py": TESTS, **more})


def outcomes(report: SuiteReport) -> dict[str, str]:
    return {id.partition("::")[2]: result.outcome for id, result in report.results.items()}


def proves(report: SuiteReport) -> bool:
    """Whether somebody could take this report for three passed tests."""
    return not report.broken and set(outcomes(report).values()) == {"passed"} and report.collected == IDS


def test_an_honest_implementation_passes(tmp_path: Path) -> None:
    report = run_tests(tree(tmp_path / "tree", HONEST), tmp_path / "scratch")
    assert proves(report)
    assert report.unreadable == ()
    assert list((tmp_path / "scratch").iterdir()) == []


CHEATS = {
    "ends the process in a call": "import os\ndef add(a, b):\n    os._exit(0)\n",
    "ends the process at import": "import os\nos._exit(0)\n",
    "exits at import": "import sys\nsys.exit(0)\n",
    "exits through pytest with code 0": (
        "import pytest\ndef add(a, b):\n    pytest.exit('done', returncode=0)\n" + "add.x = 1\n"
    ),
    "writes a report of its own at exit": (
        "import atexit, os\n"
        "def late():\n    open('/tmp/junit.xml', 'w').write('<testsuite failures=\"0\"/>')\n    os._exit(0)\n"
        "atexit.register(late)\n" + WRONG
    ),
    "replaces how a test is run": "from _pytest.python import Function\nFunction.runtest = lambda self: None\n" + WRONG,
    "replaces how a report is made": (
        "from _pytest.reports import TestReport\n"
        "made = TestReport.from_item_and_call.__func__\n"
        "def forged(cls, item, call):\n    call.excinfo = None\n    return made(cls, item, call)\n"
        "TestReport.from_item_and_call = classmethod(forged)\n" + WRONG
    ),
    "replaces the code of a function and keeps the function": (
        "from _pytest import runner\n"
        "def pytest_runtest_call(item): pass\n"
        "runner.pytest_runtest_call.__code__ = pytest_runtest_call.__code__\n" + WRONG
    ),
    "registers a hook found by gc": (
        "import gc, pytest\n"
        "class Forger:\n"
        "    @pytest.hookimpl(hookwrapper=True, tryfirst=True)\n"
        "    def pytest_pyfunc_call(self, pyfuncitem):\n        out = yield\n        out.force_result(True)\n"
        "for thing in gc.get_objects():\n"
        "    if type(thing).__name__ == 'PytestPluginManager':\n        thing.register(Forger())\n" + WRONG
    ),
    "answers the engine itself": (
        "import json, os\n"
        "def add(a, b):\n"
        "    fd = int(os.environ['THOUGHTFORGE_REPORT_FD'])\n"
        "    id = os.environ['PYTEST_CURRENT_TEST'].split(' ')[0]\n"
        "    fact = {'fact': 'result', 'id': id, 'when': 'call', 'outcome': 'passed'}\n"
        "    os.write(fd, (json.dumps(fact) + '\\n').encode())\n    return 0\n"
    ),
    "stops the session": (
        "import gc\nfor thing in gc.get_objects():\n"
        "    if type(thing).__name__ == 'Session':\n        thing.shouldstop = 'enough'\n" + WRONG
    ),
    "makes unittest's and pytest's checks mean nothing": (
        "import _pytest.raises\n_pytest.raises.RaisesExc.__exit__ = lambda *_: True\n" + HONEST
    ),
}


@pytest.mark.parametrize("product", CHEATS.values(), ids=CHEATS.keys())
def test_a_run_in_which_the_product_cheats_proves_nothing(tmp_path: Path, product: str) -> None:
    report = run_tests(tree(tmp_path / "tree", product), tmp_path / "scratch")
    assert not proves(report)


BROKEN = {
    "ends the process in a call": "the test process ended without an end report, with code 0",
    "exits at import": "the test runner failed to run, code 3",
    "exits through pytest with code 0": "3 collected tests did not run; the first is tests/test_calc.py::test_small",
    "replaces how a test is run": "the test runner was changed: _pytest.python.Function.runtest",
    "registers a hook found by gc": "the test runner was changed: hooks in ",
    "answers the engine itself": "tests/test_calc.py::test_small was reported twice",
}


@pytest.mark.parametrize(("name", "reason"), BROKEN.items(), ids=BROKEN.keys())
def test_the_reason_says_what_was_done(tmp_path: Path, name: str, reason: str) -> None:
    report = run_tests(tree(tmp_path / "tree", CHEATS[name]), tmp_path / "scratch")
    assert report.broken.startswith(reason)


UNSEEN = {
    "equal to everything": (
        "class Any:\n    def __eq__(self, other): return True\n    __hash__ = None\ndef add(a, b):\n    return Any()\n"
    ),
    "hard-coded for the seen inputs": (
        "KNOWN = {(1, 2): 3, (0, 5): 5, (-4, 1): -3}\ndef add(a, b):\n    return KNOWN[a, b]\n"
    ),
}


@pytest.mark.parametrize("product", UNSEEN.values(), ids=UNSEEN.keys())
def test_a_run_alone_believes_what_only_the_other_proofs_can_see(tmp_path: Path, product: str) -> None:
    assert proves(run_tests(tree(tmp_path / "tree", product), tmp_path / "scratch"))


def test_a_product_cannot_rewrite_tests_that_are_read_after_it(tmp_path: Path) -> None:
    product = (
        "from pathlib import Path\n"
        "later = Path(__file__).parents[2] / 'tests/test_later.py'\n"
        "try:\n    later.write_text('def test_later(): pass')\nexcept OSError:\n    pass\n" + HONEST
    )
    root = tree(tmp_path / "tree", product, **{"tests/test_later.py": "def test_later():\n    assert False\n"})
    assert outcomes(run_tests(root, tmp_path / "scratch"))["test_later"] == "failed"


def test_a_suite_that_writes_into_its_tree_gets_a_copy_in_which_its_tests_cannot_be_changed(tmp_path: Path) -> None:
    product = (
        "from pathlib import Path\nHERE = Path(__file__).parents[2]\n"
        "def save():\n    (HERE / 'out.txt').write_text('x')\n    return (HERE / 'out.txt').read_text()\n"
        "def forge():\n    (HERE / 'tests/test_save.py').write_text('')\n"
        "def plant():\n    (HERE / 'tests/conftest.py').write_text('')\n"
    )
    tests = (
        "import calc, pytest\n"
        "def test_save():\n    assert calc.save() == 'x'\n"
        "@pytest.mark.parametrize('what', ['forge', 'plant'])\n"
        "def test_kept(what):\n    with pytest.raises(OSError):\n        getattr(calc, what)()\n"
    )
    root = write(tmp_path / "tree", {"src/calc/__init__.py": product, "tests/test_save.py": tests})
    before = run_tests(root, tmp_path / "scratch")
    after = run_tests(root, tmp_path / "scratch", writable=True)
    assert outcomes(before) == {"test_save": "failed", "test_kept[forge]": "passed", "test_kept[plant]": "passed"}
    assert outcomes(after) == {"test_save": "passed", "test_kept[forge]": "passed", "test_kept[plant]": "passed"}
    assert not (root / "out.txt").exists()


def test_a_forged_cache_of_a_test_or_a_module_is_not_read(tmp_path: Path) -> None:
    root = tree(tmp_path / "tree", HONEST)
    run = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir", str(root), "-c", "/dev/null"]
    subprocess.run(run, cwd=root, env={"PYTHONPATH": str(root / "src")}, capture_output=True, check=True)
    assert list(root.rglob("*.pyc"))
    stamps = {path: path.stat() for path in root.rglob("*.py")}
    (root / "src/calc/__init__.py").write_text(HONEST.replace("a + b", "a - b"))
    (root / "tests/test_calc.py").write_text(TESTS.replace("test_zero", "test_null"))
    for path, stat in stamps.items():
        os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    report = run_tests(root, tmp_path / "scratch")
    assert outcomes(report) == {"test_small": "failed", "test_null": "failed", "test_negative": "failed"}


SHADOWS = {
    "json.py": "raise SystemExit(0)\n",
    "sitecustomize.py": "import os\nos._exit(0)\n",
    "src/usercustomize.py": "import os\nos._exit(0)\n",
    "pytest.ini": "[pytest]\naddopts = --deselect tests/test_calc.py\n",
}


@pytest.mark.parametrize("name", SHADOWS)
def test_what_lies_in_the_tree_does_not_reach_the_runner(tmp_path: Path, name: str) -> None:
    root = tree(tmp_path / "tree", HONEST, **{name: SHADOWS[name]})
    assert proves(run_tests(root, tmp_path / "scratch", config={}))


def test_a_tree_with_a_runner_of_its_own_breaks_the_run(tmp_path: Path) -> None:
    root = tree(tmp_path / "tree", HONEST, **{"pytest.py": "raise SystemExit(0)\n"})
    assert run_tests(root, tmp_path / "scratch").broken.startswith("tests do not see the workspace: pytest from ")


@pytest.fixture
def bare(tmp_path: Path) -> Path:
    """A Python environment with nothing in it."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(tmp_path / "venv")], check=True)
    return tmp_path / "venv"


def with_tools(venv: Path, *more: Path) -> Environment:
    """An environment whose test tools are the engine's."""
    tools = Path(sysconfig.get_path("purelib"))
    made = python_environment(venv, *more, python=venv / "bin/python")
    return made._replace(python_path=(tools,), mounts=(*made.mounts, Mount(tools)))


def site_packages(venv: Path) -> Path:
    return next((venv / "lib").glob("python*/site-packages"))


def test_tests_see_the_tree_and_not_a_copy_that_is_installed(tmp_path: Path, bare: Path) -> None:
    root = tree(tmp_path / "tree", WRONG)
    write(site_packages(bare), {"calc/__init__.py": HONEST})
    report = run_tests(root, tmp_path / "scratch", env=with_tools(bare))
    assert (report.broken, set(outcomes(report).values())) == ("", {"failed"})


def test_tests_see_the_tree_and_not_the_checkout_an_editable_install_points_to(tmp_path: Path, bare: Path) -> None:
    root, users = tree(tmp_path / "tree", WRONG), tree(tmp_path / "users", HONEST)
    write(site_packages(bare), {"__editable__.calc.pth": f"{users / 'src'}\n"})
    report = run_tests(root, tmp_path / "scratch", env=with_tools(bare, users))
    assert (report.broken, set(outcomes(report).values())) == ("", {"failed"})


def test_an_import_hook_that_brings_another_tree_breaks_the_run(tmp_path: Path, bare: Path) -> None:
    root, users = tree(tmp_path / "tree", WRONG), tree(tmp_path / "users", HONEST)
    hook = (
        "import sys, importlib.util\n"
        "class Finder:\n"
        "    @staticmethod\n"
        "    def find_spec(name, path=None, target=None):\n"
        f"        place = {str(users / 'src/calc/__init__.py')!r}\n"
        "        return importlib.util.spec_from_file_location(name, place) if name == 'calc' else None\n"
        "sys.meta_path.insert(0, Finder)\n"
    )
    write(site_packages(bare), {"hooked.py": hook, "hooked.pth": "import hooked\n"})
    report = run_tests(root, tmp_path / "scratch", env=with_tools(bare, users))
    assert report.broken == f"tests do not see the workspace: calc from {users}/src/calc/__init__.py"


def test_a_module_imported_before_the_tree_was_there_breaks_the_run(tmp_path: Path, bare: Path) -> None:
    root = tree(tmp_path / "tree", WRONG)
    write(site_packages(bare), {"calc/__init__.py": HONEST, "early.pth": "import calc\n"})
    report = run_tests(root, tmp_path / "scratch", env=with_tools(bare))
    assert report.broken.startswith("tests do not see the workspace: calc from ")


def test_a_package_shared_with_an_installed_one_is_no_stranger(tmp_path: Path, bare: Path) -> None:
    write(site_packages(bare), {"family/theirs.py": "NAME = 'theirs'\n"})
    test = "from family.theirs import NAME\nfrom family.ours import HERS\ndef test_both():\n    assert NAME == HERS\n"
    root = write(tmp_path / "tree", {"src/family/ours.py": "HERS = 'theirs'\n", "tests/test_both.py": test})
    report = run_tests(root, tmp_path / "scratch", env=with_tools(bare))
    assert (report.broken, outcomes(report)) == ("", {"test_both": "passed"})


def test_a_suite_that_takes_too_long_is_broken_and_says_where(tmp_path: Path) -> None:
    product = "import time\ndef add(a, b):\n    if a == 0:\n        time.sleep(60)\n    return a + b\n"
    limits = LIMITS._replace(wall_seconds=4.0)
    report = run_tests(tree(tmp_path / "tree", product), tmp_path / "scratch", limits=limits)
    assert report.broken == "the tests were ended by the limit wall_seconds after tests/test_calc.py::test_small"


def test_programs_the_tests_start_see_the_tree_too(tmp_path: Path) -> None:
    test = (
        "import subprocess, sys\n"
        "def test_cli():\n"
        "    done = subprocess.run([sys.executable, '-m', 'calc'], capture_output=True, text=True)\n"
        "    assert done.stdout == 'hello\\n', done\n"
    )
    files = {"src/calc/__init__.py": "", "src/calc/__main__.py": "print('hello')\n", "tests/test_cli.py": test}
    report = run_tests(write(tmp_path / "tree", files), tmp_path / "scratch")
    assert outcomes(report) == {"test_cli": "passed"}


def test_a_test_that_forks_answers_once(tmp_path: Path) -> None:
    test = (
        "import os\n"
        "def test_fork():\n"
        "    child = os.fork()\n"
        "    if child:\n        os.waitpid(child, 0)\n"
        "    else:\n        raise RuntimeError('in the child')\n"
        "def test_after():\n    pass\n"
    )
    report = run_tests(write(tmp_path / "tree", {"tests/test_fork.py": test}), tmp_path / "scratch")
    assert (report.broken, outcomes(report)) == ("", {"test_fork": "passed", "test_after": "passed"})


def test_nothing_is_left_in_the_tree(tmp_path: Path) -> None:
    root = tree(tmp_path / "tree", HONEST)
    before = sorted(root.rglob("*"))
    run_tests(root, tmp_path / "scratch", writable=True)
    run_tests(root, tmp_path / "scratch")
    assert sorted(root.rglob("*")) == before
    shutil.rmtree(root)
