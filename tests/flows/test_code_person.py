"""A person's repository is theirs: whatever comes of a task, one ref is added at the end and nothing else changes."""

from __future__ import annotations

import os
import shutil
import signal
from pathlib import Path
from typing import Any

import pytest

from flows.code_runs import CODE, TESTS, build, make_tally, replies, script
from flows.likeness import branch_of, changed, likeness, salvage_of
from harness import configure, git
from harness.place import Place, ended, running, until

HOOKS = (
    "post-checkout",
    "post-commit",
    "post-index-change",
    "pre-auto-gc",
    "pre-commit",
    "prepare-commit-msg",
    "reference-transaction",
)


def plant(place: Place) -> Path:
    """Programs a person's git would run, in every place that names one; each leaves a mark when it runs."""
    marks = place.person / "marks"
    marks.mkdir()
    program = place.person / "leave-a-mark"
    program.write_text(f"#!/bin/sh\necho x >> {marks}/ran\nexec cat\n")
    program.chmod(0o755)
    root = place.repository
    hooks = Path(git("rev-parse", "--git-path", "hooks", cwd=root).strip())
    for name in HOOKS:
        shutil.copy(program, root / hooks / name)
    settings = {
        "filter.mark.clean": program,
        "filter.mark.smudge": program,
        "filter.mark.required": "true",
        "core.fsmonitor": program,
        "core.sshCommand": program,
        "core.alternateRefsCommand": program,
        "diff.external": program,
        "diff.mark.textconv": program,
        "diff.mark.command": program,
        "merge.mark.driver": program,
        "commit.gpgSign": "true",
        "gpg.program": program,
        "credential.helper": program,
        "core.pager": program,
        "uploadpack.packObjectsHook": program,
    }
    for key, value in settings.items():
        git("config", key, str(value), cwd=root)
        git("config", "--file", str(place.person / ".gitconfig"), key, str(value), cwd=root)
    info = Path(git("rev-parse", "--git-path", "info/attributes", cwd=root).strip())
    (root / info).parent.mkdir(exist_ok=True)
    (root / info).write_text("* filter=mark diff=mark merge=mark\n")
    return marks


def busy(place: Place) -> None:
    """A person in the middle of their own work: a stash, something staged, something changed, something new."""
    root = place.repository
    (root / "tally" / "count.py").write_text("stashed\n")
    git("stash", cwd=root)
    (root / "staged.py").write_text("STAGED = 1\n")
    git("add", "staged.py", cwd=root)
    (root / "staged.py").write_text("STAGED = 2\n")
    (root / "tests" / "test_count.py").write_text("changed and not staged\n")
    (root / "tally" / "__init__.py").unlink()
    (root / "new.txt").write_text("not tracked\n")
    git("tag", "-a", "-m", "a tag", "v1", cwd=root)
    git("pack-refs", "--all", cwd=root)


def waiting_at(stage: str) -> dict[str, Any]:
    """The usual replies, but a stage that never gets one."""
    rules = replies()
    never = {"when": {"context": [f"^stage: {stage}$"]}, "delay": 600, "reply": "never said"}
    return {"never": never, **rules}


def salvaged(place: Place, path: str) -> str:
    """A file of the saved work."""
    return git("show", f"refs/thoughtforge/salvage/{place.task}:{path}", cwd=place.repository)


def test_delivering_adds_one_branch_and_changes_nothing_a_person_has(tmp_path: Path) -> None:
    place = make_tally(tmp_path)
    busy(place)
    marks = plant(place)
    before = likeness(place.repository)
    done = build(place)
    assert done.code == 0, done.out + done.err
    assert changed(before, likeness(place.repository)) == branch_of(place.task, git_dir="tally/.git")
    assert list(marks.iterdir()) == []
    branch = f"thoughtforge/{place.task}"
    assert git("diff", "--name-only", "main", branch, "--no-ext-diff", cwd=place.repository).split() == [
        "CHANGELOG",
        "tally/count.py",
        "tests/test_widest.py",
    ]
    git("status", cwd=place.repository)
    assert [path.name for path in marks.iterdir()] == ["ran"]  # the person's own git does run them


