"""A thought's project as the upstream of its workspace: a person's edits come in, accepted work goes out.

Nothing a person has in the project is lost or overwritten: what they changed is committed as theirs before anything of
the engine's gets there.
"""

from __future__ import annotations

from collections.abc import Sequence

from thoughtforge.code.exit import ExitReport
from thoughtforge.code.tool_context import Edit
from thoughtforge.coding import writing
from thoughtforge.coding.building import StageBuild, record
from thoughtforge.coding.writing import put_commit
from thoughtforge.deliverables.code.files import accepted_tests, is_accepted, is_code
from thoughtforge.kernel.events import Measured
from thoughtforge.think.documents import allow, keep_edits, project
from thoughtforge.workspaces.changes import changes, crossing
from thoughtforge.workspaces.git import NOBODY, TreeEntry, make_commit
from thoughtforge.workspaces.linking import take_objects
from thoughtforge.workspaces.past import PAST, TAKEN_IN
from thoughtforge.workspaces.project_place import STEP

TYPE = "code"


class ThoughtProject:
    """The project of one thought, for one piece of work."""

    def __init__(self, step: str, *, merges: bool = True) -> None:
        self.step = step
        """The milestone its commit is; a crash between commit and record makes no second one."""
        self.merges = merges
        """Whether a person's edits of code join the agent's; else work on other files than these starts over."""
        self.renewed = False
        """Whether whoever measures has been told that it starts over, and tells the agent."""

    async def enter(self, site: StageBuild) -> StageBuild:
        """The workspace at the project's tip; what an agent had begun before a crash stays, if it still fits."""
        allow(site.run, "package_install", "what the files declare", deliverable=TYPE)
        run, workspace = site.run, site.session.workspace
        await self._keep(site)
        tip = (await project(run).tip()).commit
        await take_objects(project(run).git, workspace.git)
        past = run.record.journal.of(PAST)
        at = past.taken_in or past.tip or workspace.base
        tree = await workspace.tree()
        begun = bool(run.record.memory(site.stage.name).recent) and tree not in [
            await workspace.tree_of(one) for one in (at, tip)
        ]
        theirs = await self._changed(site._replace(before=at), tip)
        if not begun:
            site = await self._reset(site, tip)
        elif not await self._joins(site, theirs, tip):
            site = await self._reset(site, tip)
            if not self.renewed:
                await start_over(site, theirs)
        else:
            site = await self._merge(site._replace(before=at), theirs, tip)
        return await self._equip(site)

    async def renew(self, site: StageBuild) -> StageBuild | str:
        """A person's edits since, before anything is measured; else why the work starts over."""
        await self._keep(site)
        tip = (await project(site.run).tip()).commit
        if tip != site.before:
            await take_objects(project(site.run).git, site.session.workspace.git)
            theirs = await self._changed(site, tip)
            if not await self._joins(site, theirs, tip):
                self.renewed = True
                return over(theirs)
            site = await self._merge(site, theirs, tip)
        return await self._equip(site)

    async def commit(self, site: StageBuild, *, tree: str, message: str) -> str:
        """Commit in the workspace, and let the project go on to that commit."""
        run, workspace, here = site.run, site.session.workspace, project(site.run)
        tip = await here.tip()
        if tip.step == self.step and await workspace.git.resolve(tip.commit, kind="tree") == tree:
            made = tip.commit  # the process ended before it was on record
        else:
            allow(run, "git_commit", self.step, deliverable=TYPE)
            text, when = f"{message}\n\n{STEP}{self.step}", run.record.journal.state.time
            made = await make_commit(
                workspace.git, tree, message=text, parents=(site.before,), author=NOBODY, when=when
            )
            await here.advance(workspace.git, made, since=site.before)
        await workspace.git.write("update-ref", f"refs/heads/{workspace.branch}", made)
        return made

    async def discard(self, site: StageBuild) -> None:
        """What the agent made is refused: the workspace goes back to what the project has."""
        await self._reset(site, site.before)

    async def _keep(self, site: StageBuild) -> None:
        workspace = site.session.workspace
        tree = await workspace.tree()

        async def ours(path: str) -> bool:
            """A file of ours that was on its way into the project when the process ended."""
            lies = project(site.run).root / path
            if lies.is_symlink():
                return False
            if lies.is_dir():  # of a file that went: a folder of ours took its name
                return any(entry.path.startswith(f"{path}/") for entry in await _entries(site, tree))
            return project(site.run).content(path) == await workspace.git.blob(tree, path)

        await keep_edits(site.run, self.step, ours)

    async def _changed(self, site: StageBuild, tip: str) -> tuple[str, ...]:
        """What differs between the commit the work builds on and the project's tip."""
        if tip == site.before:
            return ()
        found = await changes(site.session.workspace.git, site.before, b=tip)
        return tuple(sorted({path for one in found for path in (one.path, one.old_path) if path}))

    async def _joins(self, site: StageBuild, theirs: Sequence[str], tip: str) -> bool:
        """Whether a person's edits can join the agent's: plain files for plain files, and no code where it must not."""
        tree = await site.session.workspace.tree()
        new, old = [{entry.path: entry.kind for entry in await _entries(site, one)} for one in (tip, tree)]
        come = new.keys() & {*theirs}
        go = old.keys() & {*theirs} | crossing(old, come)
        kinds = {new[path] for path in come} | {old[path] for path in go}
        return kinds <= {"file"} and (self.merges or not any(map(is_code, theirs)))

    async def _reset(self, site: StageBuild, tip: str) -> StageBuild:
        run, workspace = site.run, site.session.workspace
        at, dirty = run.record.journal.of(PAST).tip, await workspace.tree() != await workspace.tree_of(tip)
        await workspace.reset(tip)
        if at != tip or dirty:
            await put_commit(run, site.stage, site.session, tip)
        return site._replace(before=tip)

    async def _merge(self, site: StageBuild, theirs: Sequence[str], tip: str) -> StageBuild:
        """The person's version of every file they changed, on record like every edit.

        Removals are made before anything else is planned: a file may get the name of a folder, or a folder of a file.
        """
        run, workspace = site.run, site.session.workspace
        modes = {entry.path: entry.mode for entry in await _entries(site, tip)}
        tree, edits = await workspace.tree(), []
        for path in theirs:
            data = await workspace.git.blob(tip, path)
            if data != await workspace.git.blob(tree, path):
                edits.append(Edit(path, data, modes.get(path) == "100755"))
        written = [edit for edit in edits if edit.data is not None]
        there = [entry.path for entry in await _entries(site, tree)]
        gone = {edit.path for edit in edits if edit.data is None} | crossing(there, [edit.path for edit in written])
        removed = [Edit(path, None) for path in sorted(gone)]
        if edits:
            await writing.put(run, site.stage, site.session, removed, limited=False)
            await writing.put(run, site.stage, site.session, written, limited=False)
            mine = run.record.stage(site.stage.name)
            run.record.journal.append(
                Measured(
                    stage=site.stage.name,
                    round=mine.round,
                    step=run.record.journal.state.used.steps,
                    what=TAKEN_IN,
                    outcome="pass",
                    summary=f"a person changed {', '.join(edit.path for edit in edits[:5])}",
                    facts={"tip": tip},
                    tree=await workspace.tree(),
                )
            )
        return site._replace(before=tip)

    async def _equip(self, site: StageBuild) -> StageBuild:
        """Until something was accepted the files themselves say how they are set up; then what was accepted does."""
        accepted = is_accepted(site.run)
        site.session.own_setup = not accepted
        await writing.lock(site.run, site.stage, site.session, what=TAKEN_IN)
        treeish = site.before if accepted else await site.session.workspace.tree()
        await site.session.follow(treeish, own=not accepted)
        site.session.hold_to(await accepted_tests(site))
        return site


async def start_over(site: StageBuild, theirs: Sequence[str]) -> None:
    """Tell the agent that its edits are gone; what was measured of them is told no more."""
    exit = ExitReport(await site.session.workspace.tree())
    exit.require("starts_over", [over(theirs)])
    exit.fact(starts_over=True)
    record(site, exit)


def over(theirs: Sequence[str]) -> str:
    """Why work starts over, for the agent."""
    return f"a person changed {', '.join(theirs[:5])} meanwhile; your edits were taken back, look again"


async def _entries(site: StageBuild, tip: str) -> tuple[TreeEntry, ...]:
    return await site.session.workspace.git.entries(tip)
