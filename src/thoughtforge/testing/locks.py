"""Locks of a new project: nobody has run its package manager yet, so the engine does. The network is open only here."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from thoughtforge.sandbox.sandbox import Sandbox
from thoughtforge.testing.access import PackageIndex
from thoughtforge.testing.install import InstallPlan, LockPlan, own_interpreter
from thoughtforge.testing.language import dependency_rules
from thoughtforge.testing.set_up import LIMITS, Making, begin, carry_out, check_programs


class Locks(NamedTuple):
    """What was made, and how."""

    texts: Mapping[str, str] = {}
    """Path in the project → text."""
    commands: tuple[str, ...] = ()


def lacking(paths: Collection[str], read: Callable[[str], str]) -> tuple[LockPlan, ...]:
    """What there is to do before the declarations of these files can be installed."""
    made = (rules.lock(paths, read) for rules in dependency_rules() if rules.lock is not None)
    return tuple(plan for plan in made if plan is not None)


async def make_locks(
    plans: Sequence[LockPlan], *, folder: Path, sandbox: Sandbox, search_path: str, access: PackageIndex
) -> Locks:
    """Resolve what is declared, in a folder that is gone afterwards. Nothing is installed and no script is run."""
    texts: dict[str, str] = {}
    for plan in plans:
        install = InstallPlan((plan.step,), plan.files, programs=(plan.program,))
        check_programs(install, search_path)
        await asyncio.to_thread(begin, folder, plan.files)
        making = Making(folder, folder, False, own_interpreter(), access, search_path, LIMITS)
        try:
            await carry_out(install, making, sandbox)
            texts |= {path: (folder / place).read_text(encoding="utf-8") for path, place in plan.writes.items()}
        finally:
            await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)
    return Locks(texts, tuple(" ".join(plan.step.argv) for plan in plans))
