"""Whose name commits carry: the person's own where git knows it."""

import pytest

from thoughtforge.workspaces.git import NOBODY, Person, make_commit, person

JANE = Person("Jane Ä", "jane@example.org")


def test_the_repository_comes_before_the_home_of_the_person(repo, tmp_path):
    (tmp_path / ".gitconfig").write_text("[user]\n\tname = Other\n\temail = jane@example.org\n")
    repo.git("config", "user.name", "Jane Ä")
    assert repo.with_git(lambda git: person(git, tmp_path)) == JANE


def test_without_a_home_only_the_repository_is_asked(repo):
    repo.git("config", "user.name", "Jane Ä")
    assert repo.with_git(person) == NOBODY
    repo.git("config", "user.email", "jane@example.org")
    assert repo.with_git(person) == JANE


@pytest.mark.parametrize("name", ["", " ", "<>", ".,;"])
def test_a_name_git_would_refuse_is_no_name(repo, tmp_path, name):
    repo.git("config", "user.name", name)
    repo.git("config", "user.email", "jane@example.org")
    assert repo.with_git(lambda git: person(git, tmp_path)) == NOBODY


def test_a_commit_is_signed_by_nobody_and_moves_nothing(repo):
    base = repo.commit({"a.txt": "a"})
    repo.git("config", "commit.gpgSign", "true")
    tree = repo.git("rev-parse", "HEAD^{tree}").strip()
    made = repo.with_git(
        lambda git: make_commit(git, tree, message="m", parents=(base,), author=JANE, when="2026-11-16T10:00:00Z")
    )
    who = "Jane Ä <jane@example.org> 1794823200 +0000"
    assert repo.git("cat-file", "commit", made) == f"tree {tree}\nparent {base}\nauthor {who}\ncommitter {who}\n\nm\n"
    assert repo.git("rev-parse", "HEAD").strip() == base
