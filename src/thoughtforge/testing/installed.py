"""What an environment holds: packages, the engine's own test tools, and never the project itself."""

from __future__ import annotations

import compileall
import hashlib
import importlib.metadata
import json
import re
import shutil
import sys
import tempfile
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path, PurePosixPath

from thoughtforge.kernel.errors import UserError
from thoughtforge.sandbox import sandbox as boxes
from thoughtforge.sandbox.box import Mount, ResourceLimits, SandboxSpec
from thoughtforge.sandbox.sandbox import Sandbox
from thoughtforge.testing.imports import normal
from thoughtforge.testing.report import Environment

TOOLS = ("pytest", "coverage")


def tools_layer(environments: Path, names: Sequence[str] = TOOLS) -> Path:
    """A folder with these tools and what they need, copied once from our own installation."""
    wanted = sorted(_with_needs(names), key=lambda each: normal(each.name))
    identity = "\n".join([sys.implementation.cache_tag or "", *(f"{each.name} {each.version}" for each in wanted)])
    digest = hashlib.sha256(identity.encode()).hexdigest()[:16]
    folder = environments / f"tools-{digest}"
    if not folder.is_dir():
        environments.mkdir(parents=True, exist_ok=True)
        aside = Path(tempfile.mkdtemp(prefix="tools-new-", dir=environments))
        try:
            for distribution in wanted:
                _copy(distribution, aside)
            # a box cannot write beside it, so what is not compiled here is compiled anew in every run
            compileall.compile_dir(aside, quiet=2, stripdir=str(aside), prependdir=str(folder))
            aside.chmod(0o755)
            _take_place(aside, folder)
        finally:
            shutil.rmtree(aside, ignore_errors=True)
    return folder


def _take_place(aside: Path, folder: Path) -> None:
    try:
        aside.rename(folder)
    except OSError:
        if not folder.is_dir():  # another process was first, and made the same
            raise


def _with_needs(names: Sequence[str]) -> list[importlib.metadata.Distribution]:
    found: dict[str, importlib.metadata.Distribution] = {}
    pending = list(names)
    while pending:
        name = pending.pop()
        if normal(name) in found:
            continue
        try:
            found[normal(name)] = importlib.metadata.distribution(name)
        except importlib.metadata.PackageNotFoundError as error:
            if name in names:
                raise UserError(
                    f"{name} is not installed", do="Install it: pip install 'thoughtforge[code]'."
                ) from error
            continue  # needed on other systems or versions only
        pending += _needed(found[normal(name)])
    return list(found.values())


def _needed(distribution: importlib.metadata.Distribution) -> Iterator[str]:
    for line in distribution.requires or ():
        name = re.match(r"[\w.-]+", line)
        if name and "extra" not in line.partition(";")[2]:
            yield name[0]


def _copy(distribution: importlib.metadata.Distribution, folder: Path) -> None:
    for path in distribution.files or ():
        source = Path(str(path.locate()))
        if path.parts[0] == ".." or path.suffix == ".pyc" or not source.is_file():
            continue  # programs for the shell live outside and are not needed
        target = folder.joinpath(*path.parts)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, target)


METADATA = re.compile(r"(?P<name>[A-Za-z0-9._]+?)(-(?P<version>[^-]+))?(-py[\d.]+)?\.(dist-info|egg-info|egg-link)")
ASK = """
import importlib.util, json, sys
found = {}
for name in sys.argv[1:]:
    try:
        spec = importlib.util.find_spec(name)
    except (ImportError, ValueError, AttributeError):
        continue
    if spec is not None:
        found[name] = str(spec.origin or list(spec.submodule_search_locations or ["?"])[0])
print(json.dumps(found))
"""
LIMITS = ResourceLimits(wall_seconds=60.0)
REMEDY = "remove it from the environment (pip uninstall), or unset `setup.python`"
NOT_PRODUCT = {
    "tests",
    "test",
    "testing",
    "docs",
    "doc",
    "examples",
    "scripts",
    "tools",
    "benchmarks",
    "setup",
    "conftest",
}


def site_folders(environment: Environment) -> tuple[Path, ...]:
    """Where the packages of an environment are; empty when only its interpreter knows."""
    if environment.python is None:
        return ()
    prefix = environment.python.absolute().parents[1]
    return tuple(sorted(prefix.glob("lib/python*/site-packages")))


