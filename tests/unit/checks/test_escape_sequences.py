"""escape-sequences finds backslashes that Python takes literally today and refuses one day."""

from looking import told

NAME = "escape-sequences"


def test_an_escape_that_python_does_not_know_is_found_in_every_kind_of_string(tmp_path):
    text = "import re\n\nA = re.compile('\\d+')\nB = b'\\d'\nC = f'\\d{A}'\n"
    said = "Invalid escape sequence: `\\d`; Python warns of it now and will refuse the file"
    assert told(tmp_path, NAME, {"shop/stock.py": text}) == [("shop/stock.py", line, said) for line in (3, 4, 5)]


def test_known_escapes_raw_strings_and_doubled_backslashes_are_none(tmp_path):
    assert told(tmp_path, NAME, {"shop/stock.py": "A = 'a\\n\\t\\x41'\nB = r'\\d'\nC = '\\\\d'\n"}) == []
