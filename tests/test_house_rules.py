"""The house rules of AGENTS.md that a program can check: size, names, docstrings, what may be mentioned where."""

from __future__ import annotations

import ast
import re
import subprocess
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

from thoughtforge.catalog import extension, extension_names
from thoughtforge.cli.main import COMMANDS

ROOT = Path(__file__).parents[1]
SRC = ROOT / "src" / "thoughtforge"
SOURCES = sorted(SRC.rglob("*.py"))
PYTHON = sorted([*SOURCES, *(ROOT / "tests").rglob("*.py"), *ROOT.glob("scripts/*.py"), *ROOT.glob("bench/**/*.py")])
EXTENSIONS = ("providers", "tools", "drivers", "checks", "languages", "connectors", "notifiers", "polish.guards")

FILE_LINES = 400
FUNCTION_LINES = 60
KERNEL_LINES = 1_450
FORBIDDEN_NAMES = {"utils", "util", "helpers", "helper", "common", "base", "manager", "handler", "core", "misc"}


class Function(NamedTuple):
    """A function and how long it is."""

    place: str
    lines: int


def shown(path: Path) -> str:
    return str(path.relative_to(ROOT))


@cache
def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def functions(path: Path) -> Iterator[Function]:
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield Function(f"{shown(path)}: {node.name}", (node.end_lineno or node.lineno) - node.lineno + 1)


@cache
def names_used(path: Path) -> frozenset[str]:
    """Every dotted name in the code; comments and texts do not count."""
    return frozenset(_names(tree(path)))


def _names(module: ast.Module) -> Iterator[str]:
    for node in ast.walk(module):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            yield f"{node.value.id}.{node.attr}"
        elif isinstance(node, ast.Import | ast.ImportFrom):
            module = getattr(node, "module", None)
            yield from (f"{module}.{alias.name}" if module else alias.name for alias in node.names)


def tracked() -> list[Path]:
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    paths = [ROOT / name for name in listed.split("\0") if name]
    return [path for path in paths if path.is_file()]


def test_no_source_file_is_too_long_to_read() -> None:
    lines = {shown(path): len(path.read_text(encoding="utf-8").splitlines()) for path in SOURCES}
    assert {name: count for name, count in lines.items() if count > FILE_LINES} == {}
    assert len(lines) > 100


def test_no_function_is_too_long_to_read() -> None:
    found = [function for path in PYTHON for function in functions(path)]
    assert [function for function in found if function.lines > FUNCTION_LINES] == []
    assert len(found) > 500


def test_the_kernel_reads_in_one_sitting() -> None:
    texts = [path.read_text(encoding="utf-8") for path in (SRC / "kernel").glob("*.py")]
    count = sum(len(text.splitlines()) for text in texts)
    assert 500 < count <= KERNEL_LINES


def test_only_the_kernel_and_the_store_read_a_whole_log() -> None:
    """Everyone else asks the journal for a projection."""
    inside = (SRC / "kernel", SRC / "store")
    rest = [path for path in SOURCES if not any(path.is_relative_to(folder) for folder in inside)]
    assert [shown(path) for path in rest if re.search(r"\blog\.read\(", path.read_text(encoding="utf-8"))] == []


def test_every_module_says_what_it_is() -> None:
    empty = [
        shown(path) for path in PYTHON if path.read_text(encoding="utf-8").strip() and not ast.get_docstring(tree(path))
    ]
    assert empty == []


def test_a_package_says_nothing_but_the_version_and_what_extensions_offer() -> None:
    filled = {path.parent for path in SRC.rglob("__init__.py") if path.read_text(encoding="utf-8").strip()}
    filled -= {SRC, SRC / "polish" / "guards"}
    assert {folder.parent.name for folder in filled} <= {*EXTENSIONS, "deliverables"}
    for folder in (*filled, SRC / "polish" / "guards"):
        kinds = {type(node) for node in tree(folder / "__init__.py").body}
        assert kinds <= {ast.Expr, ast.ImportFrom, ast.Assign}, shown(folder)


def test_no_name_means_nothing() -> None:
    words = [path for path in (*PYTHON, *(path.parent for path in PYTHON)) if path.stem.strip("_") in FORBIDDEN_NAMES]
    assert [shown(path) for path in words] == []


def test_a_class_name_is_used_once() -> None:
    places: dict[str, list[str]] = {}
    for path in SOURCES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef) and node.name != "Options":  # every extension has some
                places.setdefault(node.name, []).append(shown(path))
    assert {name: found for name, found in places.items() if len(found) > 1} == {}


def test_only_settings_reads_the_environment() -> None:
    readers = {path for path in SOURCES if {"os.environ", "os.getenv", "os.environb"} & names_used(path)}
    in_the_box = SRC / "testing" / "inside"  # runs in the sandbox, where the environment is what the engine made it
    outside = {shown(path) for path in readers if path.parent != in_the_box}
    assert outside == {"src/thoughtforge/settings/environment.py"}


