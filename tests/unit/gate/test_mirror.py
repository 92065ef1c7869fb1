"""The mirror shows the tools Python files and nothing that could tell them to look away."""

import pytest

from thoughtforge.gate.mirror import Mirror


def test_only_python_files_and_markers_are_shown(tmp_path) -> None:
    mirror = Mirror(tmp_path)
    shown = ["a.py", "a/b.pyi", "a/py.typed"]
    hidden = ["ruff.toml", "pyproject.toml", "a/ty.toml", "setup.cfg", "a.pth", "../a.py", "a/../../b.py", "/etc/a.py"]
    assert [path for path in (*shown, *hidden) if mirror.shows(path)] == shown


def test_a_state_is_counted_for_every_change_and_for_nothing_else(tmp_path) -> None:
    mirror = Mirror(tmp_path)
    did = [
        mirror.put("a/b.py", "x = 1\n", base=None),
        mirror.put("a/b.py", "x = 1\n", base=None),
        mirror.put("a/b.py", "x = 2\n", base=None),
        mirror.drop("a/b.py"),
        mirror.drop("a/b.py"),
    ]
    assert (did, mirror.state) == ([True, False, True, True, False], 3)
    assert not (tmp_path / "a/b.py").exists()


@pytest.mark.parametrize(("base", "kept"), [(None, False), ("x = 1  # noqa\n", True)])
def test_a_suppression_reaches_the_tools_only_when_the_base_has_it(tmp_path, base, kept) -> None:
    mirror = Mirror(tmp_path)
    mirror.put("a.py", "x = 1  # noqa\n", base=base)
    assert ("# noqa" in (tmp_path / "a.py").read_text()) is kept


def test_packages_and_roots_follow_the_files(tmp_path) -> None:
    mirror = Mirror(tmp_path)
    mirror.put("src/shop/__init__.py", "", base=None)
    assert ([each.name for each in mirror.packages()], mirror.roots()) == (["shop"], (".", "src"))
    mirror.put("lib/__init__.py", "", base=None)
    assert [each.name for each in mirror.packages()] == ["lib", "shop"]
    mirror.drop("src/shop/__init__.py")
    assert [each.name for each in mirror.packages()] == ["lib"]
