"""syntax finds the first place at which a file stops making sense."""

import pytest

from looking import told

NAME = "syntax"
WRONG = [
    ("a.py", "x = 1\ndef f(:\n", 2, "this is not Python: "),
    ("a.py", "return 1\n", 1, "this is not Python: "),
    ("a.pyi", "x: int =\n", 1, "this is not Python: "),
    ("a.py", "x = 1\0\n", 1, "this is not Python: "),
    ("a.py", "def f():\n\tx = 1\n        y = 2\n", 3, "this is not Python: "),
    ("a.json", '{\n"a": 1,\n}\n', 3, "this is not JSON: "),
    ("a.yaml", "a: [1\nb: 2\n", 2, "this is not YAML: "),
    ("a.yml", "a: 1\n  b: 2\n", 2, "this is not YAML: "),
    ("a.toml", "a = 1\nb = \n", 2, "this is not TOML: "),
    ("a.py", f"x = {'(' * 500}\n", 1, ""),
    ("a.json", "[" * 200_000, 1, "nested too deeply"),
]


@pytest.mark.parametrize(("path", "text", "line", "words"), WRONG)
def test_what_does_not_parse_is_told_with_its_line(path, text, line, words, tmp_path):
    (found,) = told(tmp_path, NAME, {path: text})
    assert found[:2] == (path, line)
    assert found[2].startswith(words)


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.py", ""),
        ("a.py", "\ufeffx = 1\n"),
        ("a.py", "x = '\\d'\n"),
        ("a.json", '{"a": [1, 2]}'),
        ("a.yaml", "a: !Ref b\n---\nc: &x 1\nd: *x\n"),
        ("a.toml", "[a]\nb = 1\n"),
        ("tsconfig.json", "{ // a comment\n}"),
        ("pkg/templates/a.py", "{{ name }} = {% x %}\n"),
        ("a.txt", "def f(:\n"),
    ],
)
def test_what_parses_or_is_no_such_file_is_fine(path, text, tmp_path):
    assert told(tmp_path, NAME, {path: text}) == []


def test_nothing_is_run_by_looking(tmp_path):
    witness = tmp_path / "witness"
    assert told(tmp_path, NAME, {"a.py": f"open({str(witness)!r}, 'w')\n"}) == []
    assert not witness.exists()
