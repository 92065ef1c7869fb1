"""Checking a file a person wrote: read it, report every problem, leave with the exit code."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from thoughtforge.cli.ends import DONE, FAILED, Leave, print_json
from thoughtforge.kernel.errors import Mistake
from thoughtforge.kernel.model import Problem


def read_text(file: Path) -> str:
    """The text of a file a person named."""
    try:
        return file.read_text(encoding="utf-8")
    except OSError as error:
        raise Mistake(f"{file} cannot be read: {error.strerror}", do="Name a file that exists.") from error
    except UnicodeDecodeError as error:
        raise Mistake(f"{file} is not UTF-8 text", do="Save it as UTF-8.") from error


def report(file: Path, problems: Sequence[Problem], as_json: bool) -> None:
    """Everything wrong with the file, and the exit code."""
    code = FAILED if problems else DONE
    if as_json:
        rows = [problem.model_dump() for problem in problems]
        print_json({"ok": not problems, "exit_code": code, "problems": rows})
        raise Leave(code)
    for problem in problems:
        click.echo(f"{problem.where}: {problem.what}", err=True)
    click.echo(f"{file}: {f'{len(problems)} problems' if problems else 'in order'}")
    raise Leave(code)
