"""The repository a person works in, as the upstream of a workspace: read once, written to by the hand-over alone."""

from __future__ import annotations

from collections.abc import Callable

from thoughtforge.code.green import within
from thoughtforge.code.write_policy import no_tests
from thoughtforge.coding.building import StageBuild
from thoughtforge.coding.writing import install_dependencies
from thoughtforge.gate.findings import Finding
from thoughtforge.workspaces.past import built_on, untouched


class PersonsRepository:
    """Nothing of it changes while a task runs: every stage builds on the commit of the stage before."""

    async def enter(self, site: StageBuild) -> StageBuild:
        """A stage that starts afresh starts from what was committed, whatever an earlier attempt left."""
        state = site.run.record.journal.state
        site = site._replace(before=built_on(state, site.stage.name))
        if untouched(state, site.stage.name):
            await site.session.workspace.reset(site.before)
        await install_dependencies(site.run, site.stage, site.session)
        return site

    async def renew(self, site: StageBuild) -> StageBuild:
        """There is nothing new."""
        return site

    async def commit(self, site: StageBuild, *, tree: str, message: str) -> str:
        """A commit in the workspace alone."""
        return await site.session.workspace.commit(
            tree,
            message=message,
            parents=(site.before,),
            author=site.session.person,
            when=site.run.record.journal.state.time,
        )


def without_tests(site: StageBuild) -> Callable[[str], str]:
    """What a stage that writes the product leaves alone."""
    return no_tests(site.stage, site.session.is_test)


def all_tests(site: StageBuild) -> Callable[[Finding], bool]:
    """What such a stage is not judged by."""
    return within(site.session.is_test)


REPOSITORY = PersonsRepository()
