"""Which modules count as the project's own before they exist."""

from __future__ import annotations

from thoughtforge.gate.own_modules import announced


def test_modules_are_announced_by_files_commands_and_targets() -> None:
    told = [
        "readings.py: reads; run as `python -m meterbook FILE` or python -m pytest",
        "src/shop/prices.py, tests/a.py",
    ]
    assert announced(texts=told, targets=["slugbox:slug", "book.main:run", "python -m x"]) == {
        "readings",
        "meterbook",
        "shop",
        "a",
        "slugbox",
        "book",
    }


def test_the_standard_library_is_never_the_projects_own() -> None:
    assert announced(texts=["json.py", "python -m typing"], targets=["re:match"]) == frozenset()