def test_until_the_end_nothing_changes_and_aborting_it_twice_keeps_the_work_under_a_ref(tmp_path: Path) -> None:
    place = make_tally(tmp_path)
    busy(place)
    marks = plant(place)
    script(place, waiting_at("deliver"))
    before = likeness(place.repository)
    args = ("start", "Add a gap", "--from-spec", str(place.person / "spec.yaml"), "--json")
    with running(place.spawn(*args)) as process:
        until(lambda: _asked(place, "deliver"), "the last stage")
        assert changed(before, likeness(place.repository)) == []
        assert place.run("abort", place.task).code == 0
        done = ended(process)
    assert (done.code, done.json["reason"]) == (1, "aborted"), done.err
    ref = f"refs/thoughtforge/salvage/{place.task}"
    assert list(done.json["refs"]) == [ref]
    expected = salvage_of(place.task, git_dir="tally/.git")
    assert changed(before, likeness(place.repository)) == expected
    first = likeness(place.repository)
    again = place.run("abort", place.task)
    assert (again.code, f"{ref} at {done.json['refs'][ref][:12]}" in again.out) == (0, True)
    assert changed(first, likeness(place.repository)) == []
    assert (salvaged(place, "tests/test_widest.py"), CODE in salvaged(place, "tally/count.py")) == (TESTS, True)
    assert list(marks.iterdir()) == []


def _asked(place: Place, stage: str) -> bool:
    tasks = place.home / "tasks"
    if not tasks.is_dir() or not [path for path in tasks.iterdir() if not path.name.startswith(".")]:
        return False
    return any(e["stage"] == stage for e in place.events("call_started"))


@pytest.fixture
def linked(tmp_path: Path) -> tuple[Place, Path]:
    """A linked worktree on no branch, the person's main checkout beside it."""
    place = make_tally(tmp_path)
    worktree = tmp_path / "linked"
    git("worktree", "add", "--detach", str(worktree), cwd=place.repository)
    shutil.rmtree(place.home)
    other = Place(worktree, place.person)
    script(other)
    return other, place.repository


def test_a_provider_that_fails_leaves_the_work_under_a_ref_also_in_a_linked_worktree(
    linked: tuple[Place, Path],
) -> None:
    place, main = linked
    marks = plant(place)
    rules = replies()
    del rules["hand_in_code"]
    script(place, rules)
    before = likeness(place.repository, main)
    done = build(place)
    assert (done.code, done.json["reason"]) == (1, "provider_failed")
    assert list(done.json["refs"]) == [f"refs/thoughtforge/salvage/{place.task}"]
    assert changed(before, likeness(place.repository, main)) == salvage_of(place.task, git_dir="tally/.git")
    assert CODE in salvaged(place, "tally/count.py")
    script(place)
    went_on = place.run("continue", place.task, "--json")
    assert went_on.code == 0, went_on.out + went_on.err
    expected = [*salvage_of(place.task, git_dir="tally/.git"), *branch_of(place.task, git_dir="tally/.git")]
    assert changed(before, likeness(place.repository, main)) == sorted(expected)
    assert list(marks.iterdir()) == []


def test_a_killed_task_that_is_aborted_with_nobody_running_it_is_saved_by_the_command(tmp_path: Path) -> None:
    place = make_tally(tmp_path)
    busy(place)
    script(place, waiting_at("deliver"))
    before = likeness(place.repository)
    args = ("start", "Add a gap", "--from-spec", str(place.person / "spec.yaml"))
    with running(place.spawn(*args)) as process:
        until(lambda: _asked(place, "deliver"), "the last stage")
        os.kill(process.pid, signal.SIGKILL)
    assert changed(before, likeness(place.repository)) == []
    done = place.run("abort", place.task)
    ref = f"refs/thoughtforge/salvage/{place.task}"
    assert (done.code, f"the repository keeps its files: {ref}" in done.out) == (0, True), done.out + done.err
    assert changed(before, likeness(place.repository)) == salvage_of(place.task, git_dir="tally/.git")
    assert CODE in salvaged(place, "tally/count.py")
    assert place.run("verify", place.task).code == 0
    assert place.run("abort", place.task).code == 0
    assert len(place.events("ref_written")) == 1


def test_a_task_that_wrote_nothing_saves_nothing(tmp_path: Path) -> None:
    place = make_tally(tmp_path)
    script(place, {})
    configure(place.repository, providers={"script": {"kind": "scripted", "playbook": str(_empty(place))}})
    before = likeness(place.repository)
    assert build(place).json["reason"] == "provider_failed"
    assert place.run("abort", place.task).code == 0
    assert changed(before, likeness(place.repository)) == []


def _empty(place: Place) -> Path:
    path = place.person / "nothing.yaml"
    path.write_text('{"rules": [{"when": {"context": "never"}, "reply": "nothing"}]}')
    return path
