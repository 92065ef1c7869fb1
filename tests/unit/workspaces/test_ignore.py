"""Secrets and what the project hides are hidden, by gitignore's rules."""

import pytest

from thoughtforge.workspaces.patterns import parse_ignore, read_ignore


def hidden(text: str, *paths: str) -> list[str]:
    ignore = parse_ignore(text)
    return [path for path in paths if ignore.reason(path) is not None]


@pytest.mark.parametrize(
    "path",
    [
        ".env",
        "deploy/.env",
        ".env.production",
        "certs/server.pem",
        "server.KEY",
        "keys/id_rsa",
        "id_rsa.pub",
        ".netrc",
        "web/.npmrc",
        ".pypirc",
        "config/secrets.yaml",
        "secrets.d/inner.txt",
    ],
)
def test_secrets_are_hidden_without_any_file(path):
    assert hidden("", path) == [path]


def test_ordinary_names_are_not_hidden():
    paths = ("env.py", "environment", "keyboard.py", "src/keys.py", "secretsx", "docs/pem.md")
    assert hidden("", *paths) == []


def test_the_reason_names_pattern_and_source():
    ignore = parse_ignore("private/\n")
    assert ignore.reason("a/.env") == "a/.env is hidden by the pattern .env (built in)"
    assert ignore.reason("private/x/y") == "private/x/y is hidden by the pattern private/ (.thoughtforgeignore)"


def test_comments_blank_lines_and_trailing_spaces_do_not_count():
    assert hidden("# a.txt\n\n  \nb.txt  \n", "# a.txt", "a.txt", "b.txt", "  ") == ["b.txt"]


def test_escapes_give_special_characters_their_plain_meaning():
    paths = ("#a", "!b", "c*", "cx", "d ")
    assert hidden("\\#a\n\\!b\nc\\*\nd\\ \n", *paths) == ["#a", "!b", "c*", "d "]


def test_a_pattern_without_slash_fits_at_any_depth_and_one_with_a_slash_is_anchored():
    paths = ("build", "a/build", "a/build/x", "docs/api", "a/docs/api", "top", "a/top")
    assert hidden("build\ndocs/api\n/top\n", *paths) == ["build", "a/build", "a/build/x", "docs/api", "top"]


def test_a_slash_at_the_end_means_folders_only():
    assert hidden("out/\n", "out", "out/x", "a/out/x") == ["out/x", "a/out/x"]


def test_two_stars_cross_folders():
    assert hidden("a/**/z\nlogs/**\n", "a/z", "a/b/c/z", "logs/x/y", "logs") == ["a/z", "a/b/c/z", "logs/x/y"]


def test_the_last_pattern_decides_and_a_project_can_bring_back_what_is_built_in():
    assert hidden("*.txt\n!keep.txt\n!.env.example\n", "a.txt", "keep.txt", ".env.example", ".env") == ["a.txt", ".env"]


def test_nothing_below_a_hidden_folder_can_be_brought_back():
    assert hidden("data/\n!data/keep.txt\n", "data/keep.txt") == ["data/keep.txt"]


def test_classes_work_and_a_broken_one_hides_nothing_by_accident():
    assert hidden("[ab].c\n[z-a].d\nx[\n", "a.c", "c.c", "a.d", "x") == ["a.c"]


def test_the_rules_come_from_the_commit_and_not_from_the_folder(repo):
    commit = repo.commit({".thoughtforgeignore": "hidden.txt\n"})
    repo.write({".thoughtforgeignore": "!.env\n"})
    ignore = repo.with_git(lambda git: read_ignore(git, commit))
    assert [ignore.reason(path) is None for path in ("hidden.txt", ".env", "shown.txt")] == [False, False, True]
