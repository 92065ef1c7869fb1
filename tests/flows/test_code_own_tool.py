"""A repository adds a tool by one file; it counts from the base commit, runs in a box and changes nothing."""

from __future__ import annotations

from pathlib import Path

import yaml

from harness import LIBRARY, REQUEST, git
from harness.place import Place, make_place
from harness.scripted import once

TOOL = """\
description: Count the lines of one file.
params: {file: {type: string, pattern: '^[a-z/_.]+$'}}
argv: [python3, -c, "import sys; print(len(open(sys.argv[1]).readlines())); open('left', 'w')", "{file}"]
"""


def role_with(tool: str) -> str:
    role = yaml.safe_load((LIBRARY / "roles" / "software_developer.yaml").read_text())
    role["capabilities"]["tools"]["allowed"].append(tool)
    return yaml.safe_dump(role)


def test_a_tool_of_the_repository_is_used_in_a_box(tmp_path: Path) -> None:
    place: Place = make_place(
        tmp_path,
        {
            ".thoughtforge/tools/count_lines.yaml": TOOL,
            ".thoughtforge/roles/software_developer.yaml": role_with("count_lines"),
        },
    )
    place.script(
        once("green", "count_lines", {"file": "shelf/report.py"}),
        once("green", "count_lines", {"file": "../outside; rm"}),
    )
    place.run("start", REQUEST, "--json")

    used = [e for e in place.events("action_taken") if e["tool"] == "count_lines"]
    assert [(e["outcome"], e["summary"][:20]) for e in used][0] == ("ok", "python3 ended with 0")
    assert used[1]["outcome"] == "refused"
    assert place.blob(used[0]["output"]) == "ended with 0\n9"
    assert not (place.folder / "workspace" / "left").exists()
    assert "left" not in git("status", "--porcelain", cwd=place.repository)
