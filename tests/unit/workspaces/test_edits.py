"""An edit that is on record can be brought to its end after any crash, and nothing of anybody else is overwritten."""

import hashlib
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from thoughtforge.kernel.errors import UserError
from thoughtforge.workspaces.changes import DRAFT, apply, mode_of
from thoughtforge.workspaces.events import EditPlanned


class FolderBlobs:
    """The blob port over a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(exist_ok=True)

    def put(self, data: bytes, *, exact: bool = False) -> str:
        digest = hashlib.sha256(data).hexdigest()
        (self.folder / digest).write_bytes(data)
        return digest

    def get(self, digest: str) -> bytes:
        return (self.folder / digest).read_bytes()


@pytest.fixture
def blobs(tmp_path) -> FolderBlobs:
    return FolderBlobs(tmp_path / "blobs")


@pytest.fixture
def root(tmp_path) -> Path:
    folder = tmp_path / "workspace"
    folder.mkdir()
    return folder


def plan(blobs: FolderBlobs, path: str, before: bytes | None, after: bytes | None) -> EditPlanned:
    digests = [None if data is None else blobs.put(data) for data in (before, after)]
    return EditPlanned(stage="green", step=1, path=path, before=digests[0], after=digests[1])


def files(root: Path) -> dict[str, bytes]:
    return {str(path.relative_to(root)): path.read_bytes() for path in sorted(root.rglob("*")) if path.is_file()}


def test_a_file_is_changed_and_keeps_its_mode(root, blobs):
    (root / "run.sh").write_bytes(b"old")
    (root / "run.sh").chmod(0o755)
    apply(root, plan(blobs, "run.sh", b"old", b"new"), blobs)
    assert files(root) == {"run.sh": b"new"}
    assert (root / "run.sh").stat().st_mode & 0o777 == 0o755


def test_a_new_file_comes_with_its_folders_and_the_usual_mode(root, blobs):
    apply(root, plan(blobs, "a/b/c.txt", None, b"new"), blobs)
    assert files(root) == {"a/b/c.txt": b"new"}
    assert (root / "a/b/c.txt").stat().st_mode & 0o777 == 0o644


def test_a_file_is_deleted_and_deleting_it_again_changes_nothing(root, blobs):
    (root / "a").mkdir()
    (root / "a/x").write_bytes(b"old")
    planned = plan(blobs, "a/x", b"old", None)
    apply(root, planned, blobs)
    apply(root, planned, blobs)
    assert files(root) == {}


def test_a_file_somebody_else_changed_is_not_overwritten(root, blobs):
    (root / "a").write_bytes(b"theirs")
    planned = plan(blobs, "a", b"old", b"new")
    with pytest.raises(UserError, match="a has changed since its edit was planned"):
        apply(root, planned, blobs)
    assert files(root) == {"a": b"theirs"}


def test_a_linked_folder_is_refused_in_every_position(root, blobs, tmp_path):
    outside = tmp_path / "outside"
    outside.mkdir()
    (root / "real").mkdir()
    (root / "link").symlink_to(outside)
    (root / "real/link").symlink_to(outside)
    for path in ("link/x", "real/link/x", "link/deep/x"):
        planned = plan(blobs, path, None, b"new")
        with pytest.raises(UserError, match="is a link or a file, not a folder"):
            apply(root, planned, blobs)
    assert files(outside) == {}


def test_a_linked_file_is_refused_and_its_target_left_alone(root, blobs, tmp_path):
    (tmp_path / "target").write_bytes(b"old")
    (root / "link").symlink_to(tmp_path / "target")
    planned = plan(blobs, "link", b"old", b"new")
    with pytest.raises(UserError, match="link is not a plain file"):
        apply(root, planned, blobs)
    assert (tmp_path / "target").read_bytes() == b"old"


@pytest.mark.parametrize("path", ["../x", "/etc/x", "a/../../x", ".git/config", "a/.GIT/x", ""])
def test_a_path_out_of_the_workspace_is_refused(root, blobs, path):
    with pytest.raises(UserError, match="is outside the workspace"):
        apply(root, plan(blobs, path, None, b"new"), blobs)


def test_a_folder_or_a_pipe_in_the_place_of_the_file_is_refused(root, blobs):
    (root / "folder").mkdir()
    os.mkfifo(root / "pipe")
    for name in ("folder", "pipe"):
        with pytest.raises(UserError, match=f"{name} is not a plain file"):
            apply(root, plan(blobs, name, None, b"new"), blobs)


@pytest.mark.parametrize(("mode", "bits"), [("100755", 0o755), ("100644", 0o644), ("", 0o644)])
def test_a_file_gets_the_mode_its_edit_names(root, blobs, mode, bits):
    for name, old in (("new", None), ("old", b"old")):
        if old is not None:
            (root / name).write_bytes(old)
            (root / name).chmod(0o644)
        apply(root, plan(blobs, name, old, b"new").model_copy(update={"mode": mode}), blobs)
        assert (root / name).stat().st_mode & 0o777 == bits
        assert mode_of(root, name) == (mode or "100644")
    assert mode_of(root, "none") == "100644"


def test_stored_content_that_is_not_what_was_planned_is_refused(root, blobs):
    planned = plan(blobs, "a", None, b"new")
    (blobs.folder / planned.after).write_bytes(b"tampered")
    with pytest.raises(UserError, match="the stored content for a differs from the planned content"):
        apply(root, planned, blobs)
    assert files(root) == {}


CRASH = """
import os, resource, signal, sys
from pathlib import Path
sys.path.insert(0, sys.argv[4])
from test_edits import FolderBlobs
from thoughtforge.workspaces.events import EditPlanned
from thoughtforge.workspaces.changes import apply

