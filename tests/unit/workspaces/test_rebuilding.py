"""Whatever happens to a workspace, opening it gives the files its record names; or it says what the record lacks."""

import hashlib
import shutil
from functools import reduce

import pytest

from thoughtforge.calls.events import ActionTaken
from thoughtforge.kernel import events as e
from thoughtforge.kernel.errors import LogCorrupt, UserError
from thoughtforge.kernel.model import Stage
from thoughtforge.workspaces import changes
from thoughtforge.workspaces.events import CommitMade, EditPlanned, WorkspaceMade
from thoughtforge.workspaces.git import Git
from thoughtforge.workspaces.past import PAST
from thoughtforge.workspaces.rebuilding import as_recorded
from unit.kernel.making import task

WHEN = "2026-11-16T10:00:00.000000+00:00"
BRANCH = "thoughtforge/20260101-abcd-a-task"
STAGES = [
    Stage(name=name, purpose="p", driver="code", role="developer", output_contract=name) for name in ("red", "green")
]
FILES = {"a.txt": "a", "run.sh": "#!/bin/sh\n", "sub/deep.txt": "d"}


class Kept:
    """The blob port over a dictionary."""

    def __init__(self) -> None:
        self.data: dict[str, bytes] = {}

    def put(self, data: bytes, *, exact: bool = False) -> str:
        digest = hashlib.sha256(data).hexdigest()
        self.data[digest] = data
        return digest

    def get(self, digest: str) -> bytes:
        if digest not in self.data:
            raise LogCorrupt(digest, 0, "missing")
        return self.data[digest]


class Told:
    """A task that writes its record and its workspace side by side."""

    def __init__(self, repo, git: Git) -> None:
        self.git, self.blobs, self.at = git, Kept(), repo.root.parent / "task"
        self.records: list[e.Record] = []
        self.base = repo.git("rev-parse", "HEAD").strip()
        self.say(e.TaskCreated(task=task(*STAGES, base_commit=self.base), task_file="f"))

    def say(self, event: e.Event) -> None:
        self.records.append(e.Record(len(self.records) + 1, WHEN, event))

    async def open(self, **how):
        return await as_recorded(
            self.git, reduce(PAST.apply, self.records, PAST.empty), branch=BRANCH, at=self.at, blobs=self.blobs, **how
        )

    async def begin(self) -> None:
        self.workspace = (await self.open()).workspace
        self.say(WorkspaceMade(branch=BRANCH))
        self.say(e.StageStarted(stage="red", round=1, role="developer"))

    async def edit(self, path: str, data: bytes | None, mode: str = "100644", *, make: bool = True) -> None:
        before = changes.digest_of(self.workspace.folder, path)
        after = None if data is None else self.blobs.put(data)
        mode = "" if data is None else mode
        planned = EditPlanned(stage=self.stage, step=1, path=path, before=before, after=after, mode=mode)
        self.say(planned)
        if make:
            changes.apply(self.workspace.folder, planned, self.blobs)
            await self.workspace.put(path, data, executable=mode == "100755")

    @property
    def stage(self) -> str:
        return [r.event.stage for r in self.records if isinstance(r.event, e.StageStarted)][-1]

    async def act(self) -> str:
        tree = await self.workspace.tree()
        fields = {"stage": self.stage, "round": 1, "step": 1, "role": "r", "tool": "t", "outcome": "ok", "summary": "s"}
        self.say(ActionTaken.model_validate({**fields, "tree": tree}))
        return tree

    async def commit(self, parent: str) -> str:
        tree = await self.workspace.tree()
        made = await self.workspace.commit(tree, message="m", parents=(parent,), when=WHEN)
        raw = self.blobs.put(await self.workspace.git.output("cat-file", "commit", made))
        self.say(CommitMade(stage=self.stage, commit=made, tree=tree, raw=raw))
        return made

    def lose(self) -> None:
        shutil.rmtree(self.at / "workspace")
        shutil.rmtree(self.at / "workspace.git")


def telling(repo, tale):
    repo.commit(FILES)

    async def whole(git: Git):
        told = Told(repo, git)
        await told.begin()
        return await tale(told)

    return repo.with_git(whole)


async def proved(told: Told, tree: str, tip: str) -> str:
    """Open it and see that it is this; what was told of it."""
    found = await told.open()
    assert (await found.workspace.tree(), await found.workspace.tip()) == (tree, tip)
    assert await found.workspace.matches() == ()
    assert (await told.open()).note == ""  # the second time there is nothing to put right
    return found.note


LOST = "the workspace was lost; the engine rebuilt it from the record"


def test_edits_modes_removals_and_commits_come_back_with_the_same_ids(repo):
    async def tale(told: Told) -> str:
        await told.edit("run.sh", b"#!/bin/sh\ntrue\n", "100755")
        await told.edit("sub/deep.txt", None)
        await told.edit("new/\u00fc.txt", b"new\r\n")
        await told.act()
        commit = await told.commit(told.base)
        await told.edit("a.txt", b"later")
        tree = await told.act()
        told.lose()
        return await proved(told, tree, commit)

    assert telling(repo, tale) == LOST