def test_what_runs_in_the_box_imports_nothing_of_the_engine() -> None:
    inside = sorted(SRC.glob("*/inside/*.py"))
    assert {path.parents[1].name for path in inside} == {"agent_runtime", "testing"}
    assert len(inside) > 6
    assert [shown(path) for path in inside if any(name.startswith("thoughtforge") for name in names_used(path))] == []


def test_only_the_assembly_owns_clock_and_chance() -> None:
    owned = {"datetime.now", "time.time", "secrets.choice", "random.random", "uuid.uuid4"}
    owners = {shown(path) for path in SOURCES if owned & names_used(path)}
    assert owners - {"src/thoughtforge/cli/status.py"} == {"src/thoughtforge/assembly.py"}


def test_only_stores_open_the_record_of_a_task() -> None:
    """Everyone else is handed a store; only the assembly makes one."""
    opening = re.compile(r"\b(?:FileLog|FileBlobs|FileInbox|lease|read_records|Home|FileStore|MemoryStore)\(")
    layout = re.compile(r"\bhome\.(?:folder|find|ids|tasks)\b")
    outside = [path for path in SOURCES if path.parent != SRC / "store" and path != SRC / "assembly.py"]
    found = [
        f"{shown(path)}: {line.strip()}"
        for path in outside
        for line in path.read_text(encoding="utf-8").splitlines()
        if opening.search(line) or layout.search(line)
    ]
    assert found == []


def test_tests_replace_nothing() -> None:
    patching = re.compile(r"(^|\.)mock(\.|$)|^monkeypatch\.(set|del)(attr|item)$")
    users = {shown(path): name for path in PYTHON for name in names_used(path) if patching.search(name)}
    assert users == {}


def test_the_test_for_patching_would_notice_it(tmp_path: Path) -> None:
    file = tmp_path / "test_x.py"
    file.write_text(
        "from unittest import mock\nimport os\n\ndef test(monkeypatch):\n    monkeypatch.setattr(os, 'x', 1)\n"
    )
    assert sorted(names_used(file)) == ["monkeypatch.setattr", "os", "unittest.mock"]


def test_no_path_of_one_machine_is_in_the_project() -> None:
    machine = re.compile(rb"(?<![\w.~$}-])/(?:root|work|home/[a-z][\w-]*|Users/[A-Za-z][\w-]*)(?=[/\s\"'`),:;]|$)")
    found = []
    for path in tracked():
        for number, line in enumerate(path.read_bytes().splitlines(), start=1):
            if machine.search(line) and path != Path(__file__):
                found.append(f"{shown(path)}, line {number}")
    assert found == []


def test_every_command_is_listed_and_every_listed_command_is_there() -> None:
    """The table of the command line names exactly the commands and groups its modules define at the top."""
    defined = re.compile(r"^@click\.(?:command|group)\(\"([a-z]+)\"[^\n]*\)\n(?:.*\n)*?^def (\w+)\(", re.M)
    found = {
        name: f"{path.stem}.{function}"
        for path in (SRC / "cli").glob("*.py")
        if path.stem != "main"
        for name, function in defined.findall(path.read_text(encoding="utf-8"))
    }
    assert found == {name: entry.place for name, entry in COMMANDS.items()}


def test_what_faces_people_imports_only_what_is_made_for_it() -> None:
    """Whoever adds a package does not add a way round: everything but these four is forbidden."""
    allowed = re.compile(
        r"thoughtforge(\.__version__|\.(cli|web|mcp_server|service|views|assembly)\b.*|\.kernel\.errors\..*)"
    )
    files = [path for name in ("cli", "web") for path in (SRC / name).glob("**/*.py")]
    files += [path for path in [SRC / "mcp_server.py"] if path.is_file()]
    wrong = {
        shown(path): name
        for path in files
        for name in names_used(path)
        if name.startswith("thoughtforge") and not allowed.fullmatch(name)
    }
    assert wrong == {}
    assert len(files) > 20


@pytest.mark.parametrize("package", EXTENSIONS)
def test_every_extension_is_in_the_manual(package: str) -> None:
    manual = (ROOT / "docs" / "extend.md").read_text(encoding="utf-8")
    ours = [name for name in extension_names(package) if list((SRC / package.replace(".", "/")).glob(f"{name}*"))]
    assert ours
    offered = {name: extension(package, name) for name in ours} if package == "checks" else {}
    words = [word for name in ours for word in getattr(offered.get(name), "CHECKS", [_word(package, name)])]
    assert [word for word in words if f"| `{word}` |" not in manual] == []


def _word(package: str, name: str) -> str:
    return name.replace("_", "-") if package == "checks" else name


def test_everything_extra_but_development_is_in_all() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    (everything,) = extras["all"]
    named = re.fullmatch(r"thoughtforge\[([a-z,]+)\]", everything)
    assert named
    assert sorted(named[1].split(",")) == sorted(name for name in extras if name not in ("all", "dev"))


def test_only_the_command_line_starts_an_event_loop() -> None:
    """What a server calls must not start a loop of its own."""
    starts = {shown(path) for path in SOURCES if "asyncio.run" in names_used(path) and path.parent.name != "cli"}
    assert starts == set()
