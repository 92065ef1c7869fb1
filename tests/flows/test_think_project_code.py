"""The files of a person and those of the work meet in a thought's project: after a kill, and under the same name."""

from __future__ import annotations

import os
import shutil
import signal
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from flows.code_thoughts import BAD, GOOD, WISH, begun, building, create, done, edit, reviewed
from flows.crash_support import SITE
from flows.test_think_crash import Outcome, outcome, prepared, repeated
from flows.thoughts import Garden, make_garden
from thoughtforge.store.verify import verify
from thoughtforge.workspaces.changes import DRAFT

AGREED = ["Tests", "Specification and constraints", "Intent", "Begin"]
THEIRS = "Edits by a person"
BUILT = ["Review 2", "Review 1", "Code"]
LAST = [*building(edit("greeter.py", "Bye", "Hello"), done("greeter.py")), reviewed()]
"""What ends a build that halted."""


@pytest.fixture
def garden(tmp_path: Path) -> Garden:
    """A fresh place outside any repository."""
    return make_garden(tmp_path)


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Outcome]:
    """A run of each kind that nobody kills."""

    @cache
    def whole(kind: str) -> Outcome:
        garden = prepared(tmp_path_factory.mktemp(kind), kind)
        return outcome(garden, garden.json("think", "notes.md"))

    return whole


@pytest.mark.parametrize(
    ("kind", "at"),
    [
        ("plan", "os.rename spec.md 1 before"),
        ("plan", "os.rename plan.md 1 before"),
        ("plan", "os.rename plan.md 2 before"),  # its fix
        ("plan", "os.rename plan.md 2 after"),
        ("plan", "os.rename polish_log.md 1 before"),
        ("code", "os.rename test_greeter.py 2 before"),  # the first is the workspace's
        ("code", "os.rename greeter.py 3 before"),
        ("code", "os.rename greeter.py 5 before"),  # its fix
        ("code", "os.rename greeter.py 5 after"),
    ],
)
def test_a_thought_killed_while_a_file_goes_into_its_project_ends_the_same(
    kind: str, at: str, undisturbed: Callable[[str], Outcome], tmp_path: Path
) -> None:
    garden = prepared(tmp_path, kind)
    killed = garden.run("think", "notes.md", "--json", PYTHONPATH=str(SITE), CRASH=at)
    drafts = [str(path.relative_to(garden.project)) for path in garden.project.rglob(DRAFT)]
    left = [f".git/{DRAFT}"] if at.endswith("before") else []
    assert (killed.code, drafts) == (-signal.SIGKILL, left), killed.err
    told = garden.json("resume", "last")
    assert (outcome(garden, told), repeated(garden)) == (undisturbed(kind), 0)
    assert garden.git("status", "--porcelain") == ""


def test_a_draft_that_lies_among_the_files_of_a_project_is_nobodys_edit(garden: Garden) -> None:
    halted(garden)
    (garden.project / DRAFT).write_text("half of a fi")
    assert garden.json("resume", "last")["phase"] == "done"
    assert (garden.log(), garden.git("status", "--porcelain")) == ([*BUILT, *AGREED], "")


def halted(garden: Garden) -> None:
    """A build whose agent made two files and then had no more to say; the next agent ends it."""
    garden.script(*begun(), *building(create("greeter.py", BAD), create("own", "of the agent\n")))
    assert garden.json("think", garden.note(WISH))["halt_reason"] == "agent_failed"
    garden.script(*LAST)


def taken_in(garden: Garden, path: str) -> None:
    """A file of the person is in the workspace too, and the build has halted again."""
    place = garden.project / path
    place.parent.mkdir(exist_ok=True)
    place.write_text("of the person\n")
    garden.script(*begun())
    assert garden.json("resume", "last")["halt_reason"] == "agent_failed"
    garden.script(*LAST)


def turn(garden: Garden, old: str, new: str) -> None:
    """The person has another file, whose name is that of a folder of the old one or the other way round."""
    first = garden.project / Path(old).parts[0]
    if first.is_dir():
        shutil.rmtree(first)
    first.unlink(missing_ok=True)
    (garden.project / new).parent.mkdir(exist_ok=True)
    (garden.project / new).write_text("of the person, another one\n")


