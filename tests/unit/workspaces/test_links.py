"""A path with links on its way leads where the kernel would find it."""

from pathlib import Path, PurePosixPath

import pytest

from thoughtforge.workspaces.patterns import led

LINKS = {"a": "b/c", "b": "d", "up": "../x", "far": "/etc", "round": "about", "about": "round", "d/e": "../f"}


@pytest.mark.parametrize("path", ["plain/x", "a", "a/y", "b/e", "d/e/z", "up", "far/passwd", "b/../q"])
def test_links_are_followed_as_the_kernel_does(path: str, tmp_path: Path) -> None:
    root = tmp_path.resolve() / "root"
    (root / "d" / "c").mkdir(parents=True)
    for name, target in LINKS.items():
        (root / name).symlink_to(target)
    found = led(PurePosixPath(root), path, lambda at: LINKS.get(str(at).removeprefix(f"{root}/")))
    assert found == PurePosixPath((root / path).resolve())


def test_links_in_a_circle_lead_nowhere() -> None:
    assert led(PurePosixPath("/r"), "round", lambda at: LINKS.get(at.name)) is None
