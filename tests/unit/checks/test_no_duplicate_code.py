"""no-duplicate-code finds changed blocks that are there a second time."""

from looking import told
from looking.plants import BLOCK

NAME = "no-duplicate-code"
FIRST = f"def f(value):\n{BLOCK}"


def test_both_places_are_told(tmp_path):
    base = {"b.py": f"import os\n\n\n{FIRST}"}
    assert told(tmp_path, NAME, {**base, "a.py": FIRST.replace("def f", "def g")}, base=base) == [
        ("a.py", 2, "lines 2 to 10 are the same as lines 5 to 13 of b.py")
    ]


def test_a_copy_within_one_file_is_told(tmp_path):
    base = {"a.py": FIRST}
    found = told(tmp_path, NAME, {"a.py": FIRST + f"\n\ndef g(value):\n{BLOCK}"}, base=base)
    assert found == [("a.py", 14, "lines 14 to 22 are the same as lines 2 to 10 of a.py")]


def test_a_copy_that_was_there_before_is_not_told_even_when_it_moves(tmp_path):
    base = {"a.py": FIRST, "b.py": FIRST.replace("def f", "def g")}
    now = {"a.py": "import os\n\nprint(os)\n" + FIRST, "b.py": base["b.py"]}
    assert told(tmp_path, NAME, now, base=base) == []


def test_blanks_comments_and_indentation_hide_no_copy(tmp_path):
    base = {"b.py": FIRST}
    hidden = BLOCK.replace("    value", "\n            # new\n            value")
    found = told(tmp_path, NAME, {**base, "a.py": f"class A:\n    if x:\n        def f(value):\n{hidden}"}, base=base)
    assert [path for path, _, _ in found] == ["a.py"]


def test_imports_and_short_blocks_are_no_copies(tmp_path):
    imports = "".join(f"import module{number}\n" for number in range(20))
    short = "".join(BLOCK.splitlines(keepends=True)[:7])
    base = {"b.py": f"{imports}def f(value):\n{short}"}
    assert told(tmp_path, NAME, {**base, "a.py": f"{imports}def g(value):\n{short}"}, base=base) == []


def test_the_limit_is_the_projects_own(tmp_path):
    short = "".join(BLOCK.splitlines(keepends=True)[:4])
    base = {"b.py": f"def f(value):\n{short}"}
    now = {**base, "a.py": f"def g(value):\n{short}"}
    assert len(told(tmp_path, NAME, now, base=base, options={"lines": 4})) == 1
