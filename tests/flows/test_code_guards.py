"""A requirement to keep something as it is, all the way: guarded by an old test and delivered as such."""

from __future__ import annotations

import copy
from pathlib import Path

import yaml

from flows.code_runs import HELD, SPECIFICATION, SUITE, build, make_tally, replies, script
from flows.traps import KEPT, KEPT_CASE


def test_a_requirement_to_keep_something_is_guarded_before_and_after(tmp_path: Path) -> None:
    place = make_tally(tmp_path)
    specification = {
        **SPECIFICATION,
        "requirements": [*SPECIFICATION["requirements"], KEPT],
        "regression_guards": ["REQ-002.1"],
    }
    (place.person / "spec.yaml").write_text(yaml.safe_dump(specification))
    suite = copy.deepcopy(SUITE)
    old = {"name": "test_the_sum", "requirement_ref": "REQ-002", "acceptance_criterion": "REQ-002.1"}
    suite["test_files"].append({"path": "tests/test_count.py", "tests": [old]})
    rules = replies()
    rules["hand_in_tests"]["reply"]["params"] = {"artifact": {**suite, "held_back": [*HELD, KEPT_CASE]}}
    script(place, rules)

    done = build(place)

    assert done.code == 0, done.out + done.err
    artifacts = place.folder / "artifacts"
    written = yaml.safe_load((artifacts / "red" / "test_suite_v1.yaml").read_text())
    assert written["regression_guards"] == ["tests/test_count.py::test_the_sum"]
    report = yaml.safe_load((artifacts / "deliver" / "delivery_report_final.yaml").read_text())
    assert [(row["id"], row["status"]) for row in report["requirements"]] == [
        ("REQ-001", "delivered"),
        ("REQ-002", "delivered"),
    ]
    assert report["requirements"][1]["tests"] == [{"name": "test_the_sum", "result": "passed", "guard": True}]
    assert "test_the_sum: passed before and after" in (place.folder / "report.md").read_text()
