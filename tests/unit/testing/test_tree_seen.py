"""A suite that tests another tree than the one under test is found out, and never counts as green."""

from __future__ import annotations

import asyncio
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from suite_runs import LIMITS, found_sandbox, python_environment, write
from thoughtforge.testing.language import runner
from thoughtforge.testing.proofs import sees_tree
from thoughtforge.testing.report import Environment, SuiteReport, SuiteRun
from thoughtforge.testing.run import run

TEST = "from calc import add\n\ndef test_add():\n    assert add(1, 2) == 3\n"
RIGHT = "def add(a, b):\n    return a + b\n"
UNSEEN = "tests do not see the workspace"
HOOK = """import importlib.util, sys

class Finder:
    def find_spec(self, name, path=None, target=None):
        return importlib.util.spec_from_file_location(name, "{place}/calc.py") if name == "calc" else None

sys.meta_path.insert(0, Finder())
"""
QUIET_HOOK = HOOK.replace(
    'importlib.util.spec_from_file_location(name, "{place}/calc.py")',
    'importlib.util.spec_from_loader(name, Loader(), origin="{tree}/calc.py")',
).replace("class Finder", "class Loader:\n    def create_module(self, spec):\n        return None\n\n"
          "    def exec_module(self, module):\n        module.__file__ = '{tree}/calc.py'\n"
          "        exec(open('{place}/calc.py').read(), module.__dict__)\n\nclass Finder")  # fmt: skip


def venv(folder: Path, files: dict[str, str], *more: Path) -> Environment:
    """An environment with these files among its packages."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
    (site,) = folder.glob("lib/python*/site-packages")
    write(site, files)
    here = sysconfig.get_paths()["purelib"]
    environment = python_environment(folder, *more, python=folder / "bin" / "python")
    return environment._replace(python_path=(Path(here),))


def seen(
    root: Path, scratch: Path, environment: Environment, changed: tuple[str, ...] = ("calc.py",)
) -> tuple[SuiteReport, str]:
    sandbox = found_sandbox()
    adapter = runner("pytest")
    job = SuiteRun(root, environment, config={}, limits=LIMITS)

    async def both() -> tuple[SuiteReport, str]:
        before = await run(job, adapter, sandbox=sandbox, scratch=scratch)
        problem = await sees_tree(job, adapter, changed=changed, before=before, sandbox=sandbox, scratch=scratch)
        return before, problem

    return asyncio.run(both())


def test_an_honest_suite_sees_its_tree(tmp_path: Path) -> None:
    root = write(tmp_path / "tree", {"calc.py": RIGHT, "test_calc.py": TEST})
    before, problem = seen(root, tmp_path / "runs", python_environment())
    assert (before.broken, problem) == ("", "")
    assert (root / "calc.py").read_text() == RIGHT
    assert list((tmp_path / "runs").iterdir()) == []


def test_a_suite_that_only_starts_a_program_sees_its_tree(tmp_path: Path) -> None:
    call = "subprocess.call([sys.executable, '-c', 'import calc'])"
    test = f"import subprocess, sys\n\ndef test():\n    assert {call} == 0\n"
    root = write(tmp_path / "tree", {"calc.py": RIGHT, "test_calc.py": test})
    assert seen(root, tmp_path / "runs", python_environment())[1] == ""


def test_a_suite_that_skips_without_the_code_sees_its_tree(tmp_path: Path) -> None:
    found = "pytest.importorskip('calc', exc_type=ImportError)"
    test = f"import pytest\ncalc = {found}\n\ndef test():\n    assert calc.add(1, 1) == 2\n"
    root = write(tmp_path / "tree", {"calc.py": RIGHT, "test_calc.py": test})
    assert seen(root, tmp_path / "runs", python_environment())[1] == ""


def test_a_conftest_that_needs_the_code_sees_its_tree(tmp_path: Path) -> None:
    files = {"calc.py": RIGHT, "test_calc.py": TEST, "conftest.py": "import calc\n"}
    assert seen(write(tmp_path / "tree", files), tmp_path / "runs", python_environment())[1] == ""


def test_a_suite_that_never_uses_the_code_is_told(tmp_path: Path) -> None:
    root = write(tmp_path / "tree", {"calc.py": RIGHT, "test_calc.py": "def test():\n    assert 1 == 1\n"})
    _, problem = seen(root, tmp_path / "runs", python_environment())
    assert problem == f"{UNSEEN}: all 1 still pass when calc.py is disabled"


def test_changes_without_code_prove_nothing(tmp_path: Path) -> None:
    root = write(tmp_path / "tree", {"calc.py": RIGHT, "test_calc.py": TEST, "README.md": ""})
    _, problem = seen(root, tmp_path / "runs", python_environment(), ("README.md", "test_calc.py", "gone.py"))
    assert problem == f"{UNSEEN}: the change has no code to disable"


WRONG_TREES = {
    "an editable install of the user's checkout": {"__editable__.calc-1.0.pth": "{place}\n"},
    "a copy in site-packages": {"calc.py": RIGHT},
    "a hook at the front of the import system": {"calc.pth": "import planted\n", "planted.py": HOOK},
    "a hook that lies about where it came from": {"calc.pth": "import planted\n", "planted.py": QUIET_HOOK},
}


@pytest.mark.parametrize("kind", WRONG_TREES)
def test_a_suite_run_against_the_wrong_tree_is_never_green(tmp_path: Path, kind: str) -> None:
    broken = "def add(a, b):\n    raise RuntimeError\n"
    root = write(tmp_path / "tree", {"calc.py": broken, "test_calc.py": TEST})
    user = write(tmp_path / "user", {"calc.py": RIGHT})
    files = {
        name: text.replace("{place}", str(user)).replace("{tree}", str(root))
        for name, text in WRONG_TREES[kind].items()
    }
    before, problem = seen(root, tmp_path / "runs", venv(tmp_path / "venv", files, user))
    is_green = not before.broken and [each.outcome for each in before.results.values()] == ["passed"]
    assert not (is_green and not problem)
    if "hook" in kind:
        # A path in front of the others is enough against the first two; a hook stands before every path.
        assert problem.startswith(UNSEEN)


def test_a_copy_that_shares_its_files_leaves_the_tree_alone(tmp_path: Path) -> None:
    root = write(tmp_path / "tree", {"calc.py": RIGHT, "test_calc.py": TEST})

    async def linked(source: Path, target: Path) -> None:
        shutil.copytree(source, target, copy_function=lambda one, two: Path(two).hardlink_to(one))

    job = SuiteRun(root, python_environment(), config={}, limits=LIMITS)
    doing = sees_tree(
        job,
        runner("pytest"),
        changed=["calc.py"],
        sandbox=found_sandbox(),
        scratch=tmp_path / "runs",
        make_copy=linked,
    )
    assert asyncio.run(doing) == ""
    assert (root / "calc.py").read_text() == RIGHT
