"""Differences between trees: every path, the lines that are new, and no program of the repository."""

import pytest

from thoughtforge.workspaces.changes import FileChange, changed_lines, changes, diff
from thoughtforge.workspaces.git import Git

LONG = "".join(f"line {number}\n" for number in range(40))


@pytest.fixture
def both(repo):
    """Two commits that differ in every way."""
    repo.write(
        {"edited": "1\n2\n3\n4\n5\n", "gone": "g\n", "old name": LONG, "kind": "file\n", "binary": b"\0a", "run": "r\n"}
    )
    a = repo.commit()
    (repo.root / "gone").unlink()
    (repo.root / "kind").unlink()
    (repo.root / "kind").symlink_to("edited")
    (repo.root / "old name").rename(repo.root / "new name")
    (repo.root / "run").chmod(0o755)
    odd = {'q"uote\tü': "x\ny", "two words": "two\nlines\n"}
    repo.write({"edited": "1\n++ b/other\n3\n5\nC\n-- a/x\n", "binary": b"\0b", "new name": LONG + "end\n", **odd})
    return repo, a, repo.commit()


def test_changes_name_every_path_once_with_its_lines(both):
    repo, a, b = both
    assert repo.with_git(lambda git: changes(git, a, b=b)) == (
        FileChange("binary", "modified", None, None),
        FileChange("edited", "modified", 3, 2),
        FileChange("gone", "deleted", 0, 1),
        FileChange("kind", "modified", 1, 1),
        FileChange("new name", "moved", 1, 0, old_path="old name"),
        FileChange('q"uote\tü', "created", 2, 0),
        FileChange("run", "modified", 0, 0),
        FileChange("two words", "created", 2, 0),
    )


def test_changed_lines_are_those_of_the_new_side_and_no_content_passes_for_a_header(both):
    repo, a, b = both
    assert repo.with_git(lambda git: changed_lines(git, a, b=b)) == {
        "edited": frozenset({2, 5, 6}),
        "kind": frozenset({1}),
        "new name": frozenset({41}),
        'q"uote\tü': frozenset({1, 2}),
        "two words": frozenset({1, 2}),
    }


def test_trees_and_commits_can_be_compared_and_equal_ones_do_not_differ(both):
    repo, a, b = both
    tree = repo.git("rev-parse", f"{b}^{{tree}}").strip()

    async def look(git: Git):
        return await changes(git, b, b=tree), await changed_lines(git, b, b=tree), await diff(git, b, b=tree)

    assert repo.with_git(look) == ((), {}, "")
    assert len(repo.with_git(lambda git: changes(git, a, b=tree))) == 8


def test_the_text_can_be_limited_to_literal_paths(both):
    repo, a, b = both
    text = repo.with_git(lambda git: diff(git, a, b=b, paths=["gone", "*"]))
    assert text.splitlines()[0] == "diff --git a/gone b/gone"
    assert text.endswith("@@ -1 +0,0 @@\n-g\n")
    assert text.count("diff --git") == 1


def test_no_program_a_repository_names_for_differences_runs(repo, tmp_path):
    a = repo.commit({"x.txt": "1\n", ".gitattributes": "* diff=evil\n"})
    b = repo.commit({"x.txt": "2\n"})
    (repo.root / ".git/info").mkdir(exist_ok=True)
    (repo.root / ".git/info/attributes").write_text("* diff=evil\n")
    for key in ("diff.external", "diff.evil.command", "diff.evil.textconv"):
        repo.git("config", key, f"touch {tmp_path}/ran; cat")

    async def look(git: Git):
        await changes(git, a, b=b)
        return await changed_lines(git, a, b=b), "+2\n" in await diff(git, a, b=b)

    assert repo.with_git(look) == ({"x.txt": frozenset({1})}, True)
    assert not (tmp_path / "ran").exists()


def test_a_name_that_looks_like_an_option_is_none(repo, tmp_path):
    repo.commit({"a": "a"})
    with pytest.raises(Exception, match="git diff-tree failed"):
        repo.with_git(lambda git: changes(git, f"--output={tmp_path}/written", b="HEAD"))
    assert not (tmp_path / "written").exists()
