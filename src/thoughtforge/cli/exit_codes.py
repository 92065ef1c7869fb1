"""How a command ends: an exit code, a message that says what to do, and with --json one object on stdout."""

from __future__ import annotations

import json
import sys
from typing import Any

import click

from thoughtforge.kernel.errors import LeaseLost, LogCorrupt, TaskLocked, UserError

DONE, FAILED, USAGE, NEEDS_PERSON, BUDGET, BROKEN, INTERRUPTED = 0, 1, 2, 3, 4, 5, 130


class Leave(Exception):
    """A command is over with this exit code and has printed everything."""

    def __init__(self, code: int) -> None:
        super().__init__(code)
        self.code = code


def guarded(command: click.Command) -> int:
    """Run a command; every expected error becomes a message and an exit code, a bug keeps its traceback."""
    as_json = "--json" in sys.argv[1:]
    try:
        result = command.main(standalone_mode=False)
        return result if isinstance(result, int) else DONE
    except Leave as leave:
        return leave.code
    except click.exceptions.Exit as ended:
        return ended.exit_code
    except (KeyboardInterrupt, click.Abort):
        return _report(as_json, INTERRUPTED, "interrupted", "Continue: thoughtforge continue last")
    except click.ClickException as error:
        hint = error.ctx.command_path if isinstance(error, click.UsageError) and error.ctx else "thoughtforge"
        return _report(as_json, USAGE, error.format_message(), f"See: {hint} --help")
    except UserError as mistake:
        return _report(as_json, USAGE, mistake.what, mistake.do, mistake.details)
    except (TaskLocked, LeaseLost) as theirs:
        return _report(as_json, FAILED, str(theirs), _after_lease(theirs))
    except LogCorrupt as damage:
        return _report(as_json, FAILED, f"the record is damaged: {damage}", _after_damage(damage))
    except BrokenPipeError:
        sys.stderr.close()  # the reader went away, as `| head` does
        return DONE
    except OSError as error:
        place = f" at {error.filename}" if error.filename else ""
        do = "Free space or grant write access there, then try again."
        return _report(as_json, FAILED, f"{error.strerror or error}{place}", do)


def _after_lease(error: TaskLocked | LeaseLost) -> str:
    if isinstance(error, TaskLocked):
        return f"Watch it: thoughtforge status {error.task_id} --watch; stop it: thoughtforge pause {error.task_id}"
    return "This process wrote nothing more. See who runs the task now: thoughtforge status"


def _after_damage(damage: LogCorrupt) -> str:
    task = damage.path.partition("/tasks/")[2].partition("/")[0] or "TASK"
    return f"See all of it: thoughtforge verify {task}; accept the loss: thoughtforge continue {task} --accept-loss"


def _report(as_json: bool, code: int, what: str, do: str, details: tuple[str, ...] = ()) -> int:
    if as_json:
        error = {"what": what, "do": do, "details": list(details)}
        print_json({"ok": False, "exit_code": code, "error": error})
    else:
        lines = [f"thoughtforge: {what}", *(f"  - {line}" for line in details), *([f"  → {do}"] if do else [])]
        click.echo(plain("\n".join(lines)), err=True)
    return code


def plain(text: str) -> str:
    """The text with control characters written out: it may come from a file of a repository and steer a terminal."""
    return "".join(letter if letter.isprintable() or letter in "\n\t" else ascii(letter)[1:-1] for letter in text)


def print_value(value: Any, *, code: int = DONE, **more: Any) -> None:
    """A value of the views as the one object on stdout, with its exit code."""
    from thoughtforge.views.values import as_data  # `--version` and `--help` print none

    print_json({"ok": code == DONE, **as_data(more), **as_data(value), "exit_code": code})


def print_json(data: dict[str, Any]) -> None:
    """The one object on stdout."""
    click.echo(json.dumps(data, ensure_ascii=False, indent=2, default=str))
