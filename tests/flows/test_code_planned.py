"""Files that the specification wants changed: one that was left as it is asked about once, a moved one is changed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from flows.code_runs import SPECIFICATION, build, make_tally, replies, says, script
from harness.place import Place

OLD = {"tally/old.py": '"""Old."""\n\nA = 1\n'}
BOTH = {**SPECIFICATION, "files_to_modify": ["tally/count.py", "tally/old.py"]}


def planned(folder: Path, **specification: Any) -> Place:
    """The small repository with another file, which the specification wants changed too."""
    place = make_tally(folder, OLD)
    (place.person / "spec.yaml").write_text(yaml.safe_dump({**BOTH, **specification}))
    return place


def exits(place: Place) -> list[list[str]]:
    """What did not hold each time green handed in."""
    found = [e for e in place.events("measured") if e["what"] == "exit" and e["stage"] == "green"]
    return [[f"{c['name']}: {c['detail']}" for c in e["criteria"] if c["outcome"] != "pass"] for e in found]


def test_a_file_that_was_moved_is_no_file_left_as_it_is(tmp_path: Path) -> None:
    place = planned(tmp_path, files_to_create=["tests/test_widest.py", "tally/new.py"])
    move = says("green", "move_file", {"path": "tally/old.py", "to": "tally/new.py"}, after="edit_file path=")
    rules = replies()
    rules["hand_in_code"]["when"]["context"][1] = "move_file path="
    script(place, {"hand_in_code": rules.pop("hand_in_code"), "move": move, **rules})
    done = build(place, "--through", "green")
    assert (done.code, exits(place)) == (0, [[]]), done.out + done.err


def test_a_file_left_as_it_is_is_asked_about_once(tmp_path: Path) -> None:
    place = planned(tmp_path)
    script(place, replies())
    done = build(place, "--through", "green")
    asked = "planned_files_changed: tally/old.py is unchanged: edit it, or say why not in untouched"
    assert (done.code, exits(place)) == (0, [[asked], []]), done.out + done.err
