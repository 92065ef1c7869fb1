"""The files of a commit, whole and in one go."""

import asyncio
import os
from pathlib import Path

from harness import git
from thoughtforge.gate.cache import BaseFiles
from thoughtforge.workspaces.git import Git, find_repository


def read(root: Path) -> BaseFiles:
    async def run() -> BaseFiles:
        source = Git(await find_repository(root, path=os.environ["PATH"]), path=os.environ["PATH"])
        return await BaseFiles.read(source, await source.head())

    return asyncio.run(run())


def test_texts_come_from_the_commit_and_not_from_the_working_copy(tmp_path: Path) -> None:
    git("init", "-q", cwd=tmp_path)
    (tmp_path / "a.py").write_bytes(b"x = 1\r\n")
    (tmp_path / "empty.txt").write_bytes(b"")
    (tmp_path / "same.py").write_bytes(b"x = 1\r\n")
    (tmp_path / "ä b.txt").write_text("grün\n")
    (tmp_path / "picture.png").write_bytes(b"\x89PNG\0\0")
    (tmp_path / "link.py").symlink_to("a.py")
    git("add", "--all", cwd=tmp_path)
    git("commit", "-q", "-m", "All", cwd=tmp_path)
    (tmp_path / "a.py").write_text("x = 2\n")
    before = read(tmp_path)
    assert before.paths == ("a.py", "empty.txt", "picture.png", "same.py", "ä b.txt")
    assert before.texts == {
        "a.py": "x = 1\r\n",
        "empty.txt": "",
        "picture.png": "",
        "same.py": "x = 1\r\n",
        "ä b.txt": "grün\n",
    }
    before.write(tmp_path / "out")
    assert (tmp_path / "out" / "a.py").read_bytes() == b"x = 1\r\n"


def test_an_empty_commit_has_no_files(tmp_path: Path) -> None:
    git("init", "-q", cwd=tmp_path)
    git("commit", "-q", "--allow-empty", "-m", "None", cwd=tmp_path)
    assert read(tmp_path).paths == ()
