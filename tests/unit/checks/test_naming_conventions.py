"""naming-conventions holds names against PEP 8 and lets the project's own through."""

from looking import told

NAME = "naming-conventions"
FILES = {"a.py": "class thing:\n    def doIt(self):\n        pass\n"}


def test_each_wrong_name_is_told_with_its_line(tmp_path):
    assert told(tmp_path, NAME, FILES) == [
        ("a.py", 1, "Class name `thing` should use CapWords convention"),
        ("a.py", 2, "Function name `doIt` should be lowercase"),
    ]


def test_names_the_project_allows_are_fine(tmp_path):
    assert told(tmp_path, NAME, FILES, options={"allowed": ["do*", "thing"]}) == []


def test_a_rule_the_project_does_not_keep_is_left_out(tmp_path):
    files = {"a.py": "class Mistake(Exception):\n    pass\n\n\nclass thing:\n    pass\n"}
    assert [line for _, line, _ in told(tmp_path / "1", NAME, files)] == [1, 5]
    assert [line for _, line, _ in told(tmp_path / "2", NAME, files, options={"ignore": ["N818"]})] == [5]


def test_a_comment_in_the_file_silences_nothing(tmp_path):
    files = {"a.py": "class thing:  # noqa: N801\n    pass\n", "ruff.toml": "lint.ignore = ['N']\n"}
    assert [line for _, line, _ in told(tmp_path, NAME, files)] == [1]
