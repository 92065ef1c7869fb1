"""Prompts are listed, changed whole or not at all, picked up at the next call, and taken back."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from harness import git
from harness.place import Place, make_place

NINE = [
    "brain-dump-intake",
    "code-build",
    "code-fix",
    "code-review",
    "completeness-gate",
    "plan-build",
    "plan-fix",
    "plan-review",
    "spec-building",
]


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return make_place(tmp_path)


def mine(place: Place, name: str) -> Path:
    return place.person / ".config" / "thoughtforge" / "prompts" / f"{name}.md"


def rows(place: Place) -> dict[str, str]:
    return {row["name"]: row["layer"] for row in place.run("prompts", "list", "--json").json["prompts"]}


def test_every_prompt_is_listed_with_its_layer_and_can_be_shown(place: Place) -> None:
    assert {name: rows(place)[name] for name in NINE} == dict.fromkeys(NINE, "built-in")
    shown = place.run("prompts", "show", "plan-fix")
    assert (shown.code, shown.out.splitlines()[0]) == (
        0,
        "You put right what a review of a plan reported, and nothing else.",
    )
    unknown = place.run("prompts", "show", "plan-fixx")
    assert (unknown.code, unknown.err.splitlines()[0]) == (2, "thoughtforge: there is no prompt 'plan-fixx'")


def test_a_change_is_kept_in_the_persons_folder_and_reset_takes_it_back(place: Place) -> None:
    told = place.run("prompts", "edit", "plan-fix", "--file", "-", stdin="Fix it.\n")
    assert (told.code, told.out) == (0, f"{mine(place, 'plan-fix')}: saved. It takes effect with the next call.\n")
    assert (rows(place)["plan-fix"], place.run("prompts", "show", "plan-fix").out) == ("user", "Fix it.\n")
    mine(place, "plan-fix").unlink()
    again = place.run("prompts", "edit", "plan-fix", "--file", "-", stdin="Made anew.\n")
    assert (again.code, mine(place, "plan-fix").read_text()) == (0, "Made anew.\n")
    assert place.run("prompts", "reset", "plan-fix").code == 0
    assert rows(place)["plan-fix"] == "built-in"
    twice = place.run("prompts", "reset", "plan-fix")
    assert (twice.code, "there is nothing to reset" in twice.err) == (2, True)


def test_a_changed_prompt_is_used_and_its_digest_logged(place: Place) -> None:
    text = place.run("prompts", "show", "intake").out + "\nMind the shelves.\n"
    place.run("prompts", "edit", "intake", "--file", "-", stdin=text)
    place.design("--through", "analyze")
    (row,) = [row for row in place.run("prompts", "list", "--json").json["prompts"] if row["name"] == "intake"]
    call = next(event for event in place.events("call_started") if event["stage"] == "intake")
    assert (call["prompts"]["intake"], row["layer"]) == (row["digest"], "user")
    assert "Mind the shelves." in place.blob(call["context"])


def test_the_editor_of_the_person_is_opened_on_the_text_in_force(place: Place, tmp_path: Path) -> None:
    editor = tmp_path / "editor"
    editor.write_text('#!/bin/sh\ncp "$1" "$1.before"\nprintf "Mine." > "$1"\ncp "$1.before" ' + str(tmp_path / "seen"))
    editor.chmod(editor.stat().st_mode | stat.S_IXUSR)
    told = place.run("prompts", "edit", "plan-fix", EDITOR=str(editor), VISUAL=str(editor))
    assert told.code == 0, told.err
    assert mine(place, "plan-fix").read_text() == "Mine."
    assert (tmp_path / "seen").read_text().startswith("You put right what a review of a plan reported")
    same = place.run("prompts", "edit", "plan-fix", EDITOR="true", VISUAL="true")
    assert (same.code, same.out) == (0, f"{mine(place, 'plan-fix')}: kept. You changed nothing.\n")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("fine\n{{ open\n", "thoughtforge: plan-fix, line 2: "),
        ("{% if x %}\nno end", "thoughtforge: plan-fix, line "),
        ("fine\n\n{{ colour }}\n", "thoughtforge: the prompt plan-fix uses unknown variables"),
        (" \n", "thoughtforge: the prompt plan-fix would be empty"),
    ],
)
def test_what_could_not_be_rendered_is_refused_and_the_old_text_kept(place: Place, text: str, told: str) -> None:
    place.run("prompts", "edit", "plan-fix", "--file", "-", stdin="Old.\n")
    refused = place.run("prompts", "edit", "plan-fix", "--file", "-", stdin=text)
    assert (refused.code, refused.err[: len(told)]) == (2, told)
    assert ("line 3: colour" in refused.err) == ("colour" in text)
    assert mine(place, "plan-fix").read_text() == "Old.\n"


def test_a_folder_that_cannot_be_written_is_told(place: Place) -> None:
    mine(place, "x").parent.parent.mkdir(parents=True)
    mine(place, "x").parent.write_text("a file, not a folder")
    told = place.run("prompts", "edit", "plan-fix", "--file", "-", stdin="New.\n")
    assert (told.code, "cannot be written: " in told.err, "the old text stays" in told.err) == (2, True, True)


def test_a_change_for_the_repository_counts_once_it_is_committed(place: Place) -> None:
    told = place.run("prompts", "edit", "plan-fix", "--repository", "--file", "-", stdin="Ours.\n")
    path = place.home / "prompts" / "plan-fix.md"
    assert (told.code, told.out) == (0, f"{path}: saved. It takes effect once you commit it.\n")
    assert rows(place)["plan-fix"] == "built-in"
    git("add", "-f", ".thoughtforge/prompts", cwd=place.repository)
    git("commit", "-q", "-m", "A prompt", cwd=place.repository)
    assert rows(place)["plan-fix"] == "project"
    shadowed = place.run("prompts", "edit", "plan-fix", "--file", "-", stdin="Mine.\n")
    assert shadowed.out.endswith("In this repository .thoughtforge/prompts/plan-fix.md takes precedence.\n")


def test_a_name_that_is_none_is_refused(place: Place) -> None:
    told = place.run("prompts", "edit", "../x", "--file", "-", stdin="x")
    assert (told.code, told.err.splitlines()[0]) == (2, "thoughtforge: '../x' is not a valid name for a prompt")
