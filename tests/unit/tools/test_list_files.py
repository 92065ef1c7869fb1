"""list_files groups by folder, narrows by pattern and counts what it leaves out."""

from thoughtforge.code.tool_context import ToolResult
from thoughtforge.tools import list_files

FILES = {"README.md": "hi\n", "src/a.py": "x", "src/inner/b.py": "", "src/c.txt": "", ".env": "KEY=1"}


def test_all_files_are_listed_by_folder_without_hidden_ones(use):
    assert use(list_files, {}, FILES) == ToolResult(
        True,
        "4 files",
        "4 files:\n./\n  README.md  3 bytes\nsrc/\n  a.py  1 bytes\n  c.txt  0 bytes\nsrc/inner/\n  b.py  0 bytes",
    )


def test_a_pattern_narrows_the_list(use):
    assert use(list_files, {"pattern": "src/**/*.py"}, FILES) == ToolResult(
        True,
        "2 files match src/**/*.py",
        "2 files match src/**/*.py:\nsrc/\n  a.py  1 bytes\nsrc/inner/\n  b.py  0 bytes",
    )


def test_a_folder_lists_everything_below_it(use):
    assert use(list_files, {"pattern": "src/"}, FILES).summary == "3 files match src/"


def test_nothing_that_fits_is_an_error(use):
    said = "no file matches *.rs; the repository has 4 files"
    assert use(list_files, {"pattern": "*.rs"}, FILES) == ToolResult(False, said, said)


def test_a_long_list_is_cut_and_the_rest_counted(use):
    result = use(list_files, {}, {f"{number:04}.txt": "" for number in range(450)})
    lines = result.output.splitlines()
    assert (result.summary, len(lines), lines[-1]) == (
        "450 files",
        1 + 1 + 400 + 1,
        "and 50 more; narrow the pattern to see them",
    )


def test_a_list_that_does_not_fit_says_how_many_are_missing(use):
    lines = use(list_files, {}, {f"{number:02}.txt": "" for number in range(20)}, lines=6).output.splitlines()
    assert (len(lines), lines[-1]) == (6, "and 17 more; narrow the pattern to see them")
