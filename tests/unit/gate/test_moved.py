"""A moved file is known again, a copied one is not."""

from thoughtforge.gate.findings import Moved

OLD = "def f():\n    return 1\n\n\ndef g():\n    return 2\n"


def traced(before: dict[str, str], now: dict[str, str]) -> dict[str, str]:
    moved = Moved(before)
    moved.trace(now)
    return moved.origins


def test_a_file_that_went_elsewhere_is_known_again_by_its_name_or_its_text() -> None:
    assert traced({"a/x.py": OLD, "k.py": ""}, {"b/x.py": OLD, "k.py": ""}) == {"b/x.py": "a/x.py"}
    assert traced({"a/x.py": OLD}, {"a/y.py": OLD + "# more\n"}) == {"a/y.py": "a/x.py"}
    assert traced({"a/x.py": OLD, "b/y.py": OLD}, {"c/y.py": OLD}) == {"c/y.py": "b/y.py"}


def test_a_copy_and_another_text_under_the_old_name_are_new() -> None:
    assert traced({"a.py": OLD}, {"a.py": OLD, "b.py": OLD}) == {}
    assert traced({"a/x.py": OLD}, {"b/x.py": "class Other:\n    pass\n"}) == {}
    assert traced({"a.py": OLD}, {"a.js": OLD}) == {}
    assert traced({"a.py": ""}, {"b.py": ""}) == {}


def test_one_file_is_the_origin_of_one_only_and_of_none_once_it_is_back() -> None:
    moved = Moved({"a.py": OLD})
    assert moved.trace({"b.py": OLD, "c.py": OLD}) == {"b.py"}
    assert moved.origins == {"b.py": "a.py"}
    assert moved.trace({"b.py": OLD, "c.py": OLD}) == frozenset()
    assert moved.trace({"a.py": OLD, "b.py": OLD, "c.py": OLD}) == {"b.py"}
    assert moved.origins == {}
