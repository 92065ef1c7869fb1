"""A repository that was copied, moved or linked: a task acts where the person stands, or is refused with what to do."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from flows.code_runs import CODE, build, make_tally
from flows.likeness import changed, likeness
from flows.thoughts import Garden, agreed, built, make_garden, polished
from harness import git
from harness.place import Place, make_place


@pytest.fixture(scope="module")
def delivered(tmp_path_factory: pytest.TempPathFactory) -> Place:
    """The small task, delivered once; tests work on copies of it."""
    place = make_tally(tmp_path_factory.mktemp("delivered"))
    done = build(place)
    assert done.code == 0, done.out + done.err
    return place


@pytest.fixture(scope="module")
def resting(tmp_path_factory: pytest.TempPathFactory) -> Place:
    """The small task while it waits for a person, with its tests already written."""
    place = make_tally(tmp_path_factory.mktemp("resting"))
    done = build(place, "--approve", "red")
    assert done.code == 3, done.out + done.err
    return place


def copy_of(place: Place, folder: Path) -> Place:
    """The whole repository as `cp -a` copies it, tasks and all; the same person."""
    shutil.copytree(place.repository, folder / "copy", symlinks=True)
    return Place(folder / "copy", place.person)


def refs(repository: Path) -> list[str]:
    return git("for-each-ref", "--format=%(refname) %(objectname)", cwd=repository).splitlines()


@pytest.mark.parametrize("command", ["apply", "discard"])
def test_in_a_copy_the_original_is_not_touched_and_both_paths_are_named(
    delivered: Place, tmp_path: Path, command: str
) -> None:
    copy = copy_of(delivered, tmp_path)
    before, log = likeness(delivered.repository, copy.repository), (copy.folder / "events.jsonl").read_bytes()
    done = copy.run(command, "last", "--json")
    assert done.code == 2
    task, there = copy.task, delivered.repository
    what = f"task {task} belongs to the repository {there}; you are in {copy.repository}. Nothing was changed"
    go = f"Go there: cd {there} && thoughtforge {command} {task}"
    instead = (
        f"To continue it in this repository instead: thoughtforge attach {task}, then thoughtforge {command} {task}"
    )
    assert done.json["error"] == {"what": what, "do": f"{go}. {instead}", "details": []}
    assert changed(before, likeness(delivered.repository, copy.repository)) == []
    assert (copy.folder / "events.jsonl").read_bytes() == log


def test_in_a_copy_everything_that_only_reads_works(delivered: Place, tmp_path: Path) -> None:
    copy = copy_of(delivered, tmp_path)
    for args in (("diff", "last"), ("status", "last"), ("verify", "last"), ("inspect", "last"), ("cost", "last")):
        done = copy.run(*args)
        assert done.code == 0, (args, done.err)
    assert CODE.strip().splitlines()[0] in copy.run("diff", "last").out


def test_a_task_attached_to_the_copy_acts_on_the_copy_alone_and_that_is_on_record(
    delivered: Place, tmp_path: Path
) -> None:
    copy = copy_of(delivered, tmp_path)
    before = likeness(delivered.repository)
    attached = copy.run("attach", "last", "--json").json
    paths = {"before": str(delivered.repository), "repository": str(copy.repository)}
    assert attached == {"ok": True, "exit_code": 0, "task": copy.task, **paths}
    (moved,) = copy.events("task_moved")
    assert {key: moved[key] for key in paths} == paths
    assert copy.run("status", "last", "--json").json["state"] == "done"
    assert copy.run("apply", "last", "--json").json["how"] == "fast_forward"
    assert CODE in (copy.repository / "tally" / "count.py").read_text()
    assert copy.run("discard", "last").code == 0
    assert copy.run("verify", "last").code == 0
    assert [ref for ref in refs(copy.repository) if "thoughtforge" in ref] == []
    assert changed(before, likeness(delivered.repository)) == []
    assert copy.run("attach", "last").out == f"{copy.task} belongs to {copy.repository} already\n"


def test_a_moved_repository_is_told_how_to_go_on_and_then_goes_on(delivered: Place, tmp_path: Path) -> None:
    copy = copy_of(delivered, tmp_path)
    copy.run("attach", "last")
    moved = Place(tmp_path / "elsewhere", copy.person)
    copy.repository.rename(moved.repository)
    done = moved.run("apply", "last", "--json")
    task = moved.task
    what = f"task {task} belongs to the repository {copy.repository}, which is gone; you are in {moved.repository}"
    do = f"If you moved the repository here: thoughtforge attach {task}, then thoughtforge apply {task}"
    told = done.json["error"]
    assert (done.code, told["what"], told["do"]) == (2, f"{what}. Nothing was changed", do)
    assert moved.run("attach", "last").code == 0
    assert moved.run("apply", "last").code == 0
    assert CODE in (moved.repository / "tally" / "count.py").read_text()


def test_another_path_to_the_same_repository_is_the_same_repository(delivered: Place, tmp_path: Path) -> None:
    copy = copy_of(delivered, tmp_path)
    copy.run("attach", "last")
    link = tmp_path / "link"
    link.symlink_to(copy.repository, target_is_directory=True)
    linked = Place(link / "tally", copy.person)
    assert linked.run("apply", "last", "--json").json["how"] == "fast_forward"
    moved = Place(tmp_path / "real", copy.person)
    copy.repository.rename(moved.repository)
    copy.repository.symlink_to(moved.repository, target_is_directory=True)
    assert moved.run("discard", "last").code == 0


@pytest.mark.parametrize("linked", [True, False])
def test_a_folder_whose_git_leads_to_the_repository_is_not_the_repository(
    delivered: Place, tmp_path: Path, linked: bool
) -> None:
    stray = Place(tmp_path / "stray", delivered.person)
    shutil.copytree(delivered.repository, stray.repository, ignore=shutil.ignore_patterns(".git", ".thoughtforge"))
    there = delivered.repository / ".git"
    if linked:
        (stray.repository / ".git").symlink_to(there, target_is_directory=True)
    else:
        (stray.repository / ".git").write_text(f"gitdir: {there}\n")
    before, files = refs(delivered.repository), sorted(stray.repository.rglob("*"))
    for command in ("apply", "discard"):
        done = stray.run(command, delivered.task, THOUGHTFORGE_HOME=str(delivered.home))
        assert (done.code, "belongs to the repository" in done.err) == (2, True), done.out + done.err
    assert (refs(delivered.repository), sorted(stray.repository.rglob("*"))) == (before, files)


def test_in_a_linked_worktree_the_branch_that_is_checked_out_there_gets_the_result(
    delivered: Place, tmp_path: Path
) -> None:
    copy = copy_of(delivered, tmp_path)
    copy.run("attach", "last")
    home = {"THOUGHTFORGE_HOME": str(copy.home)}
    tree, main = Place(tmp_path / "tree", copy.person), git("rev-parse", "main", cwd=copy.repository)
    git("worktree", "add", "--quiet", "-b", "side", str(tree.repository), cwd=copy.repository)
    stray = Place(tmp_path / "stray", copy.person)
    shutil.copytree(tree.repository, stray.repository)
    before = likeness(copy.repository, tree.repository)
    assert stray.run("apply", "last", **home).code == 2
    assert changed(before, likeness(copy.repository, tree.repository)) == []
    assert tree.run("apply", "last", "--json", **home).json["branch"] == "side"
    assert CODE in (tree.repository / "tally" / "count.py").read_text()
    assert CODE not in (copy.repository / "tally" / "count.py").read_text()
    assert git("rev-parse", "main", cwd=copy.repository) == main


def test_one_home_for_several_repositories_lets_no_command_reach_into_another_one(
    delivered: Place, tmp_path: Path
) -> None:
    copy = copy_of(delivered, tmp_path)
    copy.run("attach", "last")
    other = make_place(tmp_path / "other")
    home = {"THOUGHTFORGE_HOME": str(copy.home)}
    before = likeness(copy.repository, other.repository)
    for place in (other, Place(tmp_path, copy.person)):
        for command in ("apply", "discard", "continue"):
            done = place.run(command, copy.task, "--json", **home)
            go = f"Go there: cd {copy.repository} && thoughtforge {command} {copy.task}"
            assert (done.code, done.json["error"]["do"]) == (2, go)
    refused = other.run("attach", copy.task, "--json", **home)
    assert refused.code == 2
    assert "does not have commit" in refused.json["error"]["what"]
    assert changed(before, likeness(copy.repository, other.repository)) == []


def test_in_a_copy_a_task_neither_goes_on_nor_saves_its_work_in_the_original(resting: Place, tmp_path: Path) -> None:
    copy = copy_of(resting, tmp_path)
    before = likeness(resting.repository)
    assert copy.run("approve", "last").code == 0
    assert copy.run("continue", "last").code == 2
    ended = copy.run("abort", "last", "--json").json
    note = f"its files stay in its workspace: you are not in its repository, {resting.repository}"
    assert (ended["refs"], ended["note"]) == ({}, note)
    prune = ("prune", "--older-than", "0", "--halted", "--yes")
    kept = copy.run(*prune, "--json").json
    why = f"its work exists only here and you are not in its repository, {resting.repository}"
    assert (kept["removed"], kept["kept"]) == ([], {copy.task: why})
    assert changed(before, likeness(resting.repository)) == []
    task = copy.task
    assert copy.run("attach", "last").code == 0
    assert copy.run(*prune, "--json").json["removed"] == [task]
    assert git("show", f"refs/thoughtforge/salvage/{task}:tests/test_widest.py", cwd=copy.repository)
    assert changed(before, likeness(resting.repository)) == []


def test_in_a_copy_that_is_attached_the_task_goes_on_to_a_branch_of_the_copy(resting: Place, tmp_path: Path) -> None:
    copy = copy_of(resting, tmp_path)
    before = likeness(resting.repository)
    assert copy.run("approve", "last").code == 0
    assert copy.run("attach", "last").code == 0
    done = copy.run("continue", "last", "--json")
    assert (done.code, done.json["reason"]) == (0, "done"), done.out + done.err
    assert [ref.split()[0] for ref in refs(copy.repository)] == [
        "refs/heads/main",
        f"refs/heads/thoughtforge/{copy.task}",
    ]
    assert changed(before, likeness(resting.repository)) == []


def test_a_thought_in_a_copied_home_works_in_the_project_beside_it(tmp_path: Path) -> None:
    first = make_garden(tmp_path / "first")
    first.script(*agreed(), *built(), *polished())
    first.begin()
    shutil.copytree(tmp_path / "first", tmp_path / "second", symlinks=True)
    second = Garden(tmp_path / "second" / "desk", tmp_path / "second" / "person")
    before = likeness(first.home)
    told = second.json("confirm", "last")
    assert told["project"] == str(second.project)
    assert [event["repository"] for event in second.events("task_moved")] == [str(second.project)]
    assert len(second.log()) > len(first.log())
    assert changed(before, likeness(first.home)) == []
