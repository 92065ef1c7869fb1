"""What is written as TOML is read back the same."""

import tomllib

from thoughtforge.gate.toml import merged, to_toml


def test_settings_come_back_as_they_were() -> None:
    settings = {
        "line-length": 120,
        "exclude": [],
        "lint": {"select": ["E", "N"], "per-file-ignores": {'a "b"/*.py': ["S1"]}, "mccabe": {"max-complexity": 10}},
        "odd": 'quote " back \\ line \n control \x01 del \x7f grün 🙂',
        "yes": True,
    }
    assert tomllib.loads(to_toml(settings)) == settings


def test_lists_join_tables_merge_and_values_replace() -> None:
    under = {"a": [1, 2], "t": {"x": 1, "y": 1}, "v": 1}
    assert merged(under, {"a": (2, 3), "t": {"y": 2}, "v": 2}) == {"a": [1, 2, 3], "t": {"x": 1, "y": 2}, "v": 2}
