"""A dependency that a specification names: installed and declared by the engine, and by nobody else."""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import Any

import yaml

from flows.code_runs import SPECIFICATION, build, make_tally, replies, says, script
from harness import Done, git
from harness.place import Place

PATCH = """\
@@ -1,6 +1,13 @@
 \"\"\"Sums.\"\"\"
 
+import addition
+
 
 def total(numbers: list[int]) -> int:
     \"\"\"The sum.\"\"\"
     return sum(numbers)
+
+
+def widest(numbers: list[int]) -> int:
+    \"\"\"The largest step from one number to the next.\"\"\"
+    return max((abs(b - a) for a, b in zip(numbers, numbers[1:], strict=False)), default=addition.VALUE - 7)
"""


def index(folder: Path) -> Path:
    """A folder with one installable package, as pip finds it."""
    folder.mkdir()
    info = "addition-1.0.dist-info"
    with zipfile.ZipFile(folder / "addition-1.0-py3-none-any.whl", "w") as archive:
        archive.writestr("addition.py", "VALUE: int = 7\n")
        archive.writestr(f"{info}/METADATA", "Metadata-Version: 2.1\nName: addition\nVersion: 1.0\n")
        archive.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        archive.writestr(f"{info}/RECORD", "")
    return folder


def needing(folder: Path, *, allow: list[str], change: dict[str, Any] | None = None) -> tuple[Place, Done]:
    """The small task whose specification needs a package; `change` replaces replies by name."""
    place = make_tally(folder)
    needs = {**SPECIFICATION, "dependencies": ["addition>=1"]}
    (place.person / "spec.yaml").write_text(yaml.safe_dump(needs))
    rules = replies()
    rules["write_code"] = says("green", "edit_file", {"path": "tally/count.py", "patch": PATCH})
    script(place, rules | (change or {}), setup={"allow": allow})
    links = index(folder / "index")
    return place, build(place, PIP_NO_INDEX="1", PIP_FIND_LINKS=str(links))


def exits(place: Place) -> list[dict[str, Any]]:
    """Green's exit conditions, each time they were measured."""
    found = [e for e in place.events("measured") if e["stage"] == "green" and e["what"] == "exit"]
    return [{item["name"]: item for item in event["criteria"]} for event in found]


def test_it_is_installed_and_declared_by_the_engine(tmp_path: Path) -> None:
    place, done = needing(tmp_path, allow=["addition"])
    assert done.code == 0, done.out + done.err
    [exit] = exits(place)
    assert exit["dependencies_by_engine"]["outcome"] == "pass"
    branch = f"thoughtforge/{place.task}"
    assert 'dependencies = ["addition>=1"]\n' in git("show", f"{branch}:pyproject.toml", cwd=place.repository)
    changed = git("log", "--format=%s", "main.." + branch, "--", "pyproject.toml", cwd=place.repository)
    assert [line.partition(":")[0] for line in changed.splitlines()] == ["feat"]
    [added] = [e for e in place.events("measured") if e["what"] == "dependencies"]
    assert " packages with addition>=1, made in " in added["summary"]


def test_what_nobody_allowed_stops_the_task_before_an_agent_works(tmp_path: Path) -> None:
    place, done = needing(tmp_path, allow=[])
    assert done.code == 2
    assert "packages that `setup.allow` does not list: addition>=1" in done.out
    assert place.events("call_started") == []


def test_an_agents_own_declaration_is_refused(tmp_path: Path) -> None:
    own = {"path": "pyproject.toml", "old": '["addition>=1"]', "new": '["addition>=1", "evil"]'}
    change = {
        "write_code": says("green", "edit_file", own),
        "hand_in_code": says("green", "complete", {"artifact": {"files": []}}, after="edit_file"),
    }
    place, done = needing(tmp_path, allow=["addition"], change=change)
    assert done.code != 0
    told = {exit["dependencies_by_engine"]["detail"] for exit in exits(place)}
    assert told == {"pyproject.toml declares evil, which the specification does not add"}
