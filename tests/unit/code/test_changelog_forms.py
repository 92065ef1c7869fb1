"""A changelog is continued where it is and as it is written; where there is none, none is found."""

from __future__ import annotations

import pytest

from thoughtforge.code.changelog import ChangelogEntry
from thoughtforge.code.changelog_forms import ChangelogPlace, find, written

FIXED = ChangelogEntry("fixed", "An empty shelf no longer fails.")
ADDED = ChangelogEntry("added", "Reports can be written as JSON.")


@pytest.mark.parametrize(
    ("paths", "found"),
    [
        (["a.py", "CHANGELOG"], "CHANGELOG"),
        (["Changelog.md", "a.py"], "Changelog.md"),
        (["CHANGES.rst"], "CHANGES.rst"),
        (["HISTORY.txt"], "HISTORY.txt"),
        (["NEWS"], "NEWS"),
        (["docs/changelog.rst"], "docs/changelog.rst"),
        (["docs/CHANGES.md", "HISTORY.md"], "HISTORY.md"),
        (["news.py", "src/changes.md", "history/a.md"], None),
        ([], None),
    ],
)
def test_the_usual_names_are_found_at_the_root_and_among_the_documents(paths: list[str], found: str | None) -> None:
    assert find(paths) == (ChangelogPlace(found) if found else None)


def told(path: str, text: str, *entries: ChangelogEntry) -> str:
    made = written(ChangelogPlace(path), text, entries, slug="shelf")
    assert list(made) == [path]
    return made[path]


def test_underlined_releases_get_an_underlined_one_before_them() -> None:
    text = "Changes\n=======\n\n1.2 (2026-01-01)\n----------------\n\n* Old.\n\n1.1\n---\n\n* Older.\n"
    new = "Unreleased\n----------\n\n* An empty shelf no longer fails.\n\n"
    assert told("CHANGES.rst", text, FIXED) == text.replace("1.2 (", new + "1.2 (")


def test_an_underlined_release_that_is_not_out_is_continued() -> None:
    text = "1.3 (unreleased)\n================\n\n- New.\n\n1.2\n===\n\n- Old.\n"
    expected = text.replace("- New.\n", "- New.\n- An empty shelf no longer fails.\n")
    assert told("HISTORY.rst", text, FIXED) == expected
    assert told("HISTORY.rst", expected, FIXED) == expected


def test_plain_versions_of_a_file_without_an_ending_stay_plain() -> None:
    text = "Version 1.1:\n  - Old.\n\nVersion 1.0:\n  - Older.\n"
    assert told("CHANGELOG", text, FIXED, ADDED) == (
        "Unreleased:\n  - An empty shelf no longer fails.\n  - Reports can be written as JSON.\n\n" + text
    )


def test_markdown_in_a_file_without_an_ending_is_markdown() -> None:
    text = "# Changes\n\n## 1.0\n\n- Old.\n"
    expected = text.replace("## 1.0", "## Unreleased\n\n- An empty shelf no longer fails.\n\n## 1.0")
    assert told("CHANGELOG", text, FIXED) == expected


def test_a_list_without_releases_is_continued_at_its_top_with_the_ends_of_its_lines() -> None:
    assert told("NEWS", "* Old.\r\n", FIXED) == "* An empty shelf no longer fails.\r\n* Old.\r\n"


def test_other_words_for_the_sections_are_kept() -> None:
    text = "# Changes\n\n## Unreleased\n\n### Bug fixes\n\n- Old.\n"
    assert told("CHANGES.md", text, FIXED) == text + "- An empty shelf no longer fails.\n"


def test_a_folder_with_a_file_for_each_change_gets_one_more() -> None:
    place = find(["changes/README.md", "changes/depth.added.md", "changes/crash.fixed.md", "CHANGELOG.md"])
    assert place == ChangelogPlace("changes", ("added", "fixed"), ".md")
    assert written(place, None, [FIXED, ADDED, FIXED], slug="shelf") == {
        "changes/shelf.fixed.md": "An empty shelf no longer fails.\n",
        "changes/shelf.added.md": "Reports can be written as JSON.\n",
        "changes/shelf-2.fixed.md": "An empty shelf no longer fails.\n",
    }


def test_numbers_of_issues_are_not_invented() -> None:
    place = find(["newsfragments/12.bugfix.rst", "newsfragments/9.feature.rst"])
    assert place is not None
    assert list(written(place, None, [FIXED, ADDED], slug="shelf")) == [
        "newsfragments/+shelf.bugfix.rst",
        "newsfragments/+shelf.feature.rst",
    ]


def test_an_empty_folder_counts_when_the_settings_name_it() -> None:
    settings = '[tool.towncrier]\npackage = "shelf"\ndirectory = "docs/news.d"\n'
    paths = ["docs/news.d/.gitignore", "CHANGES.rst", "changes/__init__.py"]
    place = find(paths, settings)
    assert place is not None
    assert list(written(place, None, [ADDED], slug="shelf")) == ["docs/news.d/+shelf.feature.rst"]
    assert find(paths) == ChangelogPlace("CHANGES.rst")
