"""Results are kept under everything they depend on."""

from thoughtforge.gate.cache import read_findings, write_findings
from thoughtforge.gate.findings import MOST_OUTCOMES, Finding, Outcome, OutcomeCache, key_of
from thoughtforge.kernel.model import Value

PASS = Outcome("types", "types", "pass", seconds=2.0)
FOUND = Finding("V-000000000001", "types", "types", "major", "ä.py", 7, "wrong", "T1", "Correct it.")


class Options(Value):
    """Options of a check."""

    limit: int = 1


def test_what_is_known_comes_back_marked_as_not_measured_now() -> None:
    cache = OutcomeCache()
    cache.put("a", PASS)
    assert cache.get("a") == PASS._replace(cached=True, seconds=0.0)
    assert cache.get("b") is None


def test_a_broken_result_is_never_kept() -> None:
    cache = OutcomeCache()
    cache.put("a", PASS._replace(outcome="broken", broken="gone"))
    assert cache.get("a") is None


def test_what_was_not_used_longest_is_forgotten_first() -> None:
    cache = OutcomeCache()
    for number in range(MOST_OUTCOMES):
        cache.put(str(number), PASS)
    cache.get("0")
    cache.put("one more", PASS)
    assert [cache.get(key) is not None for key in ("0", "1", "one more")] == [True, False, True]


def test_a_key_differs_when_anything_does() -> None:
    parts = [
        ("types", Options(), "tree", ("a.py",)),
        ("types", Options(limit=2), "tree", ("a.py",)),
        ("types", Options(), "other", ("a.py",)),
        ("types", Options(), "tree", ("a.py", "b.py")),
        ("style", Options(), "tree", ("a.py",)),
        ("types", Options(), "tree", "('a.py',)"),
    ]
    assert len({key_of(*each) for each in parts}) == len(parts)
    assert key_of(frozenset("ab")) == key_of(frozenset("ba"))


def test_findings_in_a_file_come_back_whole_and_a_damaged_file_is_none(tmp_path) -> None:
    file = tmp_path / "folder" / "kept.json"
    assert read_findings(file) is None
    write_findings(file, [FOUND])
    assert read_findings(file) == (FOUND,)
    assert [each.name for each in file.parent.iterdir()] == ["kept.json"]
    for damage in ("[", '[{"id": "x"}]', "{}x", "3"):
        file.write_text(damage)
        assert read_findings(file) is None
