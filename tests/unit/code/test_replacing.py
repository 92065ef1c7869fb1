"""Text is replaced where it is, and where it is not the nearest lines are shown."""

import pytest

from thoughtforge.code.tool_context import replace
from thoughtforge.kernel.errors import UserError

TEXT = 'def one():\n    """First."""\n    return 1\n\n\ndef two():\n    return 2\n'


def refusal(old: str, text: str = TEXT, new: str = "x", *, every: bool = False) -> UserError:
    with pytest.raises(UserError) as caught:
        replace(text, old, new=new, path="a.py", every=every)
    return caught.value


def test_the_one_place_is_replaced_also_across_lines():
    assert replace(TEXT, "():\n    return 2", new="(): ...", path="a.py") == TEXT.replace(
        "():\n    return 2", "(): ..."
    )


def test_a_replacement_is_taken_as_it_is():
    assert replace("a.b", ".", new="\\1\\g<0>", path="a") == "a\\1\\g<0>b"


def test_several_places_are_refused_with_their_lines_or_all_replaced():
    assert refusal("    return").what == "the text occurs 2 times in a.py, at lines 3, 7"
    assert replace(TEXT, "return", new="yield", path="a.py", every=True) == TEXT.replace("return", "yield")
    assert refusal("y", "y\n" * 20).what.endswith("at lines 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 …")


def test_the_nearest_lines_are_shown_with_their_numbers():
    said = refusal("def too():\n    return 2\n")
    assert said.what == "the text does not occur in a.py; the nearest lines begin at line 6."
    assert said.details == ("     6  def two():\n     7      return 2",)


def test_a_difference_in_spaces_alone_is_said():
    said = refusal('def one():\n  """First."""\n  return 1\n')
    assert said.what.endswith("with other indentation it is at lines 1–3")
    assert said.details == ('     1  def one():\n     2      """First."""\n     3      return 1',)
    assert refusal("\treturn 2").what.endswith("with other indentation it is at lines 7")


def test_text_that_is_nowhere_near_says_to_read_the_file():
    said = refusal("completely different words", every=True)
    assert (said.what, said.do) == (
        "the text does not occur in a.py",
        "Read the file and copy the text from it exactly.",
    )
    assert refusal("\n\n\n\n\n").what == "the text does not occur in a.py"


def test_an_empty_file_is_said():
    assert refusal("y", "").what == "a.py is empty"


def test_nothing_to_change_is_refused():
    assert refusal("one\r\n", new="one\n").what == "old and new are the same; nothing would change"


def test_a_last_line_without_a_line_break_is_found_with_one_and_gets_it():
    assert replace("a\nb", "b\n", new="b\nc\n", path="a") == "a\nb\nc\n"
    assert replace("b", "b\n", new="c\n", path="a") == "c\n"
    assert replace("b\na\nb", "b\n", new="c\n", path="a") == "c\na\nb"
    assert replace("b\na\nb", "b\n", new="c\n", path="a", every=True) == "c\na\nc\n"
    assert refusal("b\n", "a\nbb").what.startswith("the text does not occur")
