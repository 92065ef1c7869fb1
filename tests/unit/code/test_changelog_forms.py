"""A changelog is continued as it is written; one whose form is not clear stays as it is, and it is told why."""

from __future__ import annotations

import pytest

from thoughtforge.code.changelog import ChangelogEntry
from thoughtforge.code.changelog_forms import continued

FIXED = ChangelogEntry("fixed", "An empty shelf no longer fails.")
ADDED = ChangelogEntry("added", "Reports can be written as JSON.")
NEW = "An empty shelf no longer fails."


def told(path: str, text: str, *entries: ChangelogEntry) -> str:
    made = continued(path, text, entries or (FIXED,))
    assert made.why == ""
    assert continued(path, made.text, entries or (FIXED,)).text == made.text  # nothing is told twice
    return made.text


KEPT = "# Changelog\n\nAll notable changes.\n\n"
OPEN = [
    # path, the text up to the new line, the rest: in each the release that is not out is continued
    (
        "CHANGELOG.md",
        KEPT + "## [Unreleased]\n\n### Fixed\n\n- Old.\n",
        "\n## [1.0.0] - 2026-01-01\n\n### Added\n\n- All.\n",
    ),
    ("CHANGELOG.md", KEPT + "## [Unreleased] - ReleaseDate\n- Old.\n", "\n## [1.0.0] - 2026-01-01\n- All.\n"),
    ("CHANGELOG.md", "# Changes\n\n## 2.0.0 (unreleased)\n\n- Old.\n", "\n## 1.0.0 (2026-01-01)\n\n- All.\n"),
    ("CHANGELOG.md", "## v2.0.0-dev\n\n* Old.\n", "\n## v1.0.0\n\n* All.\n"),
    ("CHANGELOG.md", "## 2.0.0.dev0\n\n* Old.\n", "\n## 1.0.0\n\n* All.\n"),
    ("CHANGELOG.md", "## 2.0.0-SNAPSHOT\n\n* Old.\n", "\n## 1.0.0\n\n* All.\n"),
    ("CHANGELOG.md", "## master\n\n* Old.\n", "\n## 1.0.0\n\n* All.\n"),
    ("CHANGELOG.md", "## main (unreleased)\n\n* Old.\n", "\n## 1.0.0\n\n* All.\n"),
    ("CHANGES.md", "# Shelf\n\n## main\n\n- Old.\n", "\n## v12\n\n- All.\n"),
    ("CHANGELOG.md", "## Next\n\n#### Bug Fixes\n\n- Old.\n", "\n## 1.0.0\n\n#### Features\n\n- All.\n"),
    ("CHANGELOG.md", "## Upcoming release\n\n- Old.\n", "\n## 1.0.0\n\n- All.\n"),
    ("CHANGELOG.md", "## Rails 8.1.0 (unreleased)\n\n*   Old.\n", "\n## Rails 8.0.0 (January 01, 2026)\n\n*   All.\n"),
    ("CHANGELOG.md", "## 2.0.0 - TBD\n\n- Old.\n", "\n## 1.0.0 - 2026-01-01\n\n- All.\n"),
    ("CHANGELOG.md", "## 2.0.0 (????-??-??)\n\n- Old.\n", "\n## 1.0.0 (2026-01-01)\n\n- All.\n"),
    (
        "CHANGELOG.md",
        "## Version 3.2.0\n\nUnreleased\n\n- Old.\n",
        "\n## Version 3.1.0\n\nReleased 2026-01-01\n\n- All.\n",
    ),
    (
        "CHANGES.rst",
        "Version 3.2.0\n-------------\n\nUnreleased\n\n-   Old.\n",
        "\n\nVersion 3.1.0\n-------------\n\nReleased 2026-01-01\n\n-   All.\n",
    ),
    (
        "CHANGES.rst",
        "1.3 (unreleased)\n================\n\n- Old.\n",
        "\n1.2 (2026-01-01)\n================\n\n- All.\n",
    ),
    (
        "docs/changelog.rst",
        "Changelog\n=========\n\nUnreleased\n----------\n\nFixed\n~~~~~\n\n* Old.\n",
        "\nAdded\n~~~~~\n\n* More.\n\n1.0\n---\n\nAdded\n~~~~~\n\n* All.\n",
    ),
    (
        "History.md",
        "unreleased\n==================\n\n  * Old.\n",
        "\n1.0.0 / 2026-01-01\n==================\n\n  * All.\n",
    ),
    (
        "HISTORY.rst",
        "History\n=======\n\ndev\n---\n\n- Old.\n",
        "\n2.31.0 (2026-01-01)\n-------------------\n\n- All.\n",
    ),
    ("CHANGES.txt", "Next release\n\n - Old.\n", "\nVersion 1.1\n\n - All.\n"),
    ("CHANGES", "Changes in shelf 1.2 (unreleased)\n\n * Old.\n", "\nChanges in shelf 1.1:\n\n * All.\n"),
    (
        "debian/changelog",
        "shelf (1.2-1) UNRELEASED; urgency=medium\n\n  * Old.\n",
        "\n -- Ada <a@b.org>  Mon, 5 Jan 2026 10:00:00 +0000\n",
    ),
]