def test_edits_without_an_end_on_record_are_taken_back_made_or_not(repo):
    async def tale(told: Told) -> list[str]:
        await told.edit("a.txt", b"kept")
        tree = await told.act()
        await told.edit("a.txt", b"cut short")
        await told.edit("new.txt", b"never made", make=False)
        (told.workspace.folder / ".thoughtforge-edit").write_bytes(b"half")
        made = await proved(told, tree, told.base)
        told.lose()
        return [made, await proved(told, tree, told.base)]

    assert telling(repo, tale) == ["", LOST]


def test_edits_that_the_engine_made_and_measured_stay(repo):
    async def tale(told: Told) -> str:
        await told.edit("a.txt", b"measured")
        tree = await told.workspace.tree()
        told.say(e.Measured(stage="red", what="exit", outcome="pass", summary="s", tree=tree))
        told.lose()
        return await proved(told, tree, told.base)

    assert telling(repo, tale) == LOST


def test_an_action_done_again_in_another_way_after_a_crash_is_told_from_the_first_try(repo):
    async def tale(told: Told) -> str:
        told.say(e.RunnerStarted(pid=1, host="h", program="p"))
        await told.edit("a.txt", b"first try")
        await told.edit("new.txt", b"first try")
        await told.open()
        told.say(e.RunnerStarted(pid=2, host="h", program="p"))
        await told.edit("a.txt", b"second try")
        tree = await told.act()
        told.lose()
        return await proved(told, tree, told.base)

    assert telling(repo, tale) == LOST


def test_an_edit_that_failed_after_it_was_planned_is_not_made_up(repo):
    async def tale(told: Told) -> str:
        await told.edit("a.txt", b"made")
        await told.edit("new.txt", b"failed", make=False)
        tree = await told.act()
        told.lose()
        return await proved(told, tree, told.base)

    assert telling(repo, tale) == LOST


def test_a_stage_that_began_afresh_goes_back_to_what_was_committed(repo):
    async def tale(told: Told) -> list[str]:
        await told.edit("a.txt", b"red")
        await told.act()
        red = await told.commit(told.base)
        await told.edit("a.txt", b"left over")
        left = await told.act()
        fields = {"stage": "red", "artifact": "d"}
        told.say(e.ArtifactMade(**fields, round=1, contract="red"))
        told.say(e.StagePassed(**fields))
        told.say(e.StageStarted(stage="green", round=1, role="developer", inputs=("d",)))
        notes = [await proved(told, left, red)]  # it has not begun to write: nothing is known of its files yet
        await told.workspace.reset(red)
        notes.append((await told.open()).note)
        await told.workspace.reset(red)
        await told.edit("b.txt", b"green")
        tree = await told.act()
        told.lose()
        return [*notes, await proved(told, tree, red)]

    assert telling(repo, tale) == ["", "", LOST]


def test_a_file_from_outside_is_put_back_told_and_kept_aside(repo):
    async def tale(told: Told) -> str:
        await told.edit("a.txt", b"kept")
        tree = await told.act()
        (told.workspace.folder / "a.txt").write_bytes(b"from outside")
        (told.workspace.folder / "more.txt").write_bytes(b"from outside")
        note = await proved(told, tree, told.base)
        assert (told.at / "workspace.aside/a.txt").read_bytes() == b"from outside"
        return note

    told = "files of the workspace differed from the record and were restored: a.txt, more.txt"
    told += "; what was there is in workspace.aside"
    assert telling(repo, tale) == told


@pytest.mark.parametrize("lacking", ["content", "commit", "raw"])
def test_what_the_record_does_not_have_is_refused_by_name(repo, lacking):
    async def tale(told: Told) -> tuple[str, ...]:
        await told.edit("a.txt", b"kept")
        await told.act()
        made = await told.commit(told.base)
        event = told.records[-1].event
        if lacking == "content":
            del told.blobs.data[hashlib.sha256(b"kept").hexdigest()]
        elif lacking == "commit":
            del told.blobs.data[event.raw]
        else:
            told.records[-1] = told.records[-1]._replace(event=event.model_copy(update={"raw": None}))
        told.lose()
        for _ in range(2):  # the refusal stands however often it is tried
            with pytest.raises(UserError, match="is lost and cannot be rebuilt from its record") as refused:
                await told.open()
        return tuple(detail.replace(made[:12], "ID") for detail in refused.value.details)

    digest = hashlib.sha256(b"kept").hexdigest()
    (said,) = telling(repo, tale)
    assert said.startswith(
        {
            "content": f"a.txt, step 1: {digest}, line 0: missing",
            "commit": "commit ID: ",
            "raw": "commit ID was recorded by a version that did not store commits",
        }[lacking]
    )


def test_a_record_whose_edits_lead_elsewhere_is_refused(repo):
    async def tale(told: Told) -> tuple[str, ...]:
        await told.edit("a.txt", b"kept")
        event = e.Measured(stage="red", what="exit", outcome="pass", summary="s", tree="1" * 40)
        told.say(event)
        with pytest.raises(UserError) as refused:
            await told.open()
        return refused.value.details

    assert telling(repo, tale) == ("the edits on record (a.txt) do not lead to tree 111111111111",)


def test_the_kept_base_is_linked_again_when_it_is_lost_alone(repo):
    async def tale(told: Told) -> str:
        await told.edit("a.txt", b"kept")
        tree = await told.act()
        shutil.rmtree(told.at / "base.git")
        return await proved(told, tree, told.base)

    assert telling(repo, tale) == ""
