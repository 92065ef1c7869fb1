"""The whole pipeline on projects of other people, taken from the registry as source; the agent is scripted."""

from __future__ import annotations

import json
import shutil
import tarfile
from pathlib import Path
from typing import Any

import yaml

from flows.forge_runs import MINOR, found, prompted
from harness import git
from harness.place import Place
from harness.scripted import CLEAN_REVIEW, NOTES, call, complete, once, specification, step, written_tests

SOURCES = Path(__file__).parents[2] / ".make" / "sources"


def unpacked(name: str, folder: Path) -> Place:
    """A project as its authors published it, as a repository with one commit."""
    (archive,) = SOURCES.glob(f"{name}-*.tar.gz")
    with tarfile.open(archive) as tar:
        tar.extractall(folder / "unpacked", filter="data")
    (root,) = (folder / "unpacked").iterdir()
    repository = folder / name
    shutil.move(root, repository)
    git("init", "-q", "-b", "main", cwd=repository)
    git("add", "--all", cwd=repository)
    git("commit", "-q", "-m", "As published", cwd=repository)
    (folder / "person").mkdir()
    return Place(repository, folder / "person")


def deliver(place: Place, request: str, spec: dict[str, Any], rules: list[dict[str, Any]]) -> dict[str, Any]:
    """Run it from the specification and hand over what the command said."""
    place.script(*rules, CLEAN_REVIEW)
    path = place.home / "spec.yaml"
    path.write_text(yaml.safe_dump(spec))
    done = place.run("start", request, "--from-spec", str(path), "--pipeline", "implement", "--json", timeout=600)
    assert done.code == 0, done.out + done.err
    told: dict[str, Any] = done.json
    return told


def test_a_small_feature_is_delivered_to_inflection(tmp_path: Path) -> None:
    place = unpacked("inflection", tmp_path)
    request = "Add a function initials that gives the first letters of the words of a name"
    spec = specification(
        request,
        ["initials('Donald E. Knuth') is 'DEK'.", "initials of an empty text is an empty text."],
        modify=["inflection/__init__.py"],
        create=["test_initials.py"],
        what="The function initials gives the first letter of every word, in upper case.",
    )
    tests = (
        "from inflection import initials\n\n\n"
        "def test_every_word_gives_its_first_letter():\n    assert initials('Donald E. Knuth') == 'DEK'\n\n\n"
        "def test_nothing_has_no_initials():\n    assert initials('') == ''\n"
    )
    code = (
        "def initials(string: str) -> str:\n"
        '    """The first letter of every word, in upper case."""\n'
        "    return ''.join(word[0].upper() for word in string.split())\n\n\n"
    )
    anchor = "def parameterize(string: str, separator: str = '-') -> str:\n"
    rules = [
        once("red", "create_file", {"path": "test_initials.py", "content": tests}),
        complete(
            "red",
            written_tests(
                "test_initials.py",
                {"test_every_word_gives_its_first_letter": "REQ-001.1", "test_nothing_has_no_initials": "REQ-001.2"},
                [
                    call("REQ-001.1", "inflection:initials", "grace brewster hopper", expect="GBH"),
                    call("REQ-001.2", "inflection:initials", "   ", expect=""),
                ],
            ),
        ),
        once("green", "edit_file", {"path": "inflection/__init__.py", "old": anchor, "new": code + anchor}),
        complete("green", {"files": [{"path": "inflection/__init__.py", "purpose": "initials"}]}),
        complete("deliver", NOTES),
    ]
    told = deliver(place, request, spec, rules)

    (baseline,) = [e for e in place.events("measured") if e["what"] == "baseline"]
    assert (baseline["facts"]["tests_passing"], baseline["facts"]["tests_failing"]) == (455, 0)
    branch = told["branch"]
    assert git("log", "--format=%s", f"main..{branch}", cwd=place.repository).splitlines()[-1].startswith("test: ")
    assert "def initials" in git("show", f"{branch}:inflection/__init__.py", cwd=place.repository)
    assert git("status", "--porcelain", cwd=place.repository) == "?? .thoughtforge/\n"


