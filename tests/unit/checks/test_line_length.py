"""line-length tells lines above the limit."""

from looking import told

NAME = "line-length"
FILES = {"a.py": f"x = '{'y ' * 30}'\n"}


def test_the_usual_limit_is_120(tmp_path):
    assert told(tmp_path, NAME, FILES) == []
    longer = {"a.py": f"x = '{'y ' * 60}'\n"}
    assert told(tmp_path, NAME, longer) == [("a.py", 1, "this line is too long (126 > 120)")]


def test_a_project_may_be_stricter(tmp_path):
    assert told(tmp_path, NAME, FILES, options={"limit": 60}) == [("a.py", 1, "this line is too long (66 > 60)")]