@pytest.mark.parametrize(("path", "above", "below"), OPEN)
def test_what_is_not_released_yet_is_continued(path: str, above: str, below: str) -> None:
    old = above.rstrip("\n").rpartition("\n")[2]
    assert told(path, above + below) == f"{above}{old.replace('Old.', NEW)}\n{below}"


RELEASED = [
    # path, the text above the new part, the new part, the rest: in each the last release is out
    (
        "CHANGELOG.md",
        KEPT,
        "## [Unreleased]\n\n### Fixed\n\n- {new}\n\n",
        "## [1.0.0] - 2026-01-01\n\n### Added\n\n- All.\n",
    ),
    ("CHANGELOG.md", "# Changes\n\n", "## Unreleased\n\n* {new}\n\n", "## 1.1.0 (2026-01-01)\n\n* All.\n"),
    ("CHANGELOG.md", "# Changes\n\n## About\n\nHello.\n\n", "## Unreleased\n\n- {new}\n\n", "## 1.1\n\n- All.\n"),
    (
        "CHANGELOG.md",
        "",
        "## Unreleased\n\n- {new}\n\n",
        "## 2.0.0\n\n- All.\n\n## 1.9.0 (unreleased)\n\n- Never out.\n",
    ),
    ("CHANGELOG.md", "", "## Unreleased\n\n#### Bug Fixes\n\n- {new}\n\n", "## 1.1\n\n#### Bug Fixes\n\n- All.\n"),
    ("CHANGELOG.md", "# Log\n\n", "## Unreleased\n\n- {new}\n\n", "## shelf 1.1 (2026-01-01)\n\n- All.\n"),
    ("CHANGELOG", "# Changes\n\n", "## Unreleased\n\n- {new}\n\n", "## 1.0\n\n- All.\n"),
    (
        "CHANGES.rst",
        "Changes\n=======\n\n",
        "Unreleased\n----------\n\n* {new}\n\n",
        "1.2 (2026-01-01)\n----------------\n\n* All.\n",
    ),
    (
        "CHANGES.rst",
        "",
        "Unreleased\n----------\n\n-   {new}\n\n",
        "Version 3.1.0\n-------------\n\nReleased 2026-01-01\n\n-   All.\n",
    ),
    ("NEWS.rst", "", "==========\nUnreleased\n==========\n\n* {new}\n\n", "=====\n1.2.0\n=====\n\n* All.\n"),
    ("CHANGELOG", "", "Unreleased:\n  - {new}\n\n", "Version 1.1:\n  - All.\n\nVersion 1.0:\n  - Older.\n"),
    ("CHANGES.txt", "Shelf\n\n", "Unreleased\n\n - {new}\n\n", "1.1, 2026-01-01\n\n - All.\n"),
    (
        "NEWS",
        "Shelf NEWS -- history of user-visible changes.\n\n",
        "* Noteworthy changes in release ?.? (????-??-??) [?]\n\n** Bug fixes\n\n  {new}\n\n",
        "* Noteworthy changes in release 2.3 (2026-01-01) [stable]\n\n** Bug fixes\n\n  All.\n",
    ),
]


