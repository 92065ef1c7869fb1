"""The gate alone, on any repository as it lies there: what `thoughtforge check` does."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from thoughtforge.catalog import Catalog
from thoughtforge.code.green import ID
from thoughtforge.gate import cache
from thoughtforge.gate.active import check_names
from thoughtforge.gate.cache import BaseFiles, remember
from thoughtforge.gate.commands import CommandSandbox
from thoughtforge.gate.conformance import KIND, Conformance, load
from thoughtforge.gate.findings import GateVerdict
from thoughtforge.gate.reports import as_data, written
from thoughtforge.gate.run import Gate, GateConfig
from thoughtforge.kernel.errors import UserError
from thoughtforge.sandbox import sandbox as boxes
from thoughtforge.service.app import App
from thoughtforge.store.home import GITIGNORE
from thoughtforge.testing.installed import contents
from thoughtforge.testing.language import fitting, runner
from thoughtforge.workspaces.git import Git, find_repository

HOME_IN_TREE = ".thoughtforge/"
ENVIRONMENTS = (".venv", "venv")


class CheckResult(NamedTuple):
    """What a look at a repository came to."""

    verdict: GateVerdict
    base: str
    """The commit whose configuration counted."""
    files: int
    warnings: tuple[str, ...]


async def check(app: App, paths: Sequence[str] = (), *, new_since: str | None = None) -> CheckResult:
    """Run every check on the files as they are now; with a revision only what came after it counts."""
    git = Git(await find_repository(app.cwd, path=app.search_path), path=app.search_path)
    before = await BaseFiles.read(git, await _commit(git, new_since))
    conformance = conformance_of(app, before)
    everything = [path for path in await listed(git) if not _our_own(git.repository.root, path, before)]
    wanted = _wanted(app.cwd, git.repository.root, paths, (*everything, *before.paths))
    with tempfile.TemporaryDirectory(prefix="thoughtforge-check-") as place:
        config = await _gate_config(app, conformance, everything, git.repository.root, Path(place))
        gate = Gate(git.repository.root, conformance, before=before, config=config, against_base=new_since is not None)
        try:
            await gate.open(everything)
            verdict = await _verdict(gate, wanted, before, new_since is not None)
        finally:
            await gate.close()
    _remember(app, verdict)
    return CheckResult(verdict, before.commit, len(wanted), _unused(git.repository.root, before))


def conformance_of(app: App, before: BaseFiles) -> Conformance:
    """What applies at a commit: built-in files, the person's own, and those of the commit."""
    project = {
        path.removeprefix(HOME_IN_TREE): text
        for path, text in before.texts.items()
        if path.startswith(f"{HOME_IN_TREE}{KIND}/") and path.endswith(".yaml") and path.count("/") == 2
    }
    user = app.user_folder if app.user_folder.is_dir() else None
    return load(Catalog(project=project, user=user), check_names())


async def listed(git: Git) -> tuple[str, ...]:
    """The files of the working copy: tracked ones and new ones that are not ignored."""
    raw = await git.output("ls-files", "-z", "--cached", "--others", "--exclude-standard", work_tree=True)
    return tuple(sorted({os.fsdecode(name) for name in raw.split(b"\0") if name}))


def test_files(root: Path, paths: Sequence[str]) -> Callable[[str], bool]:
    """Which files are tests, as the runners say that fit the files as they are."""
    texts = {path: root / path for path in paths if (root / path).is_file()}
    known = [runner(name) for name in fitting(paths, lambda path: _text(texts.get(path)))]
    return lambda path: any(each.is_test(path) for each in known)


def _text(path: Path | None) -> str:
    return path.read_text(encoding="utf-8", errors="replace") if path else ""


def _our_own(root: Path, path: str, before: BaseFiles) -> bool:
    """Whether this program put a file there itself, when it made its home; nobody chose that."""
    ours = path == f"{HOME_IN_TREE}.gitignore" and path not in before.paths
    return ours and (root / path).read_text(encoding="utf-8", errors="replace") == GITIGNORE


async def _verdict(gate: Gate, wanted: tuple[str, ...], before: BaseFiles, against_base: bool) -> GateVerdict:
    if not against_base:
        return await gate.whole(tuple(path for path in wanted if path in gate.files.texts))
    texts = gate.files.texts
    known = set(before.paths)
    gone = known - texts.keys()
    differing = {path for path in texts if path not in known or texts[path] != before.texts.get(path, "")}
    return await gate.stage_end(tuple(path for path in wanted if path in differing | gone))


