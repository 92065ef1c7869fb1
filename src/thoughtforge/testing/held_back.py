"""Runs held-back cases: each in its own sandbox and process, which knows the input and not the expected result."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple

from thoughtforge.sandbox import process
from thoughtforge.sandbox import sandbox as boxes
from thoughtforge.sandbox.box import Mount, ResourceLimits, SandboxResult, SandboxSpec
from thoughtforge.sandbox.sandbox import SEARCH_PATH, Sandbox
from thoughtforge.testing.cases import AnyCase, ArgvCase, CallCase, HeldBackFile
from thoughtforge.testing.compare import unlike_argv, unlike_call, unlike_http
from thoughtforge.testing.language import languages
from thoughtforge.testing.report import Environment, SuiteRun

PROBE = Path(__file__).parent / "inside" / "probe.py"
BESIDE = (PROBE, PROBE.with_name("plain.py"), PROBE.with_name("tree.py"))
LIMITS = ResourceLimits(wall_seconds=30.0)
AT_ONCE = 4
MAX_ANSWER = 16 * 1024 * 1024
PATTERN_SECONDS = 5.0
SEARCH = "import json, re, sys; pattern, text = json.load(sys.stdin); sys.exit(0 if re.search(pattern, text) else 1)"


class CaseResult(NamedTuple):
    """What one case came to. The detail is for people; an agent may learn the criterion alone."""

    criterion: str
    outcome: Literal["pass", "fail", "broken"]
    detail: str = ""
    name: str = ""
    """What it is called when a person is asked about it."""
    imported: bool = True
    """Whether the code could be imported; otherwise nothing of it was tried."""


async def try_cases(
    cases: Sequence[AnyCase],
    *,
    root: Path,
    environment: Environment,
    sandbox: Sandbox,
    config: Mapping[str, str] | None = None,
    limits: ResourceLimits = LIMITS,
) -> tuple[CaseResult, ...]:
    """Try every case against the checkout at `root`; `config` are its packaging files as the base commit has them."""
    job = SuiteRun(root=root, environment=environment, config=config or {}, limits=limits)
    room = asyncio.Semaphore(AT_ONCE)

    async def tried(case: AnyCase) -> CaseResult:
        async with room:
            return await _try(case, job, sandbox)

    return tuple(await asyncio.gather(*map(tried, cases)))


def add_file(root: Path, file: HeldBackFile) -> None:
    """Put a held-back test file into a checkout made for one run."""
    place = root / file.path
    if not place.resolve().is_relative_to(root.resolve()):
        raise ValueError(f"{file.path} is outside the checkout")
    place.parent.mkdir(parents=True, exist_ok=True)
    place.unlink(missing_ok=True)  # never written through a link that stands in its place
    place.write_text(file.text, encoding="utf-8")


async def _try(case: AnyCase, job: SuiteRun, sandbox: Sandbox) -> CaseResult:
    python = job.environment.python
    if python is None:
        return CaseResult(case.criterion, "broken", "the environment has no Python to run cases with")
    packages = site_packages(python)
    search = os.pathsep.join([*map(str, job.environment.path), SEARCH_PATH])
    places = _places(job)
    # Other interpreters find their packages in places of their own, which only their start-up code knows.
    alone = ("-I", "-S", "-B") if packages else ("-I", "-B")
    box = SandboxSpec(
        cwd=Path("/"),
        mounts=(Mount(job.root), *job.environment.mounts, *map(Mount, BESIDE)),
        env={
            "PATH": search,
            "PYTHONPATH": os.pathsep.join(places),
            "PYTHONDONTWRITEBYTECODE": "1",
            "PYTHONPYCACHEPREFIX": "/dev/null",
            "PYTHONSAFEPATH": "1",
            "PYTHONHASHSEED": "0",
            "TZ": "UTC",
        },
        limits=job.limits,
    )
    request = _request(case, job) | {"root": str(job.root), "paths": places}
    request["packages"] = [str(place) for place in packages]
    request["metadata"] = _metadata(job)
    argv = [python, *alone, PROBE]
    ended = await boxes.run(sandbox, box, argv, stdin=json.dumps(request).encode(), max_output=MAX_ANSWER)
    return await _judged(case, ended)


def site_packages(python: Path) -> tuple[Path, ...]:
    """The folder of packages of a virtual environment, by its interpreter; empty for any other interpreter."""
    prefix = python.parent.parent
    return tuple(sorted(prefix.glob("lib/python*/site-packages"))) if (prefix / "pyvenv.cfg").is_file() else ()


def _request(case: AnyCase, job: SuiteRun) -> dict[str, Any]:
    """What the sandbox gets: the input, and nothing of the expected result."""
    given: dict[str, Any]
    if isinstance(case, CallCase):
        on = {"$": "new", **case.on} if case.on is not None else None
        given = {"target": case.target, "args": case.args, "kwargs": case.kwargs, "on": on}
    else:
        given = {"argv": _argv(case.argv, job)}
        if isinstance(case, ArgvCase):
            given |= {"stdin": case.stdin, "reads": list(case.writes)}
        else:
            given |= {"method": case.method, "path": case.path, "headers": case.headers, "body": case.body}
    return {"kind": case.kind, "files": case.files, **given}


def _argv(argv: Sequence[str], job: SuiteRun) -> list[str]:
    """A command line inside the box: a program of a language, or a file of its tree."""
    first, *rest = [part.replace("{root}", str(job.root)) for part in argv]
    for language in languages().values():
        known = language.proofs.command_line((first, *rest), job) if language.proofs.command_line else None
        if known is not None:
            return known
    return [str(job.root / first) if "/" in first else first, *rest]


def _places(job: SuiteRun) -> list[str]:
    """Folders of the tree that code is imported from."""
    known = [each.proofs.import_places for each in languages().values() if each.proofs.import_places]
    return [str(place) for places in known for place in places(job)]


def _metadata(job: SuiteRun) -> dict[str, str]:
    """What an installer would write about the project, as the tests have it."""
    known = [each.proofs.metadata(job) for each in languages().values() if each.proofs.metadata]
    return {name: text for files in known for name, text in files.items()}


async def _judged(case: AnyCase, ended: SandboxResult) -> CaseResult:
    facts = _facts(ended.stdout)
    if not facts or facts[0].get("ready") is not True:
        errors = ended.stderr.decode("utf-8", "replace").strip()[-500:]
        return CaseResult(
            case.criterion, "broken", f"the case could not be started: {errors or ended.stopped or ended.code}"
        )
    if ended.stopped:
        return CaseResult(case.criterion, "fail", f"it was ended by the limit {ended.stopped}")
    if len(facts) < 2:
        return CaseResult(case.criterion, "fail", f"the process ended without an answer (exit code {ended.code})")
    if isinstance(said := facts[1].get("unimportable"), str):
        return CaseResult(case.criterion, "fail", said, imported=False)
    try:
        wrong = _unlike(case, facts[1]) + await _unmatched(case, facts[1])
    except (KeyError, TypeError, ValueError, AttributeError, RecursionError):
        # What the box tells may be anything: an answer that is not put together like one is a wrong answer.
        wrong = ["its answer is invalid"]
    return CaseResult(case.criterion, "fail" if wrong else "pass", "; ".join(wrong))


def _facts(data: bytes) -> list[dict[str, Any]]:
    facts = []
    for line in data.splitlines():
        try:
            fact = json.loads(line)
        except (ValueError, RecursionError):
            break
        if not isinstance(fact, dict):
            break
        facts.append(fact)
    return facts


def _unlike(case: AnyCase, answer: Mapping[str, Any]) -> list[str]:
    if isinstance(case, CallCase):
        return unlike_call(case, answer)
    return unlike_argv(case, answer) if isinstance(case, ArgvCase) else unlike_http(case, answer)


async def _unmatched(case: AnyCase, answer: Mapping[str, Any]) -> list[str]:
    """A pattern that is not found. Tried in a process of its own, for it may run for ever."""
    pattern = case.property.matches if isinstance(case, CallCase) and case.property is not None else ""
    if not pattern:
        return []
    value = answer.get("value")
    if not isinstance(value, str):
        return [f"it is not text, so it cannot match {pattern!r}"]
    argv = [sys.executable, "-I", "-S", "-c", SEARCH]
    given = json.dumps([pattern, value]).encode()
    ended = await process.run(argv, cwd=Path("/"), env={}, stdin=given, wall_seconds=PATTERN_SECONDS)
    return [] if ended.code == 0 else [f"it does not match {pattern!r}"]
