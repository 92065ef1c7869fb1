"""The document pipeline writes documents and nothing else, and needs neither tests nor an environment."""

from __future__ import annotations

from typing import Any

import yaml

from harness import git
from harness.place import ANALYSIS, Place, demo_reply
from harness.scripted import complete, once, step

REQUEST = "Document the shelf command"
PAGE = "# shelf\n\n`shelf report FILE` prints one line per item.\n"
NOTES: dict[str, Any] = {
    "summary": "The command has a manual.",
    "changelog": [{"kind": "added", "text": "A manual of the command in docs/shelf.md."}],
    "docs": [{"path": "docs/shelf.md", "summary": "How to use the command."}],
    "deployment": {"prerequisites": [], "steps": ["Publish the page."], "rollback": "Remove the page."},
}


def analysis() -> dict[str, Any]:
    return {"when": {"context": "^stage: analyze$"}, "reply": demo_reply(ANALYSIS)}


def test_a_manual_is_written_and_delivered(place: Place) -> None:
    place.script(
        analysis(),
        once("deliver", "create_file", {"path": "shelf/extra.py", "content": "x = 1\n"}),
        once("deliver", "create_file", {"path": "docs/shelf.md", "content": PAGE}),
        complete("deliver", NOTES),
    )
    done = place.run("start", REQUEST, "--json")

    assert done.code == 0, done.out + done.err
    branch = done.json["branch"]
    assert git("diff", "--name-only", "main", branch, cwd=place.repository).split() == ["CHANGELOG.md", "docs/shelf.md"]
    assert git("show", f"{branch}:docs/shelf.md", cwd=place.repository) == PAGE
    (refused,) = [e for e in place.events("action_taken") if e["outcome"] == "refused"]
    assert refused["params"]["path"] == "shelf/extra.py"
    assert [e["what"] for e in place.events("measured") if not e["stage"]] == []
    report = yaml.safe_load((place.folder / "artifacts" / "deliver" / "delivery_report_final.yaml").read_text())
    assert {"name": "deliver: whole_suite", "outcome": "not_run", "detail": "only documents were written"} in report[
        "checks"
    ]


def test_a_document_that_was_promised_and_not_written_sends_the_agent_back(place: Place) -> None:
    place.script(
        analysis(),
        complete("deliver", NOTES, times=1),
        step(
            "deliver",
            "create_file",
            {"path": "docs/shelf.md", "content": PAGE},
            "docs/shelf.md does not exist",
            times=1,
        ),
        complete("deliver", NOTES),
    )
    done = place.run("start", REQUEST, "--json")

    assert done.code == 0, done.out + done.err
    exits = [e for e in place.events("measured") if e["what"] == "exit"]
    assert [e["outcome"] for e in exits] == ["fail", "pass"]
    assert exits[0]["criteria"][0] == {
        "name": "documentation_complete",
        "outcome": "fail",
        "detail": "docs/shelf.md does not exist",
    }
