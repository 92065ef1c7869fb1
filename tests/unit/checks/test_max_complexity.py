"""max-complexity counts independent ways through a function and says which measure it is."""

from looking import findings, told

NAME = "max-complexity"


def branches(count):
    return "def f(x):\n" + "".join(f"    if x == {number}:\n        return {number}\n" for number in range(count))


def test_the_message_names_the_measure_the_number_and_the_limit(tmp_path):
    assert told(tmp_path, NAME, {"a.py": branches(10)}) == [
        ("a.py", 1, "f has a cyclomatic complexity of 11; the limit is 10")
    ]


def test_ten_is_still_fine(tmp_path):
    assert told(tmp_path, NAME, {"a.py": branches(9)}) == []


def test_the_limit_can_be_set(tmp_path):
    assert told(tmp_path, NAME, {"a.py": branches(3)}, options={"limit": 3}) == [
        ("a.py", 1, "f has a cyclomatic complexity of 4; the limit is 3")
    ]


def test_a_function_that_was_always_complex_stays_the_same_finding(tmp_path):
    ids = [[each.id for each in findings(tmp_path / str(n), NAME, {"a.py": branches(n)})] for n in (10, 12)]
    assert ids[0] == ids[1]
    assert ids[0]
