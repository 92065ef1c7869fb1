"""Entries land under Unreleased, in the file's own style, once."""

from thoughtforge.code.changelog import ChangelogEntry, with_entries

ADDED = ChangelogEntry("added", "Reports can be written as JSON.")
FIXED = ChangelogEntry("fixed", "An empty shelf no longer fails.")

KEPT = """# Changelog

## [Unreleased]

### Added

- Colours.

### Security

- Passwords are hashed.

## [1.0.0] - 2026-01-01

### Added

- Everything.

[1.0.0]: https://example.org/1.0.0
"""


def test_a_repository_without_a_changelog_gets_one():
    expected = """# Changelog

What changed for the people who use this project.

## [Unreleased]

### Added

- Reports can be written as JSON.

### Fixed

- An empty shelf no longer fails.
"""
    assert [with_entries(text, [FIXED, ADDED]) for text in (None, "", "\n\n")] == [expected] * 3


def test_an_entry_joins_its_section_and_a_missing_section_comes_in_order():
    assert with_entries(KEPT, [ADDED, FIXED]) == KEPT.replace(
        "- Colours.\n",
        "- Colours.\n- Reports can be written as JSON.\n\n### Fixed\n\n- An empty shelf no longer fails.\n",
    )


def test_entries_that_are_there_already_are_not_told_twice():
    once = with_entries(KEPT, [ADDED, FIXED])
    assert with_entries(once, [FIXED, ADDED, ADDED]) == once


def test_an_entry_of_an_earlier_release_is_told_again():
    again = with_entries(KEPT, [ChangelogEntry("added", "Everything.")])
    assert again == KEPT.replace("- Colours.\n", "- Colours.\n- Everything.\n")


def test_a_changelog_without_an_unreleased_part_gets_one_before_the_last_release():
    text = "# Changes\n\nHello.\n\n## 1.1\n\n### Fixed\n\n* Something.\n"
    assert with_entries(text, [FIXED]) == text.replace(
        "## 1.1", "## Unreleased\n\n### Fixed\n\n* An empty shelf no longer fails.\n\n## 1.1"
    )


def test_a_changelog_without_sections_stays_without_them():
    text = "# Changes\n\n## Unreleased\n\n* One.\n\n## 1.0\n\n* Zero.\n"
    expected = "* One.\n* Reports can be written as JSON.\n* An empty shelf no longer fails.\n"
    assert with_entries(text, [ADDED, FIXED]) == text.replace("* One.\n", expected)
    released = "# Changes\n\n## 1.0\n\n* Zero.\n"
    assert with_entries(released, [ADDED]) == released.replace(
        "## 1.0", "## Unreleased\n\n* Reports can be written as JSON.\n\n## 1.0"
    )


def test_links_at_the_end_stay_at_the_end():
    text = "# Changes\n\n## [Unreleased]\n\n[Unreleased]: https://example.org\n"
    assert with_entries(text, [ADDED]) == (
        "# Changes\n\n## [Unreleased]\n\n### Added\n\n- Reports can be written as JSON.\n\n"
        "[Unreleased]: https://example.org\n"
    )


def test_line_ends_of_windows_are_kept():
    text = KEPT.replace("\n", "\r\n")
    assert with_entries(text, [ADDED]) == with_entries(KEPT, [ADDED]).replace("\n", "\r\n")


def test_an_entry_cannot_bring_lines_of_its_own():
    made = with_entries(KEPT, [ChangelogEntry("fixed", "one\n\n## [2.0.0]\r\n\u2028- forged\x1b[31m\u202e")])
    assert "- one ## [2.0.0] - forged[31m\n" in made
    assert [line for line in made.splitlines() if line.startswith("## ")] == [
        "## [Unreleased]",
        "## [1.0.0] - 2026-01-01",
    ]


def test_releases_may_be_headings_of_any_depth():
    for mark in ("#", "###"):
        text = f"{mark} 1.1 (2026-01-01)\n\n- Old.\n"
        assert with_entries(text, [FIXED]) == f"{mark} Unreleased\n\n- An empty shelf no longer fails.\n\n{text}"