@pytest.mark.parametrize(("path", "above", "new", "below"), RELEASED)
def test_above_the_last_release_a_new_part_is_begun_in_its_style(path: str, above: str, new: str, below: str) -> None:
    assert told(path, above + below) == above + new.format(new=NEW) + below


def test_gnu_news_that_are_not_out_are_continued_by_sections() -> None:
    top = "* Noteworthy changes in release ?.? (????-??-??) [?]\n\n** Bug fixes\n\n  Old.\n"
    below = "\n* Noteworthy changes in release 2.3 (2026-01-01) [stable]\n\n  All.\n"
    new = f"\n  {NEW}\n\n** New features\n\n  Reports can be written as JSON.\n"
    assert told("NEWS", top + below, FIXED, ADDED) == top + new + below


def test_an_underlined_release_gets_a_section_for_the_kind_as_others_call_it() -> None:
    text = "Unreleased\n----------\n\nAdded\n~~~~~\n\n* Old.\n\n1.0\n---\n\n{head}* All.\n"
    for word, head in (("Fixed", ""), ("Bugs fixed", "Bugs fixed\n~~~~~~~~~~\n\n")):
        whole = text.format(head=head)
        new = f"* Old.\n\n{word}\n{'~' * len(word)}\n\n* {NEW}\n"
        assert told("CHANGES.rst", whole) == whole.replace("* Old.\n", new)


def test_sections_that_are_there_and_empty_are_filled() -> None:
    text = (
        "Release 8.2 (in development)\n============================\n\nFeatures added\n--------------\n\n"
        "Bugs fixed\n----------\n\nTesting\n-------\n\nRelease 8.1 (2024-10-13)\n========================\n\n* All.\n"
    )
    assert told("CHANGES.rst", text) == text.replace("----------\n\nTesting", f"----------\n\n* {NEW}\n\nTesting")


@pytest.mark.parametrize("label", ["{}:", "**{}**", "**{}:**"])
def test_a_line_goes_below_its_label(label: str) -> None:
    new, fix = label.format("Enhancements"), label.format("Bug fixes")
    text = f"### Development\n\n{new}\n\n* Old.\n\n### 3.1 / 2024-10-18\n\n{fix}\n\n* All.\n"
    assert told("Changelog.md", text) == text.replace("* Old.\n", f"* Old.\n\n{fix}\n\n* {NEW}\n")
    both = text.replace("### 3.1", f"{fix}\n\n* Older.\n\n### 3.1")
    assert told("Changelog.md", both) == both.replace("* Older.\n", f"* Older.\n* {NEW}\n")
    plain = f"Unreleased\n----------\n\n{new}\n\n* Old.\n\n1.0\n---\n\n* All.\n"
    one = label.format("Fixed")
    assert told("CHANGES.rst", plain) == plain.replace("* Old.\n", f"* Old.\n\n{one}\n\n* {NEW}\n")


def test_a_line_that_says_nothing_changed_yet_goes() -> None:
    rst = "2.3 (unreleased)\n----------------\n\n- Nothing changed yet.\n\n\n2.2\n---\n\n- All.\n"
    assert told("CHANGES.rst", rst) == rst.replace("Nothing changed yet.", NEW)
    markdown = "## Unreleased\n\n- Nothing yet.\n\n## 1.0\n\n- All.\n"
    assert told("CHANGES.md", markdown) == markdown.replace("Nothing yet.", NEW)


def test_the_development_version_of_a_named_package_is_not_out() -> None:
    text = "# shelf (development version)\n\n* Old.\n\n# shelf 1.3\n\n* All.\n"
    assert told("NEWS.md", text) == text.replace("* Old.\n", f"* Old.\n* {NEW}\n")


