"""The tree of a commit shows that commit, whatever the folder looks like, and nothing that is hidden."""

import asyncio
import hashlib
import unicodedata

import pytest

from thoughtforge.kernel.errors import UserError
from thoughtforge.workspaces.text import FileText
from thoughtforge.workspaces.tree import FileTree, SearchHit, SearchResult


def read(repo, path: str) -> FileText:
    return repo.with_tree(lambda tree: tree.read(path))


def search(repo, pattern: str, **more) -> SearchResult:
    return repo.with_tree(lambda tree: tree.search(pattern, **more))


def plain(text: str) -> FileText:
    data = text.encode()
    return FileText(text, hashlib.sha256(data).hexdigest(), len(data), text.count("\n"))


def test_the_commit_is_read_and_not_the_folder(repo):
    repo.commit({"a.txt": "committed\n"})
    repo.write({"a.txt": "changed\n", "new.txt": "new\n"})

    async def look(tree: FileTree):
        return [entry.path for entry in tree.paths()], await tree.read("a.txt"), await tree.search("e")

    paths, text, found = repo.with_tree(look)
    assert (paths, text) == (["a.txt"], plain("committed\n"))
    assert found == SearchResult((SearchHit("a.txt", 1, "committed"),))


def test_many_reads_share_one_process_even_at_once(repo):
    repo.commit({f"{number}.txt": f"text {number}\n" * number for number in range(30)})

    async def all_at_once(tree: FileTree):
        await tree.read("3.txt")
        first = tree.reader
        texts = await asyncio.gather(*(tree.read(f"{number}.txt") for number in range(30)))
        return [file.text for file in texts], tree.reader is first

    texts, same = repo.with_tree(all_at_once)
    assert texts == [f"text {number}\n" * number for number in range(30)]
    assert same


def test_an_interrupted_read_does_not_spoil_the_next_one(repo):
    repo.commit({"big.txt": "x\n" * 400_000, "small.txt": "small\n"})

    async def interrupt(tree: FileTree):
        task = asyncio.create_task(tree.read("big.txt"))
        while tree.reader is None:
            await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        return await tree.read("small.txt")

    assert repo.with_tree(interrupt) == plain("small\n")


def test_reading_goes_on_after_the_process_was_ended_by_others(repo):
    repo.commit({"a.txt": "a\n"})

    async def ended(tree: FileTree):
        await tree.read("a.txt")
        tree.reader.child.kill()
        await tree.reader.child.wait()
        with pytest.raises(UserError, match=r"git could not read a\.txt"):
            await tree.read("a.txt")
        return await tree.read("a.txt")

    assert repo.with_tree(ended) == plain("a\n")


def test_a_link_is_shown_and_never_followed(repo):
    repo.write({"a.txt": "secret"})
    (repo.root / "link").symlink_to("/etc/hostname")
    repo.commit()
    file = read(repo, "link")
    assert (file.text, file.note) == ("/etc/hostname", "a symbolic link, shown by its target and not followed")


def test_a_submodule_is_named_and_not_entered(repo, tmp_path):
    other = type(repo)(tmp_path / "other")
    inner = other.commit({"inner.txt": "x"})
    repo.git("submodule", "--quiet", "add", str(other.root), "libs/other")
    repo.commit()
    note = f"a submodule at commit {inner}; its files are not part of this repository"
    assert read(repo, "libs/other") == FileText("", "", 0, 0, note)
    with pytest.raises(UserError, match="there is no file"):
        read(repo, "libs/other/inner.txt")


def test_a_missing_file_a_folder_and_a_hidden_file_are_refused_each_in_its_way(repo):
    repo.commit({"src/app.py": "", ".env": "KEY=1"})
    with pytest.raises(UserError, match=r"there is no file src/ap\.py in commit") as caught:
        read(repo, "src/ap.py")
    assert caught.value.do == "Did you mean src/app.py?"
    with pytest.raises(UserError, match="src is a folder"):
        read(repo, "src")
    with pytest.raises(UserError, match=r"\.env is hidden by the pattern \.env \(built in\)"):
        read(repo, ".env")


