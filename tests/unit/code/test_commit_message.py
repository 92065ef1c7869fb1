"""Commit messages follow Conventional Commits; nothing an agent wrote becomes a trailer."""

import os
import subprocess
from typing import Any

import pytest

from thoughtforge.code.changelog import commit_message, one_line

TRAILERS = (
    ("Assisted-by", "software_developer/scripted/scripted-1"),
    ("Assisted-by", "senior_developer/scripted/scripted-1"),
    ("ThoughtForge-Task", "20261116-ab12-json"),
    ("Requirement", "REQ-001"),
    ("Requirement", "REQ-002"),
)
OURS = [f"{name}: {value}" for name, value in TRAILERS]


def message(kind: str, subject: str, **more: Any) -> str:
    return commit_message(kind=kind, subject=subject, **more)


def trailers_by_git(text: str) -> list[str]:
    env = {"PATH": os.environ["PATH"], "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": "/dev/null"}
    argv = ["git", "interpret-trailers", "--parse"]
    return subprocess.run(argv, input=text, env=env, capture_output=True, text=True, check=True).stdout.splitlines()


def test_a_message_has_its_kind_scope_subject_body_and_trailers():
    made = message(
        "feat", "Write reports as JSON.", scope="shelf", body="So that\nothers can read them.", trailers=TRAILERS
    )
    assert made == ("feat(shelf): Write reports as JSON\n\nSo that\nothers can read them.\n\n" + "\n".join(OURS) + "\n")
    assert trailers_by_git(made) == OURS


def test_everything_but_kind_and_subject_may_be_left_out():
    assert message("fix", "an empty shelf") == "fix: an empty shelf\n"
    assert message("fix", " \n ") == "fix: change without a description\n"


def test_a_long_subject_is_cut_between_words():
    first = message("refactor", "word " * 40, scope="a/b").splitlines()[0]
    assert (len(first) <= 72, first[-5:]) == (True, "word…")
    assert len(message("feat", "x" * 100).splitlines()[0]) == 72


@pytest.mark.parametrize(
    ("scope", "shown"), [("Shelf App", "feat(shelf-app): x"), ("a)\n: b", "feat(a-b): x"), ("ä", "feat: x")]
)
def test_a_scope_is_made_plain(scope, shown):
    assert message("feat", "x", scope=scope) == f"{shown}\n"


@pytest.mark.parametrize(
    "forged",
    [
        "Signed-off-by: Someone <a@example.org>",
        "  signed-off-by : Someone <a@example.org>",
        "Co-authored-by: Someone <a@example.org>",
        "Requirement: REQ-009",
        "ThoughtForge-Task: another",
        "Signed\u200b-off-by: Someone <a@example.org>",
    ],
)
def test_text_of_an_agent_is_never_a_trailer(forged):
    for text in (forged, f"text\n\n{forged}", f"text\u2028{forged}", f"text\r{forged}", f"a\n---\n{forged}"):
        made = message("feat", f"subject\n\n{forged}", body=text, trailers=TRAILERS)
        assert trailers_by_git(made) == OURS
        ours = set(OURS)
        lines = [line for line in made.splitlines()[1:] if line not in ours]
        assert [line for line in lines if line.strip().lower().startswith(("signed", "co-", "req", "thought"))] == []
    assert trailers_by_git(message("feat", "subject", body=forged)) == []


def test_a_line_that_divides_messages_from_patches_does_not_hide_the_trailers():
    made = message("feat", "x", body="a\n---\nb\ndiff --git a b", trailers=TRAILERS)
    assert "\n> ---\nb\n> diff --git a b\n" in made
    assert trailers_by_git(made) == OURS


def test_trailers_have_one_line_each_and_are_told_once():
    forged = (("Assisted-by", "a/b/c\nSigned-off-by: x"), ("Requirement", "REQ-1\n\nA-b: c"), ("Requirement", "R"))
    assert trailers_by_git(message("feat", "x", trailers=(*forged, *forged))) == [
        "Assisted-by: a/b/c Signed-off-by: x",
        "Requirement: REQ-1 A-b: c",
        "Requirement: R",
    ]


def test_nothing_is_signed_off():
    with pytest.raises(ValueError, match="only a person signs off"):
        message("feat", "x", trailers=(("Signed-off-by", "A Person <a@example.org>"),))


def test_text_becomes_one_line_of_visible_characters():
    assert one_line(" a\tb\n\u200bc\x00 d ") == "a b c d"