def test_a_small_feature_is_delivered_where_much_is_wrong_already(tmp_path: Path) -> None:
    place = unpacked("boltons", tmp_path)
    failing = "from boltons.strutils import is_ascii\n\n\ndef test_known_to_fail():\n    assert is_ascii('Beyoncé')\n"
    (place.repository / "tests" / "test_known.py").write_text(failing)
    git("add", "--all", cwd=place.repository)
    git("commit", "-q", "-m", "A test that fails", cwd=place.repository)
    request = "Add a function first_line that gives the first line of a text"
    spec = specification(
        request,
        ["first_line('a\\nb') is 'a'.", "first_line of an empty text is an empty text."],
        modify=["boltons/strutils.py"],
        create=["tests/test_first_line.py"],
        what="The function first_line of boltons.strutils gives the first line of a text without its end.",
    )
    tests = (
        "from boltons.strutils import first_line\n\n\n"
        "def test_the_first_line_is_given_without_its_end():\n    assert first_line('a\\nb') == 'a'\n\n\n"
        "def test_nothing_has_an_empty_first_line():\n    assert first_line('') == ''\n"
    )
    code = (
        "def first_line(text):\n"
        '    """The first line of *text* without its end; empty for an empty text."""\n'
        "    lines = text.splitlines()\n    return lines[0] if lines else ''\n\n\n"
    )
    anchor = "def is_ascii(text):\n"
    rules = [
        once("red", "create_file", {"path": "tests/test_first_line.py", "content": tests}),
        complete(
            "red",
            written_tests(
                "tests/test_first_line.py",
                {
                    "test_the_first_line_is_given_without_its_end": "REQ-001.1",
                    "test_nothing_has_an_empty_first_line": "REQ-001.2",
                },
                [
                    call("REQ-001.1", "boltons.strutils:first_line", "x y\r\nz", expect="x y"),
                    call("REQ-001.2", "boltons.strutils:first_line", "\n", expect=""),
                ],
            ),
        ),
        once("green", "edit_file", {"path": "boltons/strutils.py", "old": anchor, "new": code + anchor}),
        complete("green", {"files": [{"path": "boltons/strutils.py", "purpose": "first_line"}]}),
        complete("deliver", NOTES),
    ]
    told = deliver(place, request, spec, rules)

    (baseline,) = [e for e in place.events("measured") if e["what"] == "baseline"]
    assert baseline["facts"]["findings"] >= 100
    assert baseline["facts"]["tests_failing"] >= 1
    assert baseline["facts"]["tests_passing"] >= 500
    report = yaml.safe_load((place.folder / "artifacts" / "deliver" / "delivery_report_final.yaml").read_text())
    assert report["results"]["passed"] == baseline["facts"]["tests_passing"] + 2
    assert json.dumps(report["checks"]).count('"fail"') == 0
    assert "def first_line" in git("show", f"{told['branch']}:boltons/strutils.py", cwd=place.repository)


def test_a_change_plan_is_forged_and_implemented_in_three_phases_while_a_person_works_on(tmp_path: Path) -> None:
    place = unpacked("inflection", tmp_path)
    request = "Add a function initials that gives the first letters of the words of a name, and describe it"
    tests = (
        "from inflection import initials\n\n\n"
        "def test_every_word_gives_its_first_letter():\n    assert initials('Donald E. Knuth') == 'DEK'\n"
    )
    code = (
        "def initials(string: str) -> str:\n"
        '    """The first letter of every word, in upper case."""\n'
        "    return ''.join(word[0].upper() for word in string.split())\n\n\n"
    )
    anchor = "def parameterize(string: str, separator: str = '-') -> str:\n"
    changes = {
        "inflection/__init__.py": "Add initials(string) -> str before parameterize.",
        "test_initials.py": "New: prove initials for a name of three words.",
        "README.rst": "Name initials among the functions.",
    }
    draft = {
        "objective": "People who print lists of names want the initials of each.",
        "scope": "One function, its test and a line in the readme.",
        "changes": [{"path": path, "change": change} for path, change in changes.items()],
        "risks": "None: nothing that is there changes.",
        "testing": [{"command": "python -c 'import inflection as i; print(i.initials(\"a b\"))'", "output": "AB"}],
    }
    rules = [
        prompted("You write the plan of a change", draft),
        prompted("You attack the plan of a change", found(MINOR)),
        prompted("You audit the implementation", found()),
        step("plan", "complete", {"artifact": {"summary": "Functions stand in one module.", "files": []}}),
        *(
            {**rule, "when": {"context": [f"the phase phase-{number}:"]}}
            for number, (path, rule) in enumerate(_phases(code, anchor, tests).items(), start=1)
            for rule in (rule, _handed(path))
        ),
    ]
    place.script(*rules, plan={"phase_max_files": 1}, commands=[["python", "-c"]])
    assert place.run("forge", request, "--json", timeout=300).code == 3
    assert place.run("plan", "approve", "plan-001").code == 0
    (place.repository / "staged.txt").write_text("mine\n")
    git("add", "staged.txt", cwd=place.repository)
    (place.repository / "README.rst").write_text("being rewritten\n")
    before = git("status", "--porcelain", cwd=place.repository)
    done = place.run("plan", "run-all", "plan-001", "--json", timeout=600)
    assert (done.code, done.json["status"]) == (0, "DONE"), done.out + done.err
    log = git("log", "--reverse", "--format=%h", "main..thoughtforge/plan-001", cwd=place.repository).split()
    files = [git("show", "--format=", "--name-only", commit, cwd=place.repository).split() for commit in log]
    assert files == [["inflection/__init__.py"], ["test_initials.py"], ["README.rst"]]
    assert git("status", "--porcelain", cwd=place.repository) == before


def _phases(code: str, anchor: str, tests: str) -> dict[str, dict[str, Any]]:
    """Path → the one edit of its phase."""
    told = {
        "path": "README.rst",
        "old": "Inflection\n==========\n",
        "new": "Inflection\n==========\n\nNew: initials.\n",
    }
    edits = {
        "inflection/__init__.py": (
            "edit_file",
            {"path": "inflection/__init__.py", "old": anchor, "new": code + anchor},
        ),
        "test_initials.py": ("create_file", {"path": "test_initials.py", "content": tests}),
        "README.rst": ("edit_file", told),
    }
    return {path: once("phases", tool, params) for path, (tool, params) in edits.items()}


def _handed(path: str) -> dict[str, Any]:
    """The hand-in of a phase of one file."""
    return complete("phases", {"summary": "Done.", "files": [{"path": path, "purpose": "as planned"}]})