ALONE = [
    ("docs/history.md", "# History of the project\n\nIn 1998 Ada began it.\n", "it has no headings of releases"),
    ("HISTORY.md", "- 1998: Ada began it.\n", "it has no headings of releases"),
    ("NEWS", "Nothing is new.\n", "it has no headings of releases"),
    ("CHANGES.rst", "Changes\n=======\n\nSee the web site.\n", "it has no headings of releases"),
    ("docs/releases.md", "# Releases\n\n## How to make one\n\n- Ask Ada.\n", "it has no headings of releases"),
    (
        "debian/changelog",
        "shelf (1.2-1) unstable; urgency=low\n\n  * All.\n\n -- Ada <a@b.org>  Mon\n",
        "a new version in Debian's form needs a number and a signature",
    ),
    (
        "ChangeLog",
        "2026-01-01  Ada Person  <ada@example.org>\n\n\t* src/shelf.c (empty): New.\n",
        "an entry in the form of GNU's ChangeLog names its author and every function",
    ),
    (
        "CHANGES.rst",
        "Changes\n=======\n\n.. towncrier release notes start\n\n1.0\n---\n\n* All.\n",
        "towncrier writes it from fragments, and no setting says where these are",
    ),
    (
        "CHANGELOG.md",
        "# Change log\n\n<!-- Do NOT edit this file by hand. -->\n\n## master (unreleased)\n\n- Old.\n",
        "it says that a program writes it: '<!-- Do NOT edit this file by hand. -->'",
    ),
    ("changelog.yml", "releases:\n  1.0.0:\n    changes: {}\n", "its form is not known"),
    ("NEWS.org", "* 1.0\n** All\n", "its form is not known"),
]


@pytest.mark.parametrize(("path", "text", "why"), ALONE)
def test_what_is_no_changelog_or_has_an_unknown_form_is_left_alone(path: str, text: str, why: str) -> None:
    assert continued(path, text, [FIXED]) == (text, why)


def test_a_changelog_that_tells_nothing_yet_gets_its_first_part() -> None:
    for text in (KEPT, "# Changelog\n"):
        assert told("CHANGELOG.md", text) == f"{text.rstrip()}\n\n## [Unreleased]\n\n### Fixed\n\n- {NEW}\n"


def test_a_list_without_releases_is_continued_at_its_top_with_the_ends_of_its_lines() -> None:
    assert told("NEWS", "* Old.\r\n") == f"* {NEW}\r\n* Old.\r\n"


def test_line_ends_of_windows_are_kept_in_every_form() -> None:
    for path, above, below in OPEN:
        assert told(path, (above + below).replace("\n", "\r\n")) == told(path, above + below).replace("\n", "\r\n")


def test_other_words_for_the_sections_are_kept() -> None:
    text = "# Changes\n\n## Unreleased\n\n### :bug: Bug fixes\n\n- Old.\n"
    assert told("CHANGES.md", text) == text + f"- {NEW}\n"


ITEMS = (
    "- 1.0: Faster.\n  New formats.\n- 0.9.1: Bug fixes.\n- 0.9:   Sorting shelves by named tuples and\n  by date.\n"
)
CLOSED = f"- Unreleased: {NEW}\n"


@pytest.mark.parametrize(
    ("above", "below"),
    [
        ("- 1.1: Future version.\n", f"  {NEW}\n"),
        ("# Changes\n\n- 1.1 (unreleased): Old.\n", f"  {NEW}\n"),
        ("- Unreleased: Old.\n  Older.\n", f"  {NEW}\n"),
        ("", CLOSED),
        ("Changes\n=======\n\n", CLOSED),
    ],
)
def test_releases_that_are_items_of_a_list_are_continued_at_the_top(above: str, below: str) -> None:
    assert told("CHANGELOG", above + ITEMS) == above + below + ITEMS


def test_a_list_that_begins_with_the_oldest_release_is_left_alone() -> None:
    text = "- 0.9: All.\n- 1.0: Faster.\n- 1.1: Faster still\n"
    assert continued("CHANGELOG", text, [FIXED]) == (
        text,
        "its releases are the items of a list, and the newest is not at the top",
    )


def test_a_line_below_a_list_is_no_release() -> None:
    text = "- Sorting.\n\nshelf 1.0 is needed\n- Faster.\n"
    assert continued("CHANGELOG", text, [FIXED]).text == text
