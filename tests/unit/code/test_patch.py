"""A patch is applied exactly, or refused with the lines that are really there."""

import difflib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from thoughtforge.code.patch import apply
from thoughtforge.kernel.errors import UserError

TEXT = "".join(f"line {number}\n" for number in range(1, 11))


def refusal(patch: str, text: str = TEXT) -> UserError:
    with pytest.raises(UserError) as caught:
        apply(patch, text, path="a/b.py")
    return caught.value


def test_a_line_is_replaced_and_one_is_added():
    patch = "--- a/a/b.py\n+++ b/a/b.py\n@@ -2,3 +2,4 @@ def f():\n line 2\n-line 3\n+LINE 3\n+more\n line 4\n"
    assert apply(patch, TEXT, path="a/b.py") == TEXT.replace("line 3\n", "LINE 3\nmore\n")


def test_headers_may_be_left_out_and_the_last_line_needs_no_line_break():
    assert apply("@@ -1 +1 @@\n-line 1\n+one", TEXT, path="a/b.py") == TEXT.replace("line 1\n", "one\n")


def test_several_hunks_are_applied_in_order():
    patch = "@@ -1,1 +1,0 @@\n-line 1\n\n@@ -10 +9,2 @@\n line 10\n+line 11\n"
    assert apply(patch, TEXT, path="a/b.py") == TEXT.removeprefix("line 1\n") + "line 11\n"


def test_lines_are_put_behind_the_line_that_a_hunk_without_old_lines_names():
    assert apply("@@ -0,0 +1 @@\n+first\n", TEXT, path="a/b.py") == "first\n" + TEXT
    assert apply("@@ -10,0 +11 @@\n+last\n", TEXT, path="a/b.py") == TEXT + "last\n"


def test_a_wrong_line_number_is_forgiven_where_the_old_lines_occur_once():
    assert apply("@@ -1,2 +1,1 @@\n line 7\n-line 8\n", TEXT, path="a/b.py") == TEXT.replace("line 8\n", "")


def test_a_wrong_line_number_is_not_forgiven_where_they_occur_twice():
    said = refusal("@@ -2 +2 @@\n-x\n+y\n", "x\na\nx\n")
    assert said.what == "hunk 1 does not fit: not at line 2, but its old lines occur at lines 1, 3"


def test_a_hunk_that_does_not_fit_is_named_with_the_real_lines():
    said = refusal("@@ -1 +1 @@\n-line 1\n+one\n@@ -4,2 +4,2 @@\n line 4\n-line five\n+5\n")
    assert said.what == "hunk 2 does not fit: line 5 is 'line 5', the hunk says 'line five'"
    assert said.details[1].splitlines()[3:5] == ["     4  line 4", "     5  line 5"]


def test_no_context_is_skipped_to_make_a_hunk_fit():
    assert "line 2 is 'line 2'" in refusal("@@ -1,3 +1,3 @@\n line 1\n another\n-line 3\n+3\n").what


def test_a_hunk_behind_the_end_says_that_the_file_is_shorter():
    assert refusal("@@ -20 +20 @@\n-nothing\n+x\n").what == "hunk 1 does not fit: the file has no line 20"
    assert refusal("@@ -20,0 +21 @@\n+x\n").what == "hunk 1 does not fit: a/b.py has 10 lines"


def test_hunks_that_overlap_are_refused():
    said = refusal("@@ -1,2 +1,1 @@\n line 1\n-line 2\n@@ -2 +1 @@\n-line 2\n+two\n")
    assert said.what == "hunk 2 does not fit: its old lines lie in what an earlier hunk changed"


@pytest.mark.parametrize("head", ["@@ -2,8 +2,3 @@", "@@ -2 +2 @@", "@@ -2,9 +2 @@"])
@pytest.mark.parametrize("end", ["", "\n", "\n\n"])
def test_the_lines_of_a_hunk_count_and_not_the_numbers_of_its_header(head, end):
    assert apply(f"{head}\n line 2\n-line 3\n+3\n{end}", TEXT, path="a/b.py") == TEXT.replace("line 3\n", "3\n")


