"""The delivery and the repository's own changelog: continued through a link, told in fragments, or left alone."""

from __future__ import annotations

from pathlib import Path

from flows.code_runs import FILES, NOTES, build, make_tally, replies, says, script
from harness import git
from harness.place import Place

NEW = NOTES["changelog"][0]["text"]


def delivered(place: Place) -> str:
    """The repository's changelogs after the delivery, as a difference; commits what lies in the folder first."""
    git("add", "-A", ".", cwd=place.repository)
    git("commit", "-q", "-m", "A changelog", cwd=place.repository)
    script(place, {**replies(), "preview": says("deliver", "generate_changelog", {"entries": NOTES["changelog"]})})
    done = build(place)
    assert (done.code, done.json["state"]) == (0, "done"), done.out + done.err
    code = (":(exclude)tally", ":(exclude)tests")
    return git("diff", "-U0", "main", f"thoughtforge/{place.task}", "--", ".", *code, cwd=place.repository)


def without_changelog(folder: Path, files: dict[str, str]) -> Place:
    """The small repository with these files instead of its changelog."""
    place = make_tally(folder, files)
    (place.repository / "CHANGELOG").unlink()
    return place


def test_a_changelog_that_is_a_link_is_continued_where_it_leads(tmp_path: Path) -> None:
    place = without_changelog(tmp_path, {"docs/tally.txt": FILES["CHANGELOG"]})
    (place.repository / "CHANGELOG.txt").symlink_to("docs/tally.txt")
    change = delivered(place)
    assert [line for line in change.splitlines() if line.startswith(("+++", "+ "))] == [
        "+++ b/docs/tally.txt",
        f"+  * {NEW}",
    ]


def test_a_link_to_somewhere_else_is_left_alone_and_the_report_says_so(tmp_path: Path) -> None:
    place = without_changelog(tmp_path, {})
    (place.repository / "CHANGELOG").symlink_to("../elsewhere")
    assert delivered(place) == ""
    why = "left alone: CHANGELOG is a symlink to no file of the repository; the entries are in the report"
    told = (place.folder / "report.md").read_text()
    assert f"| deliver: changelog_generated | ✔ | {why} |" in told
    assert f"- added: {NEW}\n\nThe repository's own changelog was {why}." in told


def test_towncrier_in_pyproject_gets_a_fragment_and_the_changelog_stays(tmp_path: Path) -> None:
    settings = FILES["pyproject.toml"] + '\n[tool.towncrier]\ndirectory = "newsfragments"\nfilename = "CHANGES.rst"\n'
    changes = "Changes\n=======\n\n.. towncrier release notes start\n\n0.1\n---\n\n* Sums.\n"
    place = without_changelog(tmp_path, {"pyproject.toml": settings, "CHANGES.rst": changes})
    change = delivered(place)
    path = "newsfragments/+the-widest-gap-between-neighbours.feature.rst"
    assert [line for line in change.splitlines() if line.startswith("+")] == [f"+++ b/{path}", f"+{NEW}"]


def test_prose_about_the_past_is_no_changelog(tmp_path: Path) -> None:
    place = without_changelog(tmp_path, {"docs/history.md": "# History of the project\n\nIn 1998 Ada began it.\n"})
    assert delivered(place) == ""
