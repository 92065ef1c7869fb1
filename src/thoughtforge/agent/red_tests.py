"""The tests the code is held to, with what was held back: what red's measurement put on record."""

from __future__ import annotations

from thoughtforge.agent.means import Means
from thoughtforge.workshop.green import Red
from thoughtforge.workshop.held_back import read_held


def red_tests(means: Means) -> Red:
    """What red left behind; for tests that came from outside, what they are at the base commit."""
    for stage in means.task.pipeline.stages:
        mine = means.stage(stage.name)
        if stage.output_contract != "test_suite" or mine.status != "passed":
            continue
        report = means.artifact(mine.measured["exit"].report or "") or {}
        kept, _ = read_held(means.artifact(mine.measured["held_back_cases"].report or "") or {})
        known = report["red"]
        return Red(
            commit=mine.commit,
            files=tuple(known["files"]),
            ids=tuple(known["ids"]),
            names=tuple(known["names"]),
            unreadable=tuple(known["unreadable"]),
            held=kept,
        )
    return _given(means)


def _given(means: Means) -> Red:
    suite = means.accepted().get("test_suite")
    files = tuple(file["path"] for file in suite.get("test_files", [])) if suite else ()
    names = tuple(f"{f['path']}::{t['name']}" for f in suite.get("test_files", []) for t in f["tests"]) if suite else ()
    return Red(commit=means.task.base_commit, files=files, names=names)
