"""Tests that look at other files than the task's are reported broken before the first call, never green."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from flows.code_runs import FILES, build, make_tally, script
from harness import git
from harness.place import Place

SRC = {f"src/{path}" if path.startswith("tally/") else path: text for path, text in FILES.items()}
"""The same project with its package in src, which only an installation makes known to Python."""
HOOK = """\
import importlib.util
import sys


class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == "tally":
            return importlib.util.spec_from_file_location(
                name, "{place}/tally/__init__.py", submodule_search_locations=["{place}/tally"]
            )


sys.meta_path.insert(0, Finder())
"""


@pytest.fixture
def place(tmp_path: Path) -> Place:
    """The small project in src, with an environment a person made for it."""
    made = make_tally(tmp_path, {path: text for path, text in SRC.items() if path not in FILES})
    git("rm", "-r", "-q", "tally", cwd=made.repository)
    git("commit", "-q", "-m", "To src", cwd=made.repository)
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", made.person / "venv"], check=True)
    script(made, setup={"python": str(made.person / "venv" / "bin" / "python")})
    return made


def site(place: Place) -> Path:
    """Where the packages of the person's environment are."""
    (found,) = (place.person / "venv").glob("lib/python*/site-packages")
    return found


def copy(place: Place, to: Path) -> None:
    """The package as it was when somebody installed it."""
    for path, text in FILES.items():
        if path.startswith("tally/"):
            (to / path).parent.mkdir(parents=True, exist_ok=True)
            (to / path).write_text(text)


def broken(place: Place, *said: str) -> None:
    """The task stops before the first call, says why, and delivers nothing."""
    spec = (place.person / "spec.yaml").read_text().replace("tally/count.py", "src/tally/count.py")
    (place.person / "spec.yaml").write_text(spec)
    done = build(place)
    assert (done.code, done.json["reason"]) == (1, "check_broken"), done.out + done.err
    assert [word for word in said if word not in done.json["detail"]] == [], done.json["detail"]
    assert place.events("call_started") == []
    assert git("for-each-ref", "refs/heads/thoughtforge", cwd=place.repository) == ""


def test_a_copy_among_the_packages_is_found_out(place: Place) -> None:
    copy(place, site(place))
    broken(place, "tests do not see the workspace")


def test_an_import_hook_at_the_front_is_found_out(place: Place) -> None:
    copy(place, site(place) / "elsewhere")
    (site(place) / "front.py").write_text(HOOK.format(place=site(place) / "elsewhere"))
    (site(place) / "front.pth").write_text("import front\n")
    broken(place, "tests do not see the workspace")


def test_an_editable_install_of_the_persons_checkout_is_found_out(place: Place) -> None:
    (site(place) / "__editable__.tally-0.1.0.pth").write_text(f"{place.repository / 'src'}\n")
    broken(place, "tests do not see the workspace", "__editable__.tally-0.1.0.pth points to", "which contains tally")
