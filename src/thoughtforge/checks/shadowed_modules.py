"""No new file shadows a module of the language, the test tools or the project."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import PurePosixPath

from thoughtforge.gate.context import Category, CheckContext, Moment
from thoughtforge.gate.findings import Severity, Violation
from thoughtforge.kernel.model import Value

CATEGORY: Category = "honesty"
MOMENT: Moment = "new_file"
SEVERITY: Severity = "critical"
DESCRIPTION = "No new file shadows a module of the standard library, of a test tool or of the project."
HINT = "Give it another name, or put it inside the project's package."
ACTIVE = True
RUFF: tuple[str, ...] = ()
ENDINGS: tuple[str, ...] = ()

TEST_TOOLS = frozenset(
    (
        *("pytest", "_pytest", "py", "pluggy", "iniconfig", "packaging", "pygments", "exceptiongroup", "tomli"),
        *("coverage", "pytest_cov", "xdist", "execnet", "hypothesis", "pytest_asyncio", "anyio", "nose", "nose2"),
        *("mock", "responses", "freezegun", "testfixtures", "trio", "tox", "ruff", "ty", "mypy"),
    )
)
"""Modules that judge, or that what judges is made of."""
STUB_HINT = "Write the types into the module itself."
LOADED = (".py", ".pyi", ".pyc", ".so", ".pyd")
TOPS = frozenset((".", "src", "lib", "python"))
TEST_FOLDERS = frozenset(("test", "tests", "testing"))


class Options(Value):
    """Names the project has to use."""

    allowed: tuple[str, ...] = ()
    """Module names that a new file may use."""


async def run(context: CheckContext, options: Options) -> list[Violation]:
    """Every new file that would be imported instead of what its name says."""
    if context.changed is None and not context.base_paths():
        return []  # nothing to compare with
    files = [path for path in context.paths if path.endswith(LOADED) and (context.root / path).exists()]
    new = [path for path in files if context.base_text(path) is None]
    known = set(context.base_paths()) if new else set()
    unknown = [path for path in new if path not in known]
    shadows = [found for path in unknown for found in _shadows(context, path, known, options)]
    return [*shadows, *(found for path in unknown for found in _stub(context, path))]


def _stub(context: CheckContext, path: str) -> Iterator[Violation]:
    """A stub beside a module is all that type checkers read of it, whatever the module says."""
    module = path.removesuffix("i")
    if path.endswith(".pyi") and context.text(module):
        yield Violation(path, 1, f"type checkers would read {path} instead of {module}", anchor=path, hint=STUB_HINT)


def _shadows(context: CheckContext, path: str, known: set[str], options: Options) -> Iterator[Violation]:
    """At most one finding: the outermost name that is taken counts."""
    parts = PurePosixPath(path).parts
    for at, part in enumerate(parts):
        name = part.split(".")[0]
        if name in options.allowed or not _taken(name) or not _begins(context, "/".join(parts[:at]) or "."):
            continue
        place = "/".join(parts[: at + 1])
        if not any(each.startswith(f"{place}/") for each in known):
            whose = "the standard library" if name in sys.stdlib_module_names else "the checking tools"
            yield Violation(path, 1, f"{place} would be imported instead of {name} of {whose}", anchor=place)
        return


def _taken(name: str) -> bool:
    """Whether a module of that name is there already; `test` is one too, which nobody means."""
    return (name in sys.stdlib_module_names and name != "test") or name in TEST_TOOLS or name.endswith("-stubs")


def _begins(context: CheckContext, folder: str) -> bool:
    """Whether imports may begin in a folder: at the top, and where pytest puts a folder of tests on the path."""
    if folder in TOPS:
        return True
    place = context.root / folder
    tests = PurePosixPath(folder).name in TEST_FOLDERS or (place / "conftest.py").exists()
    return tests and not (place / "__init__.py").exists()
