"""The code a request is about is found by its names and rare words, and shown with line numbers."""

from __future__ import annotations

import asyncio
from pathlib import Path

from harness import git
from thoughtforge.stages.relevant import relevant_code, terms
from thoughtforge.workspaces.git import Git, Repository
from thoughtforge.workspaces.patterns import Ignore
from thoughtforge.workspaces.tree import FileTree

LONG = "".join(
    f'def part_{n}(row):\n    """Part {n}."""\n    first = row[0]\n    return first + {n}\n\n\n' for n in range(200)
)


def found(folder: Path, request: str, *, room: int = 2_000, **files: str) -> str:
    for name, text in files.items():
        path = folder / name.replace("__", "/")
        path = path.with_name(path.name.replace("_py", ".py").replace("_md", ".md"))
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    git("init", "-q", "-b", "main", cwd=folder)
    git("add", ".", cwd=folder)
    git("commit", "-q", "-m", "Files", cwd=folder)

    async def read() -> str:
        repository = Git(Repository(folder, folder / ".git"), path="/usr/bin:/bin:/usr/local/bin")
        tree = await FileTree.open(repository, await repository.head(), Ignore(()))
        try:
            return await relevant_code(tree, request, room=room)
        finally:
            await tree.close()

    return asyncio.run(read())


def test_names_weigh_more_than_words_and_common_words_nothing() -> None:
    assert terms("Please add a width option to `column_width` and wrapText()") == {
        "column_width": 4.0,
        "wrapText": 4.0,
        "width": 1.0,
    }


def test_a_short_file_is_shown_whole_and_numbered(tmp_path: Path) -> None:
    text = found(
        tmp_path, "Fix naturalsize for bytes", size_py="def naturalsize(n):\n    return n\n", other_py="x = 1\n"
    )
    assert text == "size.py\n    1 def naturalsize(n):\n    2     return n"


def test_of_a_long_file_the_place_is_shown_with_its_head(tmp_path: Path) -> None:
    long = LONG.replace("first + 150", "first + overflow_limit")
    text = found(tmp_path, "Raise the overflow_limit", many_py=long)
    assert text.startswith("many.py, lines ")
    assert '  902     """Part 150."""' in text
    assert "  901 def part_150(row):" in text
    assert "part_20(" not in text


def test_code_comes_before_prose_and_the_room_is_kept(tmp_path: Path) -> None:
    prose = "overflow_limit is a limit.\n" * 30
    text = found(tmp_path, "Raise overflow_limit", room=60, readme_md=prose, code_py="overflow_limit = 3\n")
    assert text == "code.py\n    1 overflow_limit = 3"


def test_nothing_found_shows_nothing(tmp_path: Path) -> None:
    assert found(tmp_path, "Paint everything purple", code_py="a = 1\n") == ""


def test_the_place_where_a_word_is_defined_comes_first(tmp_path: Path) -> None:
    told = "\n".join(f"# naturalsize and strip trailing zeros, {n}" for n in range(300))
    code = f"{LONG}def naturalsize(value):\n    return value\n"
    text = found(
        tmp_path,
        "Strip trailing zeros in naturalsize",
        number_py=told,
        size_py=code,
    )
    assert text.startswith("size.py, lines ")
    assert "def naturalsize(value):" in text.partition("\n\n")[0]


def test_installed_metadata_is_left_out(tmp_path: Path) -> None:
    (tmp_path / "tool.egg-info").mkdir()
    (tmp_path / "tool.egg-info" / "copy.py").write_text("def naturalsize(): ...\n")
    (tmp_path / "PKG-INFO").write_text("naturalsize\n")
    assert found(tmp_path, "Fix naturalsize", size_py="def naturalsize(n): ...\n") == (
        "size.py\n    1 def naturalsize(n): ..."
    )
