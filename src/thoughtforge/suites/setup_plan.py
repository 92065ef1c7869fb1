"""How a repository's environment is made, decided from its files: by the person's command, or by convention."""

from __future__ import annotations

import shutil

from thoughtforge.kernel.errors import Mistake
from thoughtforge.settings.config import Setup
from thoughtforge.suites.install import ASKED, InstallPlan, InstallStep, ToInstall, venv_step
from thoughtforge.suites.language import dependency_rules
from thoughtforge.workspaces.globs import any_matches


def plan(asked: ToInstall, setup: Setup) -> InstallPlan:
    """What to do for a repository with these files. Without a word about dependencies nothing is fetched."""
    if setup.command:
        return _commanded(asked, setup)
    made = [plan for rules in dependency_rules() if (plan := rules.install(asked))]
    steps = [step for each in made for step in each.steps]
    return InstallPlan(
        # what needs no network makes the folder that the others write into
        steps=tuple(sorted(steps, key=lambda step: step.network)),
        files={path: text for each in made for path, text in each.files.items()},
        notes=tuple(note for each in made for note in each.notes),
        links={path: place for each in made for path, place in each.links.items()},
        programs=tuple(name for each in made for name in each.programs),
        bins=tuple(place for each in made for place in each.bins),
    )


def check_programs(plan: InstallPlan, search_path: str) -> None:
    """Every program a plan needs of this machine must be there."""
    missing = [name for name in dict.fromkeys(plan.programs) if not shutil.which(name, path=search_path)]
    if missing:
        raise Mistake(
            f"not found, but needed to install the repository's dependencies: {', '.join(missing)}",
            do=f"Install {' and '.join(missing)}, or give a command of your own in `setup.command`.",
        )


def _commanded(asked: ToInstall, setup: Setup) -> InstallPlan:
    read_files = {path: asked.read(path) for path in sorted(asked.paths) if any_matches(path, setup.reads)}
    notes = () if read_files else ("setup.reads names no file of the repository: the environment is never made anew",)
    return InstallPlan(
        steps=(venv_step(asked.interpreter, pip=True), InstallStep(tuple(setup.command))),
        files={f"{ASKED}/{path}": text for path, text in read_files.items()},
        notes=notes,
        needs_root=True,
    )
