"""types tells what the type checker calls an error."""

from looking import told

NAME = "types"


def test_errors_are_told_and_warnings_are_not(tmp_path):
    found = told(tmp_path, NAME, {"a.py": "x: int = 'one'\ny = x\n"})
    assert [(path, line) for path, line, _ in found] == [("a.py", 1)]


def test_a_comment_does_not_hide_an_error(tmp_path):
    found = told(tmp_path, NAME, {"a.py": "x: int = 'one'  # type: ignore\n", "ty.toml": "rules = {all = 'ignore'}\n"})
    assert [(path, line) for path, line, _ in found] == [("a.py", 1)]


def test_files_nobody_types_can_be_left_out(tmp_path):
    files = {"a.py": "x: int = 'one'\n", "old/b.py": "x: int = 'one'\n"}
    assert [path for path, _, _ in told(tmp_path, NAME, files, options={"exclude": ["old"]})] == ["a.py"]


def test_a_rule_can_be_left_out(tmp_path):
    files = {"a.py": "x: int = 'one'\nundefined_name\n"}
    found = told(tmp_path, NAME, files, options={"ignore": ["invalid-assignment"]})
    assert [line for _, line, _ in found] == [2]
