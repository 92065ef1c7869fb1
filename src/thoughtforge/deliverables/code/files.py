"""The files of a thought's code: which ones count, which criteria their tests carry, what was accepted."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from pathlib import PurePosixPath

from thoughtforge.agent.run import Run
from thoughtforge.code.exit import ExitReport
from thoughtforge.code.session import Baseline
from thoughtforge.coding.building import StageBuild
from thoughtforge.kernel.events import Measured
from thoughtforge.kernel.model import JsonObject, Stage
from thoughtforge.testing.language import language_of
from thoughtforge.think.deliverable import write_of
from thoughtforge.workspaces.changes import changes
from thoughtforge.workspaces.project import Project

OPENING, CLOSING = "{", ")]}"


def body(test: str, text: str) -> str:
    """What stands in a test, its decorators included; empty when its name leads nowhere in its file."""
    path, _, rest = test.partition("::")
    names = rest.partition("[")[0].split("::")
    language = language_of(path)
    if language is not None and language.test_body is not None:
        return language.test_body(names, text)
    return _indented(names[-1].rpartition(" > ")[2].strip(), text)


def _indented(name: str, text: str) -> str:
    """From the line that names the test to the line that closes it, or to the next that is indented no deeper."""
    lines = text.splitlines()
    word = re.escape(name)
    here = re.compile(rf"(?<!\w){word}\s*\(|([\"'`]){word}\1")
    start = next((at for at, line in enumerate(lines) if here.search(line)), None) if name else None
    if start is None:
        return ""
    kept = [lines[start]]
    for line in lines[start + 1 :]:
        if line.strip() and _indent(line) <= _indent(lines[start]) and not line.lstrip().startswith(OPENING):
            return "\n".join([*kept, line] if line.lstrip()[0] in CLOSING else kept)
        kept.append(line)
    return "\n".join(kept)


def _indent(line: str) -> int:
    return len(line.expandtabs()) - len(line.expandtabs().lstrip())


OURS = ("docs", "resources", ".git", ".thoughtforge")
"""Folders that are not part of the code."""
LARGEST = 512 * 1024


async def sources(project: Project) -> dict[str, str]:
    """Path → text of every file of the code: what git ignores, links, large and binary files are left out."""
    found: dict[str, str] = {}
    for name in filter(is_code, await project.files()):
        path = project.root / name
        if path.is_file() and not path.is_symlink() and path.stat().st_size <= LARGEST:
            data = path.read_bytes()
            if b"\0" not in data:
                found[name] = data.decode("utf-8", "replace")
    return found


def is_source(path: str) -> bool:
    """Whether a file of the code is source: documents alone are no code."""
    return is_code(path) and write_of(path) == "file_create_source"


def is_code(path: str) -> bool:
    """Whether a file of the project is part of the code."""
    first = PurePosixPath(path).parts[:1]
    return bool(first) and first[0] not in OURS


def uncovered(criteria: Collection[str], collected: Collection[str], files: Mapping[str, str]) -> tuple[str, ...]:
    """Criteria no collected test carries, in its name or inside its text."""
    texts = [f"{test}\n{body(test, files.get(test.partition('::')[0], ''))}" for test in collected]
    return tuple(one for one in criteria if not any(_carries(text, one) for text in texts))


def _carries(text: str, criterion: str) -> bool:
    letters, _, number = criterion.partition("-")
    return re.search(rf"(?<![a-z0-9]){letters}[-_]?{number}(?!\d)", text, re.IGNORECASE) is not None


def specification(run: Run, handed: JsonObject | None = None) -> JsonObject:
    """What must be proved; the interface the tests assume is promised too, once it is handed in or accepted."""
    accepted = run.record.accepted()
    proposal = accepted["proposal"]
    given = handed if handed is not None else accepted.get("test_suite", {})
    return {
        "title": accepted["intent"]["title"],
        "description": " ".join([proposal["overview"], *(part["purpose"] for part in proposal["structure"])]),
        "requirements": [
            {
                "id": row["id"],
                "description": row["text"],
                "priority": "must",
                "acceptance_criteria": [row["text"]],
                "verification_method": "test",
            }
            for row in proposal.get("criteria") or ()
        ],
        "interfaces": list(given.get("interface", [])),
    }


ACCEPTED = "accepted"
"""The measurement that names the tests of the newest version that was accepted."""


def is_accepted(run: Run) -> bool:
    """Whether a build was accepted."""
    return "composition" in run.record.journal.state.artifacts()


def accept(run: Run, stage: Stage, exit: ExitReport) -> None:
    """From here on these tests must pass."""
    known = run.record.journal.state.measured.get(ACCEPTED)
    if known is not None and known.tree == exit.tree:
        return
    results: dict[str, str] = exit.report.get("results", {})
    run.record.journal.append(
        Measured(
            step=run.record.journal.state.used.steps,
            what=ACCEPTED,
            outcome="pass",
            summary=f"{stage.name}: {sum(one == 'passed' for one in results.values())} tests pass",
            tree=exit.tree,
            report=run.record.put({"results": results}),
        )
    )


async def accepted_tests(site: StageBuild) -> Baseline:
    """The tests of what was accepted last; those in files a person has changed since are theirs to keep or drop."""
    known = site.run.record.journal.state.measured.get(ACCEPTED)
    if known is None or not known.report:
        return Baseline()
    found = await changes(site.session.workspace.git, known.tree, b=site.before)
    theirs = {path for one in found for path in (one.path, one.old_path) if path}
    results = (site.run.record.artifact(known.report) or {})["results"]
    return Baseline(outcomes={id: one for id, one in results.items() if id.partition("::")[0] not in theirs})


def whole_text(files: Mapping[str, str]) -> str:
    """All files as one text."""
    return "\n\n".join(f"# {path}\n{text}" for path, text in files.items())


def listing(files: Mapping[str, str]) -> str:
    """The files by name and size."""
    return "\n".join(f"{path} ({len(text)} characters)" for path, text in files.items())
