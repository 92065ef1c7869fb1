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
        path = (
            path.with_name(path.name.replace("_py", ".py").replace("_md", ".md")) if "." not in name else folder / name
        )
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


DOCUMENTED = "".join(f"    Rows of tables have columns, and columns have names: {n}.\n" for n in range(200))
MEASURED = "import table\n\n" + "".join(f"table.draw([{n}])  # columns and their names\n" for n in range(60))
STEPS = "".join(f"    rows = step_{n}(rows)\n" for n in range(40))
DRAW = f'''def draw(
    rows,
    colalign=None,
):
    """Draw rows.

{DOCUMENTED}    """
{STEPS}    aligns = [None] * len(rows)
    if colalign is not None:
        for at, align in enumerate(colalign):
            aligns[at] = align
    return aligns
'''
NARROW = "draw() fails with IndexError when colalign names more columns than the table has."


def test_a_plain_word_that_the_tree_uses_as_a_name_leads_to_the_place_where_it_is_used(tmp_path: Path) -> None:
    uses = "".join(f"def test_{n}():\n    assert draw([], colalign=({n},)) == []\n\n\n" for n in range(20))
    text = found(
        tmp_path, NARROW, room=900, pack__table_py=f"{LONG}{DRAW}", benchmark_py=MEASURED, tests__test_table_py=uses
    )
    first = text.partition("\n\n")[0]
    assert first.startswith("pack/table.py, lines ")
    assert " 1201 def draw(" in first
    assert "aligns[at] = align" in first
    assert "names: 9." not in text
    assert "benchmark.py" not in text


def test_a_definition_of_a_name_of_the_request_is_shown_to_its_end_when_there_is_room(tmp_path: Path) -> None:
    body = "".join(f"    text = text.replace('{n}', '')\n" for n in range(40))
    text = found(
        tmp_path, "`clean` fails for None", pack__slug_py=f"{LONG}def clean(text):\n{body}    return text.lower()\n"
    )
    assert text.startswith("pack/slug.py, lines 1201–1242 of 1242\n 1201 def clean(text):")
    assert text.endswith(" 1242     return text.lower()")


def test_what_a_chosen_line_belongs_to_is_shown_to_its_end(tmp_path: Path) -> None:
    steps = "".join(f"    text = text.replace('{n}', '')\n" for n in range(20))
    head = "def _strip_it(text):\n    if text == overflow_limit:\n        raise ValueError\n"
    body = f"{head}{steps}    return text.lower()\n"
    text = found(tmp_path, "Raise the overflow_limit", pack__slug_py=f"{LONG}{body}")
    assert text.startswith("pack/slug.py, lines 1201–1224 of 1224\n 1201 def _strip_it(text):")
    assert text.endswith(" 1224     return text.lower()")


def test_a_line_that_only_brings_in_a_name_comes_after_what_uses_it(tmp_path: Path) -> None:
    head = "from pack import overflow_limit\n" + "\n" * 60
    text = found(
        tmp_path, "Raise the overflow_limit", room=70, pack__a_py=f"{head}def f():\n    return overflow_limit\n"
    )
    assert text == "pack/a.py, lines 62–63 of 63\n   62 def f():\n   63     return overflow_limit"


def test_a_line_of_prose_has_no_head(tmp_path: Path) -> None:
    prose = "function of width\n" + "    text\n" * 50 + "    overflow_limit is 3\n"
    text = found(tmp_path, "Raise the overflow_limit", a_md=prose)
    assert text.startswith("a.md, lines 48–52 of 52")


def test_a_file_that_the_request_names_is_shown_whatever_it_says(tmp_path: Path) -> None:
    code = "def activate(name):\n    return name\n"
    text = found(
        tmp_path,
        "activate() takes any name. Say so in docs/locale.md and in pack.activate.",
        docs__locale_md="# Texts\n\n::: pack.texts\n",
        pack__texts_py=f"{LONG}{code}",
        other__texts_md="Nothing about it.\n",
        **{"pack/__init__.py": "from pack.texts import activate\n"},
    )
    assert "docs/locale.md\n    1 # Texts\n    2\n    3 ::: pack.texts" in text
    assert "pack/__init__.py\n    1 from pack.texts import activate" in text
    assert "other/texts.md" not in text


def test_an_option_leads_to_where_options_are_declared(tmp_path: Path) -> None:
    text = found(
        tmp_path,
        "Add a --version option to the slug command",
        pack__slug_py=LONG,
        **{"pack/__main__.py": "import sys\n\n\ndef main(parser):\n    parser.add_argument('--stdin')\n"},
    )
    head = "    1 import sys\n    2\n    3\n    4 def main(parser):\n"
    assert text == f"pack/__main__.py\n{head}    5     parser.add_argument('--stdin')"


def test_a_name_that_the_tree_does_not_define_is_no_more_than_a_word(tmp_path: Path) -> None:
    others = "".join(f"def other_{n}():\n    raise ValueError({n})\n\n\n" for n in range(40))
    code = "def activate(name):\n    return name\n"
    text = found(tmp_path, "activate() raises ValueError", pack__a_py=others, pack__texts_py=f"{LONG}{code}", room=300)
    assert text.startswith("pack/texts.py, lines ")


def test_a_function_that_the_request_names_is_shown_whole_before_anything_else(tmp_path: Path) -> None:
    asked = "def naturaldelta(value):\n" + "".join(f"    value = step_{n}(value)\n" for n in range(110))
    uses = "".join(f"print(naturaldelta({n}), minutes, hours)\n" for n in range(60))
    request = "naturaldelta(value) should tell minutes and hours"
    text = found(tmp_path, request, room=1_550, time_py=f"{LONG}{asked}    return value\n", pack__uses_py=uses)
    first = text.partition("\n\n")[0]
    assert first.startswith("time.py, lines 1201–1312")
    assert "value = step_109(value)" in first