def installed(prefix: Path) -> list[str]:
    """The distributions below a prefix, as `name==version`."""
    folders = prefix.glob("lib/python*/site-packages/*.dist-info")
    found = [METADATA.fullmatch(folder.name) for folder in folders]
    return sorted(f"{normal(each['name'])}=={each['version']}" for each in found if each)


def contents(prefix: Path) -> str:
    """A digest of what is installed below a prefix: every distribution with the list of its files, every added path."""
    found = hashlib.sha256()
    for entry in sorted(prefix.glob("lib/python*/site-packages/*")):
        listed = entry / "RECORD" if entry.suffix == ".dist-info" else entry
        if entry.suffix in (".dist-info", ".pth", ".egg-link") and listed.is_file():
            found.update(listed.read_bytes())
        elif entry.suffix in (".dist-info", ".egg-info"):
            found.update(str(entry.stat().st_mtime_ns).encode())
        if entry.name != "__pycache__":
            found.update(entry.name.encode("utf-8", "surrogateescape") + b"\0")
    return found.hexdigest()[:16]


def product_names(paths: Collection[str]) -> tuple[str, ...]:
    """The packages and modules a tree provides at its root or below `src`, tests and the like left out."""
    found = set()
    for path in paths:
        parts = PurePosixPath(path).parts
        parts = parts[1:] if parts[0] == "src" and len(parts) > 1 else parts
        if len(parts) == 1 and parts[0].endswith(".py"):
            found.add(parts[0][:-3])
        elif len(parts) == 2 and parts[1] == "__init__.py":
            found.add(parts[0])
    return tuple(
        sorted(
            name for name in found if name.isidentifier() and name not in NOT_PRODUCT and not name.startswith("test_")
        )
    )


async def holds_project(
    environment: Environment, names: Sequence[str], *, distribution: str = "", sandbox: Sandbox
) -> tuple[str, ...]:
    """Every way in which the project itself can be imported from its environment; empty when it cannot."""
    problems = [problem for site in site_folders(environment) for problem in _seen(site, names, distribution)]
    if environment.python is not None and names:
        problems += await _asked(environment, names, sandbox)
    return tuple(dict.fromkeys(f"{problem}: {REMEDY}" for problem in problems))


def _seen(site: Path, names: Sequence[str], distribution: str) -> Iterator[str]:
    """What the files say, without running anything."""
    for entry in sorted(site.iterdir()):
        found = METADATA.fullmatch(entry.name)
        if found and distribution and normal(found["name"]) == normal(distribution):
            kind = "installed as a link to a checkout" if _is_linked(entry) else "installed"
            yield f"{distribution} itself is {kind} in the environment"
        elif entry.suffix == ".pth":
            yield from _leading_out(entry, names)


def _is_linked(metadata: Path) -> bool:
    if metadata.suffix == ".egg-link":
        return True
    try:
        url = json.loads((metadata / "direct_url.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False
    return isinstance(url, dict) and bool((url.get("dir_info") or {}).get("editable"))


def _leading_out(pth: Path, names: Sequence[str]) -> Iterator[str]:
    """Lines of a .pth file that put a folder with the project on the path."""
    try:
        lines = pth.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return
    for line in lines:
        if line.startswith(("import ", "import\t", "#")) or not line.strip():
            continue
        place = (pth.parent / line.strip()).resolve()
        having = [name for name in names if (place / name).is_dir() or (place / f"{name}.py").is_file()]
        if having and place != pth.parent.resolve():
            yield f"{pth.name} points to {place}, which contains {having[0]}"


async def _asked(environment: Environment, names: Sequence[str], sandbox: Sandbox) -> list[str]:
    """Ask the interpreter itself, in a box without any tree: whatever it finds is not the tree's."""
    box = SandboxSpec(
        cwd=Path("/"), mounts=tuple(dict.fromkeys((*environment.mounts, *_own(environment)))), limits=LIMITS
    )
    ended = await boxes.run(sandbox, box, [str(environment.python), "-I", "-B", "-c", ASK, *names])
    try:
        found = json.loads(ended.stdout)
    except ValueError:
        said = ended.stderr.decode("utf-8", "replace").strip().splitlines()[-1:]
        return [f"the environment's interpreter does not run ({' '.join(said) or ended.stopped or ended.code})"]
    return [f"{name} can be imported from {origin}, outside the tree under test" for name, origin in found.items()]


def _own(environment: Environment) -> tuple[Mount, ...]:
    return tuple(Mount(place) for place in environment.python_path)
