"""Fresh files of any tree, and trees made of two."""

import pytest

from thoughtforge.kernel.errors import UserError
from thoughtforge.workspaces.checkout import check_out, overlay
from thoughtforge.workspaces.git import Git
from thoughtforge.workspaces.workspace import Workspace


def with_clone(repo, act):
    async def whole(git: Git):
        at = repo.root.parent / "task"
        return await act(await Workspace.make(git, base=await git.head(), branch="thoughtforge/x", at=at))

    return repo.with_git(whole)


def test_any_commit_or_tree_is_laid_out_and_the_record_stays_where_it_is(repo, tmp_path):
    first = repo.commit({"a/b.txt": "first", "run": "r"})
    repo.commit({"a/b.txt": "second"})

    async def act(workspace: Workspace):
        tree = await workspace.put("new", b"n")
        await workspace.checkout(first, tmp_path / "first")
        await workspace.checkout(tree, tmp_path / "tree")
        left = [path.name for path in workspace.git_dir.glob("index*")]
        return await workspace.tree() == tree, left

    assert with_clone(repo, act) == (True, ["index"])
    assert (tmp_path / "first/a/b.txt").read_text() == "first"
    assert sorted(path.name for path in (tmp_path / "first").rglob("*")) == ["a", "b.txt", "run"]
    assert (tmp_path / "tree/a/b.txt").read_text() == "second"
    assert (tmp_path / "tree/new").read_text() == "n"


def test_a_folder_with_something_in_it_is_refused(repo, tmp_path):
    repo.commit({"a": "a"})
    (tmp_path / "full").mkdir()
    (tmp_path / "full/mine").write_text("mine")
    with pytest.raises(UserError, match="is not empty"):
        with_clone(repo, lambda workspace: check_out(workspace.git, "HEAD", to=tmp_path / "full"))
    assert [path.name for path in (tmp_path / "full").iterdir()] == ["mine"]


def test_an_overlay_takes_paths_from_the_other_tree_and_drops_what_that_lacks(repo):
    repo.write({"tests/a.py": "red", "tests/gone.py": "g", "run": "r", "folder": "was a file"})
    repo.write({b"odd-\xff".decode("utf-8", "surrogateescape"): "odd"})
    (repo.root / "run").chmod(0o755)
    (repo.root / "link").symlink_to("run")
    source = repo.commit()
    for path in ("run", "link", "folder", "tests/gone.py", b"odd-\xff".decode("utf-8", "surrogateescape")):
        (repo.root / path).unlink()
    repo.write({"tests/a.py": "green", "tests/conftest.py": "cheat", "src.py": "s", "folder/x": "x"})
    repo.commit()

    async def act(workspace: Workspace):
        tree = await workspace.tree()
        paths = ["tests/a.py", "tests/conftest.py", "tests/gone.py", "run", "link", "folder", "nowhere", "odd-\\xff"]
        made = await overlay(workspace.git, tree, source=source, paths=paths)
        entries = [(entry.path, entry.mode) for entry in await workspace.git.entries(made)]
        return entries, await workspace.read(made, "tests/a.py"), await workspace.tree() == tree

    expected = [
        ("folder", "100644"),
        ("link", "120000"),
        ("odd-\\xff", "100644"),
        ("run", "100755"),
        ("src.py", "100644"),
        ("tests/a.py", "100644"),
        ("tests/gone.py", "100644"),
    ]
    assert with_clone(repo, act) == (expected, b"red", True)


def test_an_overlay_of_nothing_is_the_tree_itself(repo):
    repo.commit({"a": "a"})

    async def act(workspace: Workspace):
        tree = await workspace.tree()
        return await overlay(workspace.git, tree, source=workspace.base, paths=()) == tree

    assert with_clone(repo, act)
