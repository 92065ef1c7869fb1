"""A workspace that is lost or changed between two runs is made again from the record, or the task says why it cannot.

Each task is killed with SIGKILL, its workspace is damaged, and it goes on to the tree of a run nobody disturbed.
"""

from __future__ import annotations

import shutil
import signal
import zlib
from collections.abc import Callable
from itertools import cycle
from pathlib import Path
from typing import Any

import pytest

from flows.code_runs import ASKED, build, make_tally
from flows.crash_support import SITE
from harness import Done, git
from harness.place import Place
from thoughtforge.store.verify import verify

Event = dict[str, Any]
LIFE = 9
"""Events a process lives for: one to start, one that tells of the damage, and enough to get on."""
MOST_LIVES = 40


def doomed(place: Place, *args: str, after: int) -> Done:
    """Run the command until it has put so many events on record."""
    done = place.run(*args, "--json", PYTHONPATH=str(SITE), CRASH=f"os.rename head {after} after")
    assert done.code in (0, -signal.SIGKILL), done.out + done.err
    return done


def delivered(place: Place) -> str:
    return git("rev-parse", f"thoughtforge/{place.task}^{{tree}}", cwd=place.repository).strip()


def history(place: Place) -> list[str]:
    """The commits of the branch on top of the base, oldest first."""
    return git("rev-list", "--reverse", f"main..thoughtforge/{place.task}", cwd=place.repository).split()


def told(place: Place) -> list[str]:
    return [event["text"] for event in place.events("warning_given") if event["code"] == "workspace_rebuilt"]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Place:
    """A run nobody disturbed."""
    place = make_tally(tmp_path_factory.mktemp("whole"))
    done = build(place)
    assert done.code == 0, done.out + done.err
    return place


def lose_all(place: Place) -> None:
    shutil.rmtree(place.folder / "workspace", ignore_errors=True)
    shutil.rmtree(place.folder / "workspace.git", ignore_errors=True)


def lose_all_and_base(place: Place) -> None:
    lose_all(place)
    shutil.rmtree(place.folder / "base.git", ignore_errors=True)


def lose_clone(place: Place) -> None:
    shutil.rmtree(place.folder / "workspace.git", ignore_errors=True)


def lose_files(place: Place) -> None:
    shutil.rmtree(place.folder / "workspace", ignore_errors=True)


def change_one(place: Place) -> None:
    if (place.folder / "workspace").is_dir():
        (place.folder / "workspace/tally/count.py").write_text("from outside\n")


def lose_index(place: Place) -> None:
    (place.folder / "workspace.git/index").unlink(missing_ok=True)


def spoil_objects(place: Place) -> None:
    """Everything the task itself put into its clone is gone, and git does not know it any more."""
    for folder in (place.folder / "workspace.git/objects").glob("??"):
        shutil.rmtree(folder)


def spoil_head(place: Place) -> None:
    (place.folder / "workspace.git/HEAD").write_text("nothing git can read\n")


DAMAGE: list[Callable[[Place], None]] = [
    lose_all,
    lose_clone,
    lose_files,
    change_one,
    lose_index,
    spoil_objects,
    spoil_head,
    lose_all_and_base,
]


@pytest.mark.parametrize("first", range(0, len(DAMAGE), 4), ids=lambda n: DAMAGE[n].__name__)
def test_damaged_again_and_again_it_goes_on_to_the_same_tree(whole: Place, tmp_path: Path, first: int) -> None:
    place = make_tally(tmp_path)
    doomed(place, "start", ASKED, "--from-spec", str(place.person / "spec.yaml"), after=LIFE)
    damages = cycle([*DAMAGE[first:], *DAMAGE[:first]])
    for _ in range(MOST_LIVES):
        next(damages)(place)
        done = doomed(place, "continue", place.task, after=LIFE)
        if done.code == 0:
            break
    assert done.code == 0, place.events()[-5:]
    assert (delivered(place), verify(place.folder).damage) == (delivered(whole), ())
    made = {event["stage"]: event["commit"] for event in place.events("commit_made")}
    assert history(place) == list(made.values())
    assert len(told(place)) > 2


def in_red(event: Event) -> bool:
    return event["type"] == "action_taken" and event["stage"] == "red"


def between_red_and_green(event: Event) -> bool:
    return event["type"] == "stage_passed" and event["stage"] == "red"


def in_green(event: Event) -> bool:
    return event["type"] == "measured" and event["stage"] == "green" and event["what"] == "edit"


def after_the_exit_of_green(event: Event) -> bool:
    return event["type"] == "measured" and event["stage"] == "green" and event["what"] == "exit"


def before_refactor(event: Event) -> bool:
    return event["type"] == "stage_passed" and event["stage"] == "green"


def before_deliver(event: Event) -> bool:
    return event["type"] == "stage_started" and event["stage"] == "deliver"


def done_but_not_handed_over(event: Event) -> bool:
    return event["type"] == "pipeline_exited"


PLACES = [
    in_red,
    between_red_and_green,
    in_green,
    after_the_exit_of_green,
    before_refactor,
    before_deliver,
    done_but_not_handed_over,
]


def killed_at(whole: Place, folder: Path, moment: Callable[[Event], bool]) -> Place:
    """A task killed at a place of its run."""
    place = make_tally(folder)
    after = next(event["seq"] for event in whole.events() if moment(event))
    doomed(place, "start", ASKED, "--from-spec", str(place.person / "spec.yaml"), after=after)
    assert moment(place.events()[-1])
    return place