@pytest.mark.parametrize(
    ("old", "new", "files"),
    [("tool", "tool/a.txt", ["own", "tool/a.txt"]), ("tool/a.txt", "tool", ["own", "tool"])],
    ids=["a file into a folder", "a folder into a file"],
)
@pytest.mark.parametrize("loses", ["nothing", "the workspace"])
def test_what_a_person_turns_in_a_halted_build_is_taken_over_whatever_kills_it(
    garden: Garden, old: str, new: str, files: list[str], loses: str
) -> None:
    halted(garden)
    taken_in(garden, old)
    turn(garden, old, new)
    at = f"os.rename {Path(new).name} 1 before" if loses == "nothing" else "os.rename greeter.py 1 before"
    killed = garden.run("resume", "last", "--json", PYTHONPATH=str(SITE), CRASH=at)
    assert killed.code == -signal.SIGKILL, killed.err
    if loses == "the workspace":
        for name in ("workspace", "workspace.git"):
            shutil.rmtree(garden.record / name)
    told = garden.json("resume", "last")
    assert (told["phase"], garden.log()) == ("done", [*BUILT, THEIRS, THEIRS, *AGREED]), told
    assert made_besides(garden) == files
    assert (garden.project / new).read_text() == "of the person, another one\n"
    assert (garden.git("status", "--porcelain"), verify(garden.record).damage) == ("", ())


@pytest.mark.parametrize("place", ["own", "own/a.txt"])
def test_a_file_of_the_agent_gives_way_to_a_person_who_uses_its_name(garden: Garden, place: str) -> None:
    halted(garden)
    turn(garden, "own", place)
    told = garden.json("resume", "last")
    assert (told["phase"], garden.log(), made_besides(garden)) == ("done", [*BUILT, THEIRS, *AGREED], [place]), told
    assert (garden.project / place).read_text() == "of the person, another one\n"


def made_besides(garden: Garden) -> list[str]:
    """The files of the newest commit that are not those of every greeter."""
    usual = ("docs/", "resources/", "test_greeter.py", "greeter.py")
    return [path for path in garden.git("ls-tree", "-r", "--name-only", "HEAD").split() if not path.startswith(usual)]


def link(place: Path, outside: Path) -> str:
    place.symlink_to(outside)
    return "a symbolic link"


def folder(place: Path, outside: Path) -> str:
    place.mkdir()
    (place / "notes").write_text("precious\n")
    return "a folder"


def pipe(place: Path, outside: Path) -> str:
    os.mkfifo(place)
    return "no plain file"


@pytest.mark.parametrize("make", [link, folder, pipe])
def test_what_git_ignores_and_is_no_file_stays_where_the_work_has_a_file_of_its_name(
    garden: Garden, make: Callable[[Path, Path], str]
) -> None:
    garden.script(*begun())
    garden.json("think", garden.note(WISH))
    outside, place = garden.folder / "mine.py", garden.project / "local.py"
    outside.write_text("precious = 1\n")
    with (garden.project / ".git" / "info" / "exclude").open("a") as ignored:
        ignored.write("local.py\n")
    kind = make(place, outside)
    before = place.lstat()
    garden.script(
        *building(create("local.py", '"""Local."""\n'), create("greeter.py", GOOD), done("greeter.py")), reviewed()
    )
    told = garden.json("resume", "last")
    why = f"{place} is {kind}, and the work puts local.py there; move it away, then continue"
    assert (told["halt_reason"], told["detail"]) == ("project_busy", why)
    assert (place.lstat(), outside.read_text(), garden.log()) == (before, "precious = 1\n", AGREED)
    place.rename(garden.folder / "moved")
    assert garden.json("continue", "last")["phase"] == "done"
    assert (place.read_text(), garden.log()) == ('"""Local."""\n', [*BUILT, *AGREED])


def test_an_agent_s_edit_of_a_person_s_version_stays_when_the_build_goes_on_again(garden: Garden) -> None:
    garden.script(*begun(), *building(create("greeter.py", BAD)))
    garden.json("think", garden.note(WISH))
    (garden.project / "greeter.py").write_text(BAD + "# theirs\n")
    garden.script(*building(edit("greeter.py", "Bye", "Hello")))
    assert garden.json("resume", "last")["phase"] == "halted"
    garden.script(*building(done("greeter.py")), reviewed())
    assert garden.json("resume", "last")["phase"] == "done"
    assert (garden.project / "greeter.py").read_text() == GOOD + "# theirs\n"
    assert garden.log().count(THEIRS) == 1
