"""search_codebase finds text, fits expressions and says when there is more."""

from thoughtforge.code.tool_context import ToolResult
from thoughtforge.tools import search_codebase

FILES = {"a.py": "def f():\n    return f()\n", "docs/b.md": "call f()\n", ".env": "f()\n"}


def test_hits_are_listed_by_file_without_hidden_ones(use):
    assert use(search_codebase, {"text": "f()"}, FILES) == ToolResult(
        True,
        "3 lines in 2 files with 'f()'",
        "3 lines in 2 files with 'f()':\na.py\n     1  def f():\n     2      return f()\ndocs/b.md\n     1  call f()",
    )


def test_expressions_and_paths_narrow_the_search(use):
    result = use(search_codebase, {"text": "^(def|call) ", "regex": True, "paths": ["docs/**"]}, FILES)
    assert result.output == "1 lines in 1 files with '^(def|call) ' in docs/**:\ndocs/b.md\n     1  call f()"


def test_nothing_found_is_a_good_answer(use):
    said = "no line with 'absent'"
    assert use(search_codebase, {"text": "absent"}, FILES) == ToolResult(True, said, said)


def test_a_bad_expression_is_an_error_with_the_reason(use):
    said = "the pattern is invalid: Unmatched ( or \\("
    assert use(search_codebase, {"text": "(", "regex": True}, FILES) == ToolResult(False, said, said)


def test_too_many_hits_are_cut_and_said_so(use):
    result = use(search_codebase, {"text": "x"}, {"a.txt": "x\n" * 201})
    assert result.summary == "the first 200 lines in 1 files with 'x'"
    assert result.output.splitlines()[-1] == "there are more; search for something narrower or name paths"


def test_an_answer_that_does_not_fit_ends_with_advice(use):
    many = {"a.txt": "x marks it\n" * 50}
    lines = use(search_codebase, {"text": "marks"}, many, lines=6).output.splitlines()
    assert (len(lines), lines[-1]) == (6, "there are more; search for something narrower or name paths")
