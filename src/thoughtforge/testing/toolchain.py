"""The programs of this machine that a runner needs: finds them and mounts their installations into the sandbox."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from thoughtforge.kernel.errors import UserError
from thoughtforge.sandbox import process
from thoughtforge.sandbox.box import Mount
from thoughtforge.testing.install import prefix_mounts
from thoughtforge.testing.report import Environment

PARTS = ("lib", "lib64", "libexec", "pkg")
"""What an installation has beside its programs; a folder without any is not taken for one."""
PRIVATE = (".local",)
"""Folders of a person that hold far more than one installation."""
ASK_SECONDS = 20.0


class Toolchain(NamedTuple):
    """Where programs are, and what a box must see of them."""

    path: tuple[Path, ...] = ()
    mounts: tuple[Mount, ...] = ()

    def beside(self, environment: Environment) -> Environment:
        """An environment that has these programs too, behind its own."""
        return environment._replace(
            path=(*environment.path, *self.path), mounts=tuple(dict.fromkeys((*environment.mounts, *self.mounts)))
        )

    def searched(self, search_path: str) -> str:
        """A search path on which these programs come first."""
        return ":".join([*map(str, self.path), search_path])


async def toolchain(names: Sequence[str], search_path: str) -> Toolchain:
    """The programs of these names. A missing one is reported before anything else runs."""
    found = {name: shutil.which(name, path=search_path) for name in names}
    missing = [name for name, place in found.items() if place is None]
    if missing:
        raise UserError(
            f"programs needed to run the repository's tests are missing: {', '.join(missing)}",
            do=f"Install {' and '.join(missing)}, or set another runner as tests.runner in config.yaml.",
        )
    real = [await _real(Path(place)) for place in found.values() if place is not None]
    outside = [program for program in real if prefix_mounts(program)]
    return Toolchain(
        tuple(dict.fromkeys(program.parent for program in outside)),
        tuple(dict.fromkeys(mount for program in outside for mount in installation(program))),
    )


async def _real(program: Path) -> Path:
    """Where a link leads. rustup's programs only look up another one, by files a box does not have."""
    real = program.resolve()
    if real.name != "rustup":
        return real
    home = program.absolute().parents[2]  # it is in the folder .cargo/bin of the home it belongs to
    env = {"PATH": str(program.parent), "HOME": str(home)}
    ended = await process.run([real, "which", program.name], cwd=home, env=env, wall_seconds=ASK_SECONDS)
    told = Path(ended.stdout.decode("utf-8", "replace").strip())
    return told if not ended.code and told.is_file() else real


def installation(program: Path) -> tuple[Mount, ...]:
    """The installation a program belongs to, or the program alone."""
    prefix = program.parents[1]
    whole = prefix.name not in PRIVATE and prefix != Path.home() and any((prefix / part).is_dir() for part in PARTS)
    return prefix_mounts(prefix if program.parent.name == "bin" and whole else program)


def fetched(environment: Environment, place: str) -> Path | None:
    """A folder of modules that a set-up fetched into the environment, for programs that must be told where it is."""
    folder = environment.python.absolute().parents[1] / place if environment.python else None
    return folder if folder and folder.is_dir() else None
