"""How a test process says what happened: one line of JSON per fact, sent at once.

The files of this folder run inside the box, in the repository's own Python, and import nothing of the engine. Whatever
they need is taken before any code of the repository runs. What shares their process can still lie to them: they are
a witness, and the engine judges.
"""

from __future__ import annotations

import errno
import json
import os
import re
import sys
import types
from typing import Any, NamedTuple

REPORT_FD = "THOUGHTFORGE_REPORT_FD"
LONGEST = 400
LONGEST_DETAIL = 4_000
"""Characters of the lines below the first: the difference between what came out and what was expected."""


class Failure(NamedTuple):
    """Why something failed, in the words of the engine's results."""

    cause: str
    missing: str
    error: str


class Witness:
    """The report pipe. Children never get it, and a forked one that comes back here says nothing."""

    def __init__(self) -> None:
        fd = int(os.environ[REPORT_FD])  # noqa: TID251 - this runs in the box, where settings/ is not
        os.set_inheritable(fd, False)
        write, dumps, getpid = os.write, json.dumps, os.getpid
        owner = getpid()

        def send(kind: str, **fact: Any) -> None:
            if getpid() != owner:
                return
            data = (dumps({"fact": kind, **fact}) + "\n").encode()
            while data:
                data = data[write(fd, data) :]

        self.send = send

    def send_all(self, kind: str, reasons: list[str]) -> None:
        """What makes the answers worthless, each kind of reason once and shortened."""
        if reasons:
            self.send("broken", why=f"{kind}: {', '.join(sorted(set(reasons))[:5])}")


def failure(error: BaseException) -> Failure:
    """The cause of an error, what is missing, and one line about it."""
    fixture = getattr(error, "argname", None) if type(error).__name__ == "FixtureLookupError" else None
    if fixture:
        return Failure("other", "", f"fixture {fixture!r} not found")
    try:
        said = (str(error).strip().splitlines() or [""])[0]
    except Exception as broken:  # noqa: BLE001 - the repository's own __str__ may do anything
        said = f"(its text could not be made: {type(broken).__name__})"
    line = f"{type(error).__name__}: {said}"[:LONGEST]
    if isinstance(error, AssertionError) or _is_pytest_failure(error):
        return Failure("assertion", "", line)
    name = missing(error)
    return Failure("missing" if name else "other", name, line)


def detail(error: BaseException) -> str:
    """All lines of an error whose first line does not say everything; of a long text the beginning and the end."""
    try:
        said = str(error).strip()
    except Exception:  # noqa: BLE001 - the repository's own __str__ may do anything
        return ""
    if "\n" not in said and len(said) <= LONGEST:
        return ""
    half = LONGEST_DETAIL // 2
    return said if len(said) <= LONGEST_DETAIL else f"{said[:half]}\n[…]\n{said[-half:]}"


def missing(error: BaseException) -> str:
    """The module, attribute, name or parameter, as f(x), whose absence an error is about; empty when it is none."""
    if isinstance(error, ModuleNotFoundError):
        return error.name or ""
    if isinstance(error, ImportError):
        found = re.search(r"cannot import name '([^']+)'", str(error))
        return ".".join(part for part in (error.name, found[1]) if part) if found else ""
    if isinstance(error, UnboundLocalError):
        return ""
    if isinstance(error, NameError):
        return getattr(error, "name", None) or _first_quoted(error)
    if isinstance(error, AttributeError):
        return _attribute(error)
    if isinstance(error, TypeError):
        found = re.match(r"([\w.]+)\(\) got an unexpected keyword argument '(\w+)'", str(error))
        return f"{found[1].removesuffix('.__init__')}({found[2]})" if found else ""
    return ""


def _attribute(error: AttributeError) -> str:
    name = getattr(error, "name", None)
    owner = getattr(error, "obj", None)
    if not name:
        found = re.search(r"'([^']+)'(?: object)? has no attribute '([^']+)'", str(error))
        return f"{found[1]}.{found[2]}" if found else ""
    if isinstance(owner, types.ModuleType):
        return f"{owner.__name__}.{name}"
    kind = owner if isinstance(owner, type) else type(owner)
    return f"{kind.__name__}.{name}"


def _first_quoted(error: BaseException) -> str:
    found = re.search(r"'([^']+)'", str(error))
    return found[1] if found else ""


def _is_pytest_failure(error: BaseException) -> bool:
    kinds = [kind.__name__ for kind in type(error).__mro__]
    return kinds[0] == "Failed" and "OutcomeException" in kinds


SET_UP = frozenset(("setUp", "asyncSetUp", "setUpClass", "setUpModule", "tearDown", "asyncTearDown", "tearDownClass"))


FILE_ERRORS = frozenset(
    (errno.ENOENT, errno.EEXIST, errno.EISDIR, errno.ENOTDIR, errno.EINVAL, errno.ENAMETOOLONG, errno.ELOOP)
)
"""What a path itself can be wrong for. Everything else that a system refuses may be this machine's: rights, network."""


def raised_in(error: BaseException, root: str) -> str:
    """The file of the repository in which an error came up, the innermost one.

    Empty when a test was being set up, and for an error that may be this machine's, not the code's.
    """
    if isinstance(error, (ImportError, MemoryError)) or not isinstance(error, Exception):
        return ""
    if isinstance(error, OSError) and error.errno not in FILE_ERRORS:
        return ""
    found, at = "", error.__traceback__
    while at is not None:
        frame, at = at.tb_frame, at.tb_next
        if frame.f_code.co_name in SET_UP or frame.f_globals.get("__name__") == "subprocess":
            return ""
        if not frame.f_code.co_filename.startswith(root):
            continue
        module = sys.modules.get(str(frame.f_globals.get("__name__")))
        # Text that was compiled under the name of a file is not that file.
        honest = module is not None and vars(module) is frame.f_globals
        found = frame.f_code.co_filename[len(root) :] if honest else found
    return found


def line_in(error: BaseException, path: str) -> int:
    """The last line of a file the error passed through; 0 when it did not."""
    if isinstance(error, SyntaxError) and error.filename == path:
        return error.lineno or 0
    line, at = 0, error.__traceback__
    while at is not None:
        if at.tb_frame.f_code.co_filename == path:
            line = at.tb_lineno
        at = at.tb_next
    return line
