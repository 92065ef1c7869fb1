"""The main job: one sentence becomes a verified specification."""

from pathlib import Path

import yaml

from harness import REQUEST, events, thoughtforge
from harness.place import Place


def test_a_sentence_becomes_a_verified_specification(shelf: Path, person: Path) -> None:
    done = thoughtforge("design", REQUEST, "--json", cwd=shelf, home=person)
    assert (done.code, done.json["state"], done.json["reason"]) == (0, "done", "done")
    assert done.json["labels"] == ["scripted"]
    spec = yaml.safe_load(Path(done.json["deliverable"]["path"]).read_text())
    assert [r["id"] for r in spec["requirements"]] == ["REQ-001", "REQ-002", "REQ-003", "REQ-004"]
    kinds = [event["type"] for event in events(shelf, done.json["task"])]
    assert kinds[0] == "task_created"
    assert kinds[-1] == "runner_stopped"
    assert thoughtforge("verify", cwd=shelf, home=person).code == 0


def test_an_analyst_that_goes_in_circles_is_told_from_one_that_ran_out_of_steps(place: Place) -> None:
    place.script({"when": {"context": "^stage: analyze$"}, "reply": {"tool": "list_files", "params": {}}})
    done = place.design()
    assert (done.code, done.json["reason"]) == (3, "question")
    assert done.json["waiting"].startswith("E-1: analyze repeats itself: the same action had the same result")
