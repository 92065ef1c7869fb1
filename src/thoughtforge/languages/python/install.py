"""How the dependencies of a Python project are installed: into a virtual environment, by uv or pip."""

from __future__ import annotations

from thoughtforge.kernel.errors import Mistake
from thoughtforge.languages.python.reached import only_pip
from thoughtforge.languages.python.requirements import needs
from thoughtforge.suites.install import ASKED, FOLDER, InstallPlan, InstallStep, ToInstall, venv_step

PIP = ("-m", "pip", "install", "--no-input", "--disable-pip-version-check", "--no-cache-dir", "--progress-bar", "off")


def install(asked: ToInstall) -> InstallPlan:
    """A virtual environment, also for a project that needs nothing: the engine's own witnesses run in it."""
    found = needs(asked.paths, asked.read)
    if found.refused:
        raise Mistake(
            "the repository's requirements install from the tree itself, which would hide the tree under test",
            do="Leave these lines out, or give a command of your own in `setup.command`.",
            details=found.refused,
        )
    lines = [*found.lines, *asked.extra]
    if not lines:
        return InstallPlan((venv_step(asked.interpreter, pip=False),), notes=found.notes)
    files = {f"{ASKED}/requirements.txt": "".join(f"{line}\n" for line in lines)}
    named = ["-r", f"{FOLDER}/{ASKED}/requirements.txt"]
    if found.constraints:
        files[f"{ASKED}/constraints.txt"] = "".join(f"{line}\n" for line in found.constraints)
        named += ["-c", f"{FOLDER}/{ASKED}/constraints.txt"]
    uv = None if only_pip(asked.variables) else asked.which("uv")
    if uv:
        command = (uv, "pip", "install", "--no-cache", "--python", f"{FOLDER}/bin/python", *named)
    else:
        command = (f"{FOLDER}/bin/python", "-I", *PIP, *named)
    steps = (venv_step(asked.interpreter, pip=not uv), InstallStep(command))
    return InstallPlan(steps, files, notes=found.notes)
