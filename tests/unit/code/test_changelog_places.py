"""Where a repository tells its changes: one file, a file for each change, or nowhere."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

import pytest

from thoughtforge.code.changelog import ChangelogEntry
from thoughtforge.code.changelog_places import Told, entries_told, places

FIXED = ChangelogEntry("fixed", "An empty shelf no longer fails.")
ADDED = ChangelogEntry("added", "Reports can be written as JSON.")
NEW = "An empty shelf no longer fails."
TEXT = "## 1.0\n\n- All.\n"
DONE = f"## Unreleased\n\n- {NEW}\n\n{TEXT}"
TOWNCRIER = '[tool.towncrier]\ndirectory = "news"\nfilename = "CHANGES.rst"\n'


def told(
    files: Mapping[str, str | bytes],
    *entries: ChangelogEntry,
    links: Mapping[str, str] | None = None,
    begin: bool = False,
) -> Told:
    """What becomes of the entries in a repository with these files and links."""
    texts = {**files, **(links or {})}
    kinds = {**dict.fromkeys(files, "file"), **dict.fromkeys(links or {}, "symlink")}

    async def read(path: str) -> bytes:
        text = texts[path]
        return text if isinstance(text, bytes) else text.encode()

    return asyncio.run(entries_told(kinds, read, entries or (FIXED,), slug="shelf", begin=begin))


@pytest.mark.parametrize(
    ("paths", "found"),
    [
        (["a.py", "CHANGELOG"], ["CHANGELOG"]),
        (["Changelog.md", "a.py"], ["Changelog.md"]),
        (["CHANGES.rst"], ["CHANGES.rst"]),
        (["CHANGES.txt"], ["CHANGES.txt"]),
        (["HISTORY.rst"], ["HISTORY.rst"]),
        (["NEWS"], ["NEWS"]),
        (["RELEASE-NOTES.md"], ["RELEASE-NOTES.md"]),
        (["ReleaseNotes.txt"], ["ReleaseNotes.txt"]),
        (["docs/changelog.rst"], ["docs/changelog.rst"]),
        (["docs/changes.rst"], ["docs/changes.rst"]),
        (["doc/whats_new.rst"], ["doc/whats_new.rst"]),
        (["docs/source/changelog.rst"], ["docs/source/changelog.rst"]),
        (["docs/about/release-notes.md"], ["docs/about/release-notes.md"]),
        (["debian/changelog"], ["debian/changelog"]),
        (["docs/CHANGES.md", "HISTORY.md"], ["HISTORY.md", "docs/CHANGES.md"]),
        (["news.py", "src/changes.md", "history/a.md"], []),
        ([], []),
    ],
)
def test_the_usual_names_are_found_at_the_root_and_among_the_documents(paths: list[str], found: list[str]) -> None:
    assert places(dict.fromkeys(paths, "file")) == found


def test_a_repository_without_a_changelog_gets_one_only_when_it_is_asked_for() -> None:
    assert told({"a.py": ""}) == Told()
    made = told({"a.py": ""}, begin=True)
    assert (list(made.files), made.begun) == (["CHANGELOG.md"], True)


def test_a_link_is_followed_to_a_file_of_the_repository_and_left_alone_elsewhere() -> None:
    assert told({"docs/changes.md": TEXT}, links={"CHANGELOG.md": "docs/changes.md"}).files == {"docs/changes.md": DONE}
    chained = {"CHANGELOG.md": "docs/news.md", "docs/news.md": "../pages/log.md"}
    assert told({"pages/log.md": TEXT}, links=chained).files == {"pages/log.md": DONE}
    for target in ("../outside.md", "/etc/changelog", "missing.md", "CHANGELOG.md", "docs"):
        made = told({"docs/a.md": ""}, links={"CHANGELOG.md": target})
        assert made == Told(note="CHANGELOG.md is a symlink to no file of the repository")


def test_a_file_that_cannot_be_continued_gives_way_to_one_that_can() -> None:
    files = {"CHANGELOG.rst": "Changes\n=======\n\nSee the documentation.\n", "docs/changelog.md": TEXT}
    assert told(files).files == {"docs/changelog.md": DONE}
    assert told({"NEWS": "Nothing.\n", "docs/history.md": "# Then\n\nIn 1998.\n"}, begin=True) == Told(
        note="NEWS: it has no headings of releases; docs/history.md: it has no headings of releases"
    )


def test_what_is_no_text_is_left_alone() -> None:
    assert told({"CHANGES": "1.0\n\n* Änderungen\n".encode("latin-1")}) == Told(note="CHANGES is not UTF-8")


def test_notes_for_each_version_are_left_alone() -> None:
    made = told({"docs/releases/5.1.txt": "Notes\n", "docs/releases/5.2.txt": "Notes\n"}, begin=True)
    assert made == Told(note="docs/releases has a file for each version, and nothing says which one comes next")


FRAGMENTS = [
    # the files, the new file
    ({"towncrier.toml": TOWNCRIER, "news/.gitignore": ""}, "news/+shelf.bugfix.rst"),
    ({"pyproject.toml": TOWNCRIER, "CHANGES.rst": "1.0\n---\n\n* All.\n"}, "news/+shelf.bugfix.rst"),
    ({"pyproject.toml": TOWNCRIER, "news/12.feature.md": "x", "news/README.rst": "x"}, "news/+shelf.bugfix.md"),
    ({"pyproject.toml": TOWNCRIER, "news/12.feature": "x"}, "news/+shelf.bugfix"),
    ({"pyproject.toml": '[tool.towncrier]\nfilename = "CHANGELOG.md"\n'}, "newsfragments/+shelf.bugfix.md"),
    (
        {"pyproject.toml": '[tool.towncrier]\npackage = "shelf"\npackage_dir = "src"\n'},
        "src/shelf/newsfragments/+shelf.bugfix.rst",
    ),
    (
        {
            "pyproject.toml": f'{TOWNCRIER}[[tool.towncrier.type]]\ndirectory = "process"\n[[tool.towncrier.type]]\n'
            'directory = "fix"\n'
        },
        "news/+shelf.fix.rst",
    ),
    ({"pyproject.toml": f"{TOWNCRIER}[tool.towncrier.fragment.bug]\n"}, "news/+shelf.bug.rst"),
    ({"newsfragments/12.bugfix.rst": "x", "newsfragments/9.feature.rst": "x"}, "newsfragments/+shelf.bugfix.rst"),
    ({"changes/README.md": "x", "changes/a.added.md": "x", "changes/b.fixed.md": "x"}, "changes/shelf.fixed.md"),
    ({"changes/shelf.fixed.md": "x", "CHANGELOG.md": TEXT}, "changes/shelf-2.fixed.md"),
    ({"changelog.d/+thing.bugfix.md": "x"}, "changelog.d/+shelf.bugfix.md"),
]


@pytest.mark.parametrize(("files", "path"), FRAGMENTS)
def test_a_repository_with_a_file_for_each_change_gets_one_more(files: dict[str, str], path: str) -> None:
    assert told(files) == Told({path: f"{NEW}\n"})


def test_several_entries_are_several_files() -> None:
    assert told({"changes/a.added.md": "x", "changes/b.fixed.md": "x"}, FIXED, ADDED, FIXED).files == {
        "changes/shelf.fixed.md": f"{NEW}\n",
        "changes/shelf.added.md": "Reports can be written as JSON.\n",
        "changes/shelf-2.fixed.md": f"{NEW}\n",
    }


@pytest.mark.parametrize(
    ("files", "path", "text"),
    [
        ({"pyproject.toml": "[tool.scriv]\n"}, "changelog.d/shelf.rst", f"Fixed\n-----\n\n- {NEW}\n"),
        ({"setup.cfg": "[scriv]\nformat = md\n"}, "changelog.d/shelf.md", f"### Fixed\n\n- {NEW}\n"),
        ({"changelog.d/scriv.ini": "[scriv]\nformat = md\n"}, "changelog.d/shelf.md", f"### Fixed\n\n- {NEW}\n"),
        (
            {"releasenotes/notes/old-0123456789abcdef.yaml": "---\nfixes:\n  - x\n"},
            "releasenotes/notes/shelf-3dfa4edcee02723c.yaml",
            f"---\nfixes:\n  - |\n    {NEW}\n",
        ),
    ],
)
def test_scriv_and_reno_say_the_kind_in_the_file(files: dict[str, str], path: str, text: str) -> None:
    assert told(files) == Told({path: text})


@pytest.mark.parametrize(
    ("files", "why"),
    [
        ({"newsfragments/.gitignore": "x"}, "newsfragments is for one file each change, and their form is not clear"),
        ({"changelog.d/12.md": "x"}, "changelog.d is for one file each change, and their form is not clear"),
        ({"changes/12.md": "x"}, "changes is for one file each change, and their form is not clear"),
        ({".changeset/config.json": "{}"}, ".changeset is for one file each change, and their form is not clear"),
        (
            {"pyproject.toml": TOWNCRIER.replace("news", "../news")},
            "towncrier's folder ../news is none of this repository",
        ),
        ({"pyproject.toml": TOWNCRIER, "news": "x"}, "towncrier's folder news is none of this repository"),
        (
            {"pyproject.toml": f'{TOWNCRIER}[[tool.towncrier.section]]\npath = "server"\n'},
            "towncrier's folder news has sections, and nothing says which one fits",
        ),
        (
            {"pyproject.toml": '[tool.scriv]\ncategories = ["A"]\n'},
            "scriv's settings for changelog.d are not the usual ones",
        ),
    ],
)
def test_fragments_whose_form_is_not_clear_are_left_alone_beside_the_changelog(files: dict[str, str], why: str) -> None:
    assert told({**files, "CHANGELOG.md": TEXT}) == Told(note=why)


def test_settings_that_cannot_be_read_and_folders_of_other_things_say_nothing() -> None:
    files = {
        "pyproject.toml": "[tool.towncrier",
        "setup.cfg": "no section\n",
        "news/__init__.py": "",
        "changes/a.py": "",
    }
    assert told({**files, "CHANGELOG.md": TEXT}).files == {"CHANGELOG.md": DONE}


def test_a_folder_that_is_a_link_gets_no_fragment() -> None:
    made = told({"towncrier.toml": TOWNCRIER.replace("news", "docs/news")}, links={"docs": "pages"})
    assert made == Told(note="docs is a symlink and no folder")
