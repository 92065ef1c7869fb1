"""A finding that was shown is found by its id in a later process."""

from pathlib import Path

import pytest

from thoughtforge.gate.cache import FILE, find, remember
from thoughtforge.gate.findings import Finding
from thoughtforge.kernel.errors import UserError


def finding(number: int, line: int = 1) -> Finding:
    return Finding(f"V-{number:012x}", "types", "types", "major", "a.py", line, "wrong", "x", "Correct it.")


def test_a_finding_is_found_by_its_id_or_the_beginning_of_it(tmp_path: Path) -> None:
    remember(tmp_path, [finding(0xA1 << 40), finding(0xB2 << 40)])
    assert find(tmp_path, "V-a10000000000") == finding(0xA1 << 40)
    assert find(tmp_path, "V-b2") == finding(0xB2 << 40)


def test_what_is_shown_again_replaces_what_was_known(tmp_path: Path) -> None:
    remember(tmp_path, [finding(1, line=3), finding(2)])
    remember(tmp_path, [finding(1, line=9)])
    assert find(tmp_path, finding(1).id).line == 9
    assert find(tmp_path, finding(2).id) == finding(2)


@pytest.mark.parametrize("word", ["V-ffff", "a.py", "", "V-"])
def test_an_unknown_or_unclear_id_is_a_mistake(tmp_path: Path, word: str) -> None:
    remember(tmp_path, [finding(1), finding(2)])
    with pytest.raises(UserError):
        find(tmp_path, word)


def test_a_damaged_file_is_begun_again(tmp_path: Path) -> None:
    (tmp_path / FILE).write_text("{ not json")
    remember(tmp_path, [finding(1)])
    assert find(tmp_path, finding(1).id) == finding(1)