def test_hidden_files_are_not_listed_and_not_found(repo):
    repo.commit({".env": "KEY=1", "a.py": "KEY=2\n", "private/x": "KEY=3", ".thoughtforgeignore": "private/\n"})

    async def look(tree: FileTree):
        return [entry.path for entry in tree.paths()], await tree.search("KEY")

    assert repo.with_tree(look) == ([".thoughtforgeignore", "a.py"], SearchResult((SearchHit("a.py", 1, "KEY=2"),)))


def test_a_name_in_either_spelling_of_unicode_is_the_same_file(repo):
    decomposed = unicodedata.normalize("NFD", "café.txt")
    repo.commit({decomposed: "x\n"})
    assert read(repo, unicodedata.normalize("NFC", decomposed)) == plain("x\n")


def test_search_is_literal_unless_told_otherwise(repo):
    repo.commit({"a.txt": "f(x)\nfx\n-n\n", "b/c.txt": "f(x)\n"})
    assert search(repo, "f(x)").hits == (SearchHit("a.txt", 1, "f(x)"), SearchHit("b/c.txt", 1, "f(x)"))
    assert search(repo, "^f(x|y)$", regex=True).hits == (SearchHit("a.txt", 2, "fx"),)
    assert search(repo, "-n").hits == (SearchHit("a.txt", 3, "-n"),)
    assert search(repo, "absent") == SearchResult(())


def test_search_keeps_to_the_given_paths_and_the_limit(repo):
    repo.commit({"src/a.py": "x\nx\n", "src/b.txt": "x\n", "docs/c.py": "x\n"})
    assert search(repo, "x", globs=("src/**/*.py", "docs")).hits == (
        SearchHit("docs/c.py", 1, "x"),
        SearchHit("src/a.py", 1, "x"),
        SearchHit("src/a.py", 2, "x"),
    )
    assert search(repo, "x", limit=2) == SearchResult(
        (SearchHit("docs/c.py", 1, "x"), SearchHit("src/a.py", 1, "x")), more=True
    )


def test_search_leaves_out_binary_files_and_shortens_long_lines(repo):
    repo.commit({"a.bin": b"\0needle\n", "b.min.js": "needle" + "x" * 1000})
    assert search(repo, "needle").hits == (SearchHit("b.min.js", 1, "needle" + "x" * 294 + " …"),)


def test_an_impossible_search_says_why(repo):
    repo.commit({"a": "x"})
    assert search(repo, "f(", regex=True) == SearchResult((), error="the pattern is invalid: Unmatched ( or \\(")
    for impossible in ("", "a\nb", "a\0b"):
        assert search(repo, impossible) == SearchResult((), error="search for text of one line, without line breaks")


def test_odd_names_are_listed_read_and_found(repo):
    names = ["a b.txt", "line\nbreak.txt", "quote'.txt", "ü:1.txt"]
    repo.commit(dict.fromkeys(names, "needle\n"))

    async def look(tree: FileTree):
        texts = [await tree.read(name) for name in names]
        return [entry.path for entry in tree.paths()], texts, await tree.search("needle")

    assert repo.with_tree(look) == (
        names,
        [plain("needle\n")] * 4,
        SearchResult(tuple(SearchHit(name, 1, "needle") for name in names)),
    )


def test_reading_leaves_the_git_directory_as_it_was(repo):
    repo.commit({"a.txt": "a\n"})
    before = {path: path.read_bytes() for path in (repo.root / ".git").rglob("*") if path.is_file()}

    async def look(tree: FileTree):
        await tree.read("a.txt")
        await tree.search("a")

    repo.with_tree(look)
    assert {path: path.read_bytes() for path in (repo.root / ".git").rglob("*") if path.is_file()} == before
