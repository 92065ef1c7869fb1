"""What a repository must have before the first model call, and what of its own state does not stand in the way."""

from __future__ import annotations

import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import Any

import pytest
import yaml

from flows.code_runs import ASKED, FILES, build, make_tally, script
from harness import Done, environment, git
from harness.place import Place
from harness.trusted import allowing

NO_TESTS = {**FILES, "tests/test_count.py": ""}


def refused(place: Place, done: Done) -> str:
    """The task is refused before any model was asked; why."""
    assert (done.code, done.json["reason"]) == (2, "configuration"), done.out + done.err
    assert place.events("call_started") == []
    assert git("for-each-ref", "refs/thoughtforge", "refs/heads/thoughtforge", cwd=place.repository) == ""
    return str(done.json["detail"])


def report(place: Place) -> dict[str, Any]:
    """The delivery report."""
    path = place.folder / "artifacts" / "deliver" / "delivery_report_final.yaml"
    found: dict[str, Any] = yaml.safe_load(path.read_text())
    return found


def measured(place: Place, what: str) -> dict[str, Any]:
    """What was measured before the first stage."""
    (found,) = [e for e in place.events("measured") if e["what"] == what and not e["stage"]]
    return found


def programs(folder: Path, *names: str) -> str:
    """A search path with these programs and no other."""
    folder.mkdir()
    for name in names:
        found = shutil.which(name)
        assert found, name
        (folder / name).symlink_to(found)
    return str(folder)


def test_a_repository_without_tests_is_refused_before_any_call_and_a_setting_lets_it_go(tmp_path: Path) -> None:
    place = make_tally(tmp_path, NO_TESTS)
    why = refused(place, build(place))
    assert "the repository has no test that runs" in why
    assert "tests.allow_none: true" in why
    script(place, tests={"allow_none": True})
    done = place.run("continue", place.task, "--json")
    assert (done.code, done.json["state"]) == (0, "done"), done.out + done.err


def test_a_base_commit_whose_tests_cannot_run_stops_before_any_call_with_the_likely_cause(tmp_path: Path) -> None:
    generated = {
        "tally/__init__.py": '"""Sums."""\n\nfrom tally._version import VERSION\n',
        ".gitignore": "_version.py\n",
    }
    place = make_tally(tmp_path, generated)
    why = refused(place, build(place))
    assert "no test passes" in why
    assert "No module named 'tally._version'" in why
    assert "git ignores tally/_version.py" in why
    assert "tests.allow_none: true" in why


def test_a_base_commit_whose_tests_are_all_skipped_stops_before_any_call_with_the_reason(tmp_path: Path) -> None:
    skipping = "import pytest\n\n\n@pytest.mark.skip(reason='needs the till')\ndef test_{0}():\n    assert True\n"
    late = "import pytest\n\n\ndef test_late():\n    pytest.skip('needs the till')\n"
    place = make_tally(tmp_path, {"tests/test_count.py": skipping.format("one"), "tests/test_late.py": late})
    why = refused(place, build(place))
    assert "all 2 tests are skipped; the commonest reason, 2 times: needs the till" in why


def test_what_was_wrong_before_is_listed_and_blocks_nothing(tmp_path: Path) -> None:
    failing = "def test_never():\n    assert 1 == 2\n"
    old = '"""Old."""\n\n\ndef undocumented(value: int) -> str:\n    return value\n'
    place = make_tally(tmp_path, {"tests/test_old.py": failing, "tally/old.py": old})
    done = build(place)
    assert done.code == 0, done.out + done.err
    facts = measured(place, "baseline")["facts"]
    assert (facts["tests_passing"], facts["tests_failing"], facts["tests_flaky"]) == (1, 1, 0)
    assert facts["findings"] == 2
    assert report(place)["results"] == {"passed": 3, "failed": 1, "skipped": 0}
    (left,) = [c["detail"] for c in report(place)["checks"] if c["name"] == "green: conformance_pass"]
    assert left.endswith("older findings left")
    assert "1 fail" in place.run("status", place.task).out


def test_a_test_that_wavers_is_found_by_running_twice_and_decides_nothing(tmp_path: Path) -> None:
    """Nothing outlasts a run, but every run is on files of its own, and a mount tells which."""
    wavering = (
        "import re\nfrom pathlib import Path\n\n\n"
        "def test_now_and_then():\n"
        "    told = re.findall(r'checkout-(\\d+)', Path('/proc/self/mountinfo').read_text())\n"
        "    assert int(told[0]) % 2\n"
    )
    place = make_tally(tmp_path, {"tests/test_wavering.py": wavering})
    done = build(place)
    assert done.code == 0, done.out + done.err
    facts = measured(place, "baseline")["facts"]
    assert (facts["tests_passing"], facts["tests_failing"], facts["tests_flaky"]) == (1, 0, 1)


def test_a_set_up_that_fails_is_refused_with_what_it_said(tmp_path: Path) -> None:
    place = make_tally(tmp_path)
    command = ["python3", "-c", "raise SystemExit('the shelf of packages is empty')"]
    script(place, setup={"command": command})
    assert "the shelf of packages is empty" in refused(place, build(place))


def test_without_a_sandbox_a_setting_is_named_and_with_it_the_record_and_the_report_say_so(tmp_path: Path) -> None:
    place = make_tally(tmp_path)
    path = programs(tmp_path / "bin", "git", "sh", "env")
    assert "sandbox.allow_weak: true" in refused(place, build(place, PATH=path))
    script(place, sandbox={"allow_weak": True})
    done = place.run("continue", place.task, "--json", PATH=path)
    assert done.code == 0, done.out + done.err
    facts = measured(place, "environment")["facts"]
    assert facts["sandbox"] == "weak"
    assert facts["sandbox_note"]
    assert "no isolation" in (place.folder / "report.md").read_text()


@pytest.fixture
def bare(tmp_path: Path) -> Path:
    """An installation with every library and without the programs that checks start."""
    folder = tmp_path / "bare"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
    (site,) = folder.glob("lib/python*/site-packages")
    source = Path(__file__).parents[2] / "src"
    (site / "all.pth").write_text(f"{source}\n{sysconfig.get_paths()['purelib']}\n")
    return folder / "bin" / "python"


def test_without_a_checker_the_stage_stops_and_says_what_to_install(tmp_path: Path, bare: Path) -> None:
    place = make_tally(tmp_path / "here")
    path = programs(tmp_path / "bin", "git", "bwrap", "sh", "env")
    spec = str(place.person / "spec.yaml")
    ended = subprocess.run(
        [bare, "-P", "-m", "thoughtforge", "start", ASKED, "--from-spec", spec, "--json"],
        cwd=place.repository,
        env=environment(place.person, PATH=path, **allowing(place.repository, {})),
        capture_output=True,
        text=True,
        check=False,
    )
    done = Done(ended.returncode, ended.stdout, ended.stderr)
    assert (done.code, done.json["reason"]) == (1, "check_broken"), done.out + done.err
    assert "ruff is missing" in done.json["detail"]
    assert "pip install 'thoughtforge[code]'" in done.json["detail"]
    assert git("for-each-ref", "refs/heads/thoughtforge", cwd=place.repository) == ""
