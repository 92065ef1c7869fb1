"""max-file-length counts lines in every language."""

from looking import told

NAME = "max-file-length"


def test_a_file_above_the_limit_is_told_at_the_first_line_too_many(tmp_path):
    files = {"a.py": "x = 1\n" * 11, "b.go": "x\n" * 12, "c.py": "x = 1\n" * 10, "d.csv": "x\n" * 99}
    assert told(tmp_path, NAME, files, options={"limit": 10}) == [
        ("a.py", 11, "the file has 11 lines; the limit is 10"),
        ("b.go", 11, "the file has 12 lines; the limit is 10"),
    ]


def test_files_nobody_writes_are_left_out(tmp_path):
    files = {"db/migrations/a.py": "x = 1\n" * 11, "a_pb2.py": "x = 1\n" * 11}
    assert told(tmp_path, NAME, files, options={"limit": 10}) == []