root, blobs, log = Path(sys.argv[1]), FolderBlobs(Path(sys.argv[2])), Path(sys.argv[3])
planned = EditPlanned.model_validate_json(sys.stdin.read())
with log.open("w") as file:
    file.write(planned.model_dump_json())
    file.flush()
    os.fsync(file.fileno())
if sys.argv[5] == "before the edit":
    os.kill(os.getpid(), signal.SIGKILL)
if sys.argv[5] == "within the edit":
    # the kernel ends the process in the middle of writing the new content
    signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))
apply(root, planned, blobs)
os.kill(os.getpid(), signal.SIGKILL)
"""


def crash(root: Path, blobs: FolderBlobs, planned: EditPlanned, *, when: str) -> tuple[int, EditPlanned]:
    """A process that records the edit and dies; answers how, and what its log says."""
    log = blobs.folder / "log"
    here = str(Path(__file__).parent)
    argv = [sys.executable, "-c", CRASH, str(root), str(blobs.folder), str(log), here, when]
    env = {"PYTHONPATH": os.pathsep.join(sys.path)}
    ended = subprocess.run(argv, input=planned.model_dump_json(), text=True, env=env, check=False)
    return ended.returncode, EditPlanned.model_validate_json(log.read_text())


@pytest.mark.parametrize(
    ("when", "died_of", "between"),
    [
        ("before the edit", signal.SIGKILL, {"a/x": b"old" * 90}),
        ("within the edit", signal.SIGXFSZ, {f"a/{DRAFT}": b"n" * 100, "a/x": b"old" * 90}),
        ("after the edit", signal.SIGKILL, {"a/x": b"n" * 200}),
    ],
)
def test_a_process_killed_around_its_edit_leaves_one_that_is_brought_to_its_end(root, blobs, when, died_of, between):
    (root / "a").mkdir()
    (root / "a/x").write_bytes(b"old" * 90)
    code, logged = crash(root, blobs, plan(blobs, "a/x", b"old" * 90, b"n" * 200), when=when)
    assert (code, files(root)) == (-died_of, between)
    apply(root, logged, blobs)
    assert files(root) == {"a/x": b"n" * 200}