@pytest.mark.parametrize(
    ("patch", "said"),
    [
        ("", "the patch has no hunk"),
        ("--- a/a/b.py\n+++ b/a/b.py\n", "the patch has no hunk"),
        ("Here is it:\n@@ -1 +1 @@\n-line 1\n+x\n", "the patch has a line that belongs to no hunk: 'Here is it:'"),
        ("--- a/a/b.py\n+++ b/other.py\n@@ -1 +1 @@\n-line 1\n+x\n", "the patch names b/other.py, not a/b.py"),
        ("--- /dev/null\n+++ b/a/b.py\n@@ -0,0 +1 @@\n+x\n", "the patch creates or deletes a file"),
        ("@@ nothing @@\n-line 1\n+x\n", "hunk 1 begins with '@@ nothing @@'"),
        ("@@ -1 +1 @@\n*line 1\n", "hunk 1 has a line that begins with '*': '*line 1'"),
        (
            "@@ -1 +1 @@\n-line 1\n+x\n--- a/c.py\n+++ b/c.py\n@@ -1 +1 @@\n-line 1\n+x\n",
            "hunk 1 goes on with another file: '--- a/c.py'",
        ),
    ],
)
def test_what_is_no_patch_of_this_file_is_refused(patch, said):
    assert refusal(patch).what == said


def test_an_empty_line_of_context_may_have_lost_its_space():
    assert apply("@@ -1,3 +1,3 @@\n a\n\n-b\n+c\n", "a\n\nb\n", path="a/b.py") == "a\n\nc\n"


def test_a_missing_line_break_at_the_end_is_kept_given_and_taken_by_its_mark():
    mark = "\\ No newline at end of file\n"
    assert apply(f"@@ -2 +2 @@\n-b\n{mark}+c\n{mark}", "a\nb", path="a/b.py") == "a\nc"
    assert apply(f"@@ -2 +2 @@\n-b\n{mark}+b\n", "a\nb", path="a/b.py") == "a\nb\n"
    assert apply(f"@@ -2 +2 @@\n-b\n+b\n{mark}", "a\nb\n", path="a/b.py") == "a\nb"


@pytest.mark.parametrize(
    ("patch", "text"),
    [
        ("@@ -2,0 +3 @@\n+c\n", "a\nb\nc\n"),
        ("@@ -2 +2 @@\n-b\n+c\n", "a\nc\n"),
        ("@@ -1,2 +1,3 @@\n a\n b\n+c\n", "a\nb\nc\n"),
        ("@@ -1,2 +1,2 @@\n-a\n+A\n b\n", "A\nb\n"),
        ("@@ -1 +1 @@\n-a\n+A\n", "A\nb"),
    ],
)
def test_a_last_line_without_a_line_break_gets_one_where_a_hunk_reaches_it(patch, text):
    assert apply(patch, "a\nb", path="a/b.py") == text


def test_only_the_last_line_may_lack_the_line_break_a_hunk_gives_it():
    mark = "\\ No newline at end of file\n"
    assert "only the line break at the end differs" in refusal(f"@@ -1 +1 @@\n-a\n{mark}+c\n", "a\nb").what
    assert "line 2 is 'b', the hunk says 'bb'" in refusal("@@ -2 +2 @@\n-bb\n+c\n", "a\nb").what


def test_a_form_feed_or_a_unicode_line_separator_does_not_end_a_line():
    assert apply("@@ -2 +2 @@\n-b\n+c\n", "a\x0ca\u2028a\nb\n", path="a/b.py") == "a\x0ca\u2028a\nc\n"


LINES = st.lists(st.text("ab \x0c", max_size=2), max_size=12)


@given(LINES, LINES)
def test_what_difflib_finds_different_is_applied_exactly(before, after):
    old, new = [f"{line}\n" for line in before], [f"{line}\n" for line in after]
    if old != new:
        patch = "".join(difflib.unified_diff(old, new, "a/x", "b/x"))
        assert apply(patch, "".join(old), path="x") == "".join(new)
