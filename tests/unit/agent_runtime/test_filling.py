"""A private home has a size: an agent that fills it is ended, told of and its home emptied."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from caged import Place
from thoughtforge.agent_runtime.cage import overfull, used
from thoughtforge.calls.port import ProviderError

KB = 1024


def test_a_home_is_measured_with_everything_below_and_nothing_beside(tmp_path: Path) -> None:
    home, beside = tmp_path / "home", tmp_path / "beside"
    (home / "a").mkdir(parents=True)
    beside.write_bytes(b"x" * 1000 * KB)
    (home / "a" / "file").write_bytes(b"x" * 100 * KB)
    (home / "again").hardlink_to(home / "a" / "file")
    (home / "link").symlink_to(beside)
    assert 100 * KB <= used(home) < 150 * KB


def test_a_home_that_grows_too_large_is_noticed(tmp_path: Path) -> None:
    async def grown() -> None:
        waiting = asyncio.ensure_future(overfull(tmp_path, 100 * KB))
        await asyncio.sleep(0.1)
        assert not waiting.done()
        (tmp_path / "file").write_bytes(b"x" * 200 * KB)
        await asyncio.wait_for(waiting, 5)

    asyncio.run(grown())


def test_an_agent_that_fills_its_home_is_ended_and_the_home_emptied(place: Place) -> None:
    code = """
    for name in ("one", "two"):
        with open(os.path.join(os.environ["HOME"], name), "wb") as file:
            os.posix_fallocate(file.fileno(), 0, 600 * 1024 ** 2)
    time.sleep(60)
    """
    with pytest.raises(ProviderError, match="wrote more than 1024 MB into its private home") as caught:
        place.turn(code)
    assert caught.value.kind == "limits"
    assert list((place.root / "homes" / "t1").iterdir()) == []
