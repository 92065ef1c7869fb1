"""How far a reader walks: files and git processes for one edit, reads of the whole log a command, lines of the kernel.

`make walk` prints these figures alone, `make walk FILES=--files` the names of the files too; `make bench` measures them
with all others. The files of an edit differ by one or two from run to run: views are written once a second.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from pathlib import Path
from typing import Any, NamedTuple

from bench.figures import Figure

ROOT = Path(__file__).parents[1]
KERNEL = ROOT / "src" / "thoughtforge" / "kernel"
MOST_FILES, MOST_GIT, MOST_READS, MOST_LINES = 55, 7, 1, 1_450


class Walk(NamedTuple):
    """Some figures, and the files they are about."""

    figures: list[Figure]
    files: list[str]


def measure(place: Path) -> list[Figure]:
    """The installed command with scripted replies, watched from outside."""
    return walk(place).figures


def walk(place: Path) -> Walk:
    """Everything that is measured here."""
    sys.path.insert(0, str(ROOT / "tests"))
    code = _code(place / "code")
    lines = sum(len(path.read_text(encoding="utf-8").splitlines()) for path in KERNEL.glob("*.py"))
    kernel = Figure("walk: kernel, raw lines", lines, "lines", MOST_LINES)
    return Walk([*code.figures, *_thought(place / "thought"), kernel], code.files)


def _code(place: Path) -> Walk:
    """A small specification becomes a branch; its one edit at stage green is traced."""
    from flows.code_runs import ASKED, make_tally
    from stories.teller import Teller

    tally = make_tally(place)
    traced = tally.person / "edit.json"
    teller = Teller(tally, EDIT_STEP=str(traced))
    for args in (
        ("start", ASKED, "--from-spec", str(tally.person / "spec.yaml")),
        ("continue", "last"),
        ("status", "last"),
    ):
        _expect(0, teller.run(*args))
    if not traced.exists():
        raise SystemExit("no edit at stage green was judged")
    step = json.loads(traced.read_text(encoding="utf-8"))
    figures = [
        Figure("walk: files for one edit at stage green", len(step["files"]), "files", MOST_FILES),
        Figure("walk: git processes for it", step["git"], "", MOST_GIT),
        *map(_reads, ("start", "continue", "status"), teller.reads),
    ]
    return Walk(figures, step["files"])


def _thought(place: Path) -> list[Figure]:
    """A note becomes a polished plan in one go; another is shown to a person, who confirms it."""
    from flows.thoughts import agreed, make_garden
    from stories.runs import leave, think_plan
    from stories.teller import Teller

    whole = think_plan(place / "plan")
    garden = make_garden(place / "talk")
    garden.script(*agreed())
    talk = Teller(garden)
    _expect(3, leave(talk, garden, "think", garden.note()))
    _expect(3, talk.run("confirm", "last"))
    commands = ("think, to a polished plan", "think, to the first answer", "confirm, to the next answer")
    return list(map(_reads, commands, [*whole.reads, *talk.reads]))


def _expect(code: int, done: Any) -> None:
    """A figure of a command that failed says nothing."""
    if done.code != code:
        raise SystemExit(f"a command ended with {done.code} instead of {code}:\n{done.out}{done.err}")


def _reads(command: str, count: int) -> Figure:
    return Figure(f"walk: log reads, {command}", count, "", MOST_READS)


def main() -> None:
    """Print the figures; a missed goal is told and does not fail the command."""
    parser = argparse.ArgumentParser(prog="python -m bench.walk", description="How far a reader walks.")
    parser.add_argument("--files", action="store_true", help="name the files of one edit")
    named = parser.parse_args().files
    with tempfile.TemporaryDirectory(prefix="thoughtforge-walk-") as place:
        found = walk(Path(place))
    missed = sum(figure.ok is False for figure in found.figures)
    lines = [*(found.files if named else ()), *(figure.line for figure in found.figures), f"{missed} goals missed"]
    sys.stdout.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