async def _commit(git: Git, revision: str | None) -> str:
    if revision is None:
        return await git.head()
    ended = await git.call("rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}")
    if ended.code == 0:
        return ended.stdout.decode().strip()
    raise UserError(
        f"{git.repository.root} has no commit {revision!r}",
        do="Name a commit, branch or tag that exists here; a shallow clone may lack it: git fetch --unshallow",
    )


async def _gate_config(app: App, conformance: Conformance, paths: Sequence[str], root: Path, place: Path) -> GateConfig:
    environment = next((root / name for name in ENVIRONMENTS if (root / name / "pyvenv.cfg").is_file()), None)
    sandbox = None
    if conformance.commands:
        sandbox = await boxes.find(app.search_path, allow_weak=app.loaded.config.sandbox.allow_weak)
    return GateConfig(
        place=place,
        search_path=app.search_path,
        environment=environment,
        environment_digest=contents(environment) if environment else "",
        is_test=test_files(root, paths),
        surroundings=CommandSandbox(sandbox),
        kept=app.home.findings if app.home.root.is_dir() else None,
    )


def _wanted(cwd: Path, root: Path, paths: Sequence[str], known: Sequence[str]) -> tuple[str, ...]:
    """The files a person means by names of files and folders; all of them without a name."""
    everything = tuple(dict.fromkeys(known))
    if not paths:
        return everything
    named = {path: _inside(cwd, root, path) for path in paths}
    found = {path: [each for each in everything if _below(each, inside)] for path, inside in named.items()}
    missing = [path for path in paths if not found[path]]
    if missing:
        raise UserError(
            f"the repository has no file at {', '.join(missing)}",
            do="Name files or folders of this repository that git does not ignore.",
        )
    return tuple(dict.fromkeys(each for path in paths for each in found[path]))


def _inside(cwd: Path, root: Path, path: str) -> str:
    joined = cwd / path
    # a link is named, never followed; what it is in may be reached by links
    place = joined.resolve() if joined.name in ("", "..") else joined.parent.resolve() / joined.name
    return place.relative_to(root).as_posix() if place.is_relative_to(root) else "../"


def _below(path: str, place: str) -> bool:
    return place in (".", path) or path.startswith(f"{place}/")


def _remember(app: App, verdict: GateVerdict) -> None:
    found = (*verdict.existing, *verdict.new)
    if found:
        app.home.prepare()
        remember(app.home.root, found)


def _unused(root: Path, before: BaseFiles) -> tuple[str, ...]:
    """Configuration in the working copy that does not count because it is not committed."""
    found = []
    for file in sorted((root / HOME_IN_TREE / KIND).glob("*.yaml")):
        name = f"{HOME_IN_TREE}{KIND}/{file.name}"
        if file.read_text(encoding="utf-8", errors="replace") != before.texts.get(name):
            found.append(f"{name} is ignored as it is here: only the version in commit {before.commit[:12]} counts")
    return tuple(found)


def report_data(checked: CheckResult) -> dict[str, Any]:
    """The findings and where they come from, as JSON data."""
    facts = {"base": checked.base, "files": checked.files, "warnings": list(checked.warnings)}
    return {**facts, **as_data(checked.verdict)}


def report_text(checked: CheckResult, form: str, *, version: str) -> str:
    """The findings in one of the formats people and tools read."""
    return written(checked.verdict, form, version=version)


async def request_for(app: App, asked: str) -> str:
    """The request for one finding; one that nobody knows or that is gone is a UserError."""
    wanted = asked.strip()
    if not ID.fullmatch(wanted):
        raise UserError(
            f"{wanted[:80]!r} is not the id of a finding",
            do="List them: thoughtforge check; then: thoughtforge fix V-…",
        )
    known = cache.find(app.home.root, wanted)
    now = await check(app)
    if all(finding.id != wanted for finding in now.verdict.new):
        raise UserError(f"{wanted} is gone: {known.path} no longer has it", do="Nothing is left to fix.")
    return f"Fix {wanted} in {known.path}:{known.line} ({known.check}): {known.message}. {known.hint}".strip()