@pytest.mark.parametrize("moment", PLACES, ids=lambda moment: moment.__name__)
def test_lost_as_a_whole_it_comes_back_with_the_same_commits(
    whole: Place, tmp_path: Path, moment: Callable[[Event], bool]
) -> None:
    place = killed_at(whole, tmp_path, moment)
    before = [event["commit"] for event in place.events("commit_made")]
    lose_all(place)
    done = place.run("continue", place.task, "--json")
    assert (done.code, delivered(place)) == (0, delivered(whole)), done.out + done.err
    assert history(place)[: len(before)] == before
    assert told(place) == ["the workspace was lost; the engine rebuilt it from the record"]


def test_what_the_record_cannot_give_back_is_refused_and_nothing_goes_on(whole: Place, tmp_path: Path) -> None:
    place = killed_at(whole, tmp_path, before_refactor)
    lose_all(place)
    edit = next(event for event in place.events("edit_planned") if event["path"] == "tally/count.py")
    blob = place.folder / "blobs" / edit["after"]
    content = blob.read_bytes()
    blob.unlink()
    calls = len(place.events("call_started"))
    done = place.run("continue", place.task, "--json")
    assert (done.code, done.json["reason"]) == (2, "configuration"), done.out + done.err
    assert "is lost and cannot be rebuilt from its record" in done.json["detail"]
    assert f"tally/count.py, step {edit['step']}: " in done.json["detail"]
    assert len(place.events("call_started")) == calls
    assert git("for-each-ref", "refs/heads/thoughtforge", "refs/thoughtforge", cwd=place.repository) == ""
    blob.write_bytes(content)
    again = place.run("continue", place.task, "--json")
    assert (again.code, delivered(place)) == (0, delivered(whole)), again.out + again.err


def test_a_change_from_outside_is_kept_aside(whole: Place, tmp_path: Path) -> None:
    place = killed_at(whole, tmp_path, before_refactor)
    change_one(place)
    assert place.run("continue", place.task, "--json").code == 0
    assert (place.folder / "workspace.aside/tally/count.py").read_text() == "from outside\n"
    told_of = "files of the workspace differed from the record and were restored: tally/count.py"
    assert told(place) == [f"{told_of}; what was there is in workspace.aside"]


def test_a_base_commit_the_repository_no_longer_has_is_kept_with_the_task(whole: Place, tmp_path: Path) -> None:
    place = killed_at(whole, tmp_path, before_refactor)
    git("checkout", "-q", "--orphan", "other", cwd=place.repository)
    git("commit", "-q", "-m", "Anew", cwd=place.repository)
    git("branch", "-D", "-q", "main", cwd=place.repository)
    git("reflog", "expire", "--expire=now", "--all", cwd=place.repository)
    git("gc", "-q", "--prune=now", cwd=place.repository)
    lose_all(place)
    done = place.run("continue", place.task, "--json")
    assert (done.code, delivered(place)) == (0, delivered(whole)), done.out + done.err


def test_a_task_that_is_aborted_after_its_workspace_was_lost_saves_what_it_had(whole: Place, tmp_path: Path) -> None:
    place = killed_at(whole, tmp_path, before_refactor)
    lose_all(place)
    assert place.run("abort", place.task).code == 0
    (green,) = [event["tree"] for event in place.events("commit_made") if event["stage"] == "green"]
    saved = git("rev-parse", f"refs/thoughtforge/salvage/{place.task}^{{tree}}", cwd=place.repository).strip()
    assert saved == green


def test_a_repository_that_is_gone_is_named(whole: Place, tmp_path: Path) -> None:
    place = killed_at(whole, tmp_path, in_red)
    home = Path(shutil.copytree(place.home, tmp_path / "home"))
    shutil.rmtree(place.repository)
    place.repository.parent.joinpath("elsewhere").mkdir()
    elsewhere = Place(place.repository.parent / "elsewhere", place.person)
    done = elsewhere.run("continue", "last", "--json", THOUGHTFORGE_HOME=str(home))
    assert done.code == 2
    assert f"belongs to the repository {place.repository}, which is gone" in done.json["error"]["what"]


def test_an_object_that_was_changed_gets_into_no_file_and_moving_it_away_lets_the_task_go_on(
    whole: Place, tmp_path: Path
) -> None:
    place = make_tally(tmp_path)
    doomed(place, "start", ASKED, "--from-spec", str(place.person / "spec.yaml"), after=LIFE)
    lose_files(place)
    oid = git("rev-parse", "main:tally/count.py", cwd=place.repository).strip()
    kept = place.folder / "base.git" / "objects" / oid[:2] / oid[2:]
    body = zlib.decompress(kept.read_bytes()).partition(b"\0")[2] + b"EVIL = 1\n"
    kept.unlink()  # it shares its bytes with the person's own object
    kept.write_bytes(zlib.compress(b"blob %d\0%s" % (len(body), body)))
    done = place.run("continue", place.task)
    assert (done.code, "were changed, not as recorded: tally/count.py" in done.out) == (2, True), done.out + done.err
    assert not (place.folder / "workspace").exists()
    for name in ("workspace.git", "base.git"):
        (place.folder / name).rename(tmp_path / name)
    assert place.run("continue", place.task).code == 0
    assert delivered(place) == delivered(whole)
