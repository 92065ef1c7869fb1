"""Repositories as they are: none, empty, dirty, with submodules, with files nobody should read. Nothing is touched."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from harness import REQUEST, configure, git, task_ids, thoughtforge
from harness.place import ANALYSIS, READ_REPORT, Place, demo_reply, make_place


def snapshot(root: Path) -> dict[str, str]:
    """Every file outside the home, git's own included: kind, mode and content."""
    found: dict[str, str] = {}
    for path in sorted(root.rglob("*")):
        name = str(path.relative_to(root))
        if name.split("/")[0] == ".thoughtforge" or (path.is_dir() and not path.is_symlink()):
            continue
        body = path.readlink().as_posix() if path.is_symlink() else hashlib.sha256(path.read_bytes()).hexdigest()
        found[name] = f"{path.lstat().st_mode:o} {path.lstat().st_mtime_ns} {body}"
    return found


def test_outside_a_repository_and_before_the_first_commit_there_is_a_clear_error(tmp_path: Path) -> None:
    folder, person = tmp_path / "plain", tmp_path / "person"
    folder.mkdir()
    person.mkdir()
    outside = thoughtforge("design", REQUEST, "--json", cwd=folder, home=person)
    assert (outside.code, outside.json["error"]["what"]) == (2, f"{folder} is not inside a git repository")
    git("init", "-q", cwd=folder)
    configure(folder)
    empty = thoughtforge("design", REQUEST, "--json", cwd=folder, home=person)
    assert empty.code == 2
    assert "commit" in empty.json["error"]["what"]
    assert task_ids(folder) == []


def test_a_dirty_tree_is_allowed_named_and_never_touched(place: Place) -> None:
    root = place.repository
    (root / "README.md").write_text("# changed but not staged\n")
    (root / "staged.py").write_text("staged = True\n")
    git("add", "staged.py", cwd=root)
    (root / "untracked.txt").write_text("mine\n")
    (root / "shelf" / "items.py").unlink()
    before = snapshot(root)
    status = git("--no-optional-locks", "status", "--porcelain", cwd=root)
    done = place.design()
    assert done.code == 0
    assert snapshot(root) == before
    assert git("--no-optional-locks", "status", "--porcelain", cwd=root) == status
    (warning,) = done.json["warnings"]
    assert warning.startswith("the task ignores uncommitted changes and leaves them alone: ")
    assert all("staged" not in context and "changed but" not in context for context in place.contexts())


def test_the_notes_of_a_new_task_are_printed_for_people_too(place: Place) -> None:
    (place.repository / "README.md").write_text("# changed\n")
    done = place.run("design", REQUEST, "--max-steps", "0")
    assert "! the task ignores uncommitted changes and leaves them alone: " in done.err
    assert "README.md" in done.err


def test_a_submodule_is_named_and_not_read(tmp_path: Path) -> None:
    inner = tmp_path / "inner"
    inner.mkdir()
    git("init", "-q", "-b", "main", cwd=inner)
    (inner / "secret_plan.py").write_text("INNER = 1\n")
    git("add", ".", cwd=inner)
    git("commit", "-q", "-m", "Inner", cwd=inner)
    place = make_place(tmp_path)
    git("-c", "protocol.file.allow=always", "submodule", "add", "-q", str(inner), "vendored", cwd=place.repository)
    git("commit", "-q", "-m", "A submodule", cwd=place.repository)
    place.script({"when": {"context": ["^stage: analyze$", "none yet"]}, "reply": read("vendored")}, BEGIN)
    done = place.design("--through", "analyze")
    assert done.code == 0
    assert "the task does not read submodules: vendored" in done.json["warnings"]
    first = [e for e in place.events("action_taken") if e["stage"] == "analyze"][0]
    assert "a submodule at commit" in first["summary"]
    assert all("secret_plan" not in context for context in place.contexts())


BEGIN = {"when": {"context": "^stage: analyze$", "not": "path=shelf/"}, "reply": demo_reply(READ_REPORT)}


def read(path: str) -> dict[str, object]:
    """An agent that wants to read a file."""
    return {"thought": "What is in there?", "tool": "read_file", "params": {"path": path}}


@pytest.mark.parametrize(
    ("name", "data", "said"),
    [
        (
            "huge.txt",
            b"a line of a huge file\n" * 200_000,
            "huge.txt is a large file of 4,400,000 bytes: only its beginning and end are shown.",
        ),
        (
            "picture.png",
            b"\x89PNG\r\n\x00\x00" + bytes(range(256)) * 40,
            "picture.png is a binary file of 10,248 bytes, not shown.",
        ),
        (
            "latin.txt",
            "Käse und Brötchen\n".encode("latin-1") * 3,
            "latin.txt is not UTF-8: undecodable bytes are shown as \ufffd.",
        ),
    ],
)
def test_files_that_are_no_plain_text_are_handed_over_with_a_note(
    place: Place, name: str, data: bytes, said: str
) -> None:
    (place.repository / name).write_bytes(data)
    git("add", ".", cwd=place.repository)
    git("commit", "-q", "-m", "An odd file", cwd=place.repository)
    place.script({"when": {"context": ["^stage: analyze$", "none yet"]}, "reply": read(name)}, BEGIN)
    assert place.design("--through", "analyze").code == 0
    first = [e for e in place.events("action_taken") if e["stage"] == "analyze"][0]
    output = place.blob(first["output"])
    assert (first["outcome"], said in output) == ("ok", True), output[:200]
    assert max(e["context_tokens"] for e in place.events("call_started")) <= 8_000
    assert place.run("verify").code == 0


def test_the_analysis_of_the_demonstration_names_only_files_that_exist(place: Place) -> None:
    paths = [file["path"] for file in demo_reply(ANALYSIS)["params"]["artifact"]["files"]]
    assert [path for path in paths if not (place.repository / path).is_file()] == []
