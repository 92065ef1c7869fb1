"""The artifacts of stages that write code. Paths and figures come from git and measurements, never from an agent."""

from __future__ import annotations

from collections.abc import Callable

from thoughtforge.agent.building import Site
from thoughtforge.kernel.model import JsonObject
from thoughtforge.workshop.commit_message import commit_message
from thoughtforge.workshop.complexity import MEASURED, highest
from thoughtforge.workshop.criteria import listed
from thoughtforge.workshop.exit import Exit

SUBJECTS: dict[str, str] = {
    "test": "test {title}",
    "feat": "{title}",
    "refactor": "simplify {title}",
    "docs": "describe {title}",
}


def _short(site: Site) -> str:
    return site.means.task.request_digest[:8]


def _reference(site: Site, contract: str, key: str) -> str | None:
    artifact = site.means.accepted().get(contract)
    return str(artifact[key]) if artifact else None


def held(exit: Exit, *names: str) -> bool:
    """Whether every one of these conditions was measured and holds."""
    outcomes = {c.name: c.outcome for c in exit.criteria}
    return all(outcomes.get(name) == "pass" for name in names)


def test_suite(site: Site, handed: JsonObject, exit: Exit) -> JsonObject:
    """The tests red leaves behind; the held-back cases are not among them."""
    mapping: dict[str, list[str]] = {}
    for test in listed(handed):
        mapping.setdefault(test.requirement, []).append(f"{test.path}::{test.name}")
    return {
        "suite_id": f"SUITE-{_short(site)}",
        "spec_ref": _reference(site, "specification", "spec_id") or "",
        "test_files": handed["test_files"],
        "coverage_mapping": mapping,
        "verification": {
            "all_tests_fail": held(exit, "all_tests_fail", "tests_are_valid"),
            "no_implementation_exists": held(exit, "only_tests_written", "all_tests_fail"),
        },
    }


async def implementation(site: Site, handed: JsonObject, exit: Exit) -> JsonObject:
    """What green changed."""
    return {
        "implementation_id": f"IMPL-{_short(site)}",
        "spec_ref": _reference(site, "specification", "spec_id"),
        "test_suite_ref": _reference(site, "test_suite", "suite_id"),
        **await _files(site, handed, exit),
        "verification": _verification(exit),
    }


async def deliverable(site: Site, handed: JsonObject, exit: Exit) -> JsonObject:
    """The change after refactoring, with its quality."""
    product = exit.report.get("product", [])
    workspace = site.workshop.workspace
    texts = {
        path: (await workspace.read(exit.tree, path)).decode("utf-8", "replace")
        for path in product
        if path.endswith(MEASURED)
    }
    return {
        "deliverable_id": f"DLV-{_short(site)}",
        "spec_ref": _reference(site, "specification", "spec_id"),
        "test_suite_ref": _reference(site, "test_suite", "suite_id"),
        "implementation_ref": _reference(site, "implementation", "implementation_id") or "",
        **await _files(site, handed, exit),
        "improvements": [item for item in handed.get("improvements", []) if item["path"] in product],
        "quality": {
            "coverage_percent": exit.facts.get("coverage_percent", 0),
            "highest_complexity": await highest(texts),
            "duplicated_lines": exit.facts.get("duplicated", 0),
            "open_findings": exit.facts.get("open_findings", 0),
        },
        "verification": {
            **_verification(exit),
            "complexity_acceptable": held(exit, "complexity_threshold"),
            "no_code_smells": held(exit, "no_code_smells"),
        },
    }


def _verification(exit: Exit) -> JsonObject:
    return {
        "all_tests_pass": held(exit, "all_tests_pass"),
        "conformance_passing": held(exit, "conformance_pass", "type_check_pass"),
        "no_regressions": held(exit, "no_regressions"),
    }


async def _files(site: Site, handed: JsonObject, exit: Exit) -> JsonObject:
    """Every changed product file, with the agent's word on what it is for."""
    purposes = {item["path"]: item["purpose"] for item in handed.get("files", [])}
    changes = await site.workshop.workspace.changes(site.means.task.base_commit, exit.tree)
    product = [c for c in changes if not site.workshop.is_test(c.path)]
    created = [
        {"path": c.path, "purpose": purposes.get(c.path, "not said"), "lines": c.added or 0}
        for c in product
        if c.change in ("created", "moved")
    ]
    modified = [
        {
            "path": c.path,
            "changes_summary": purposes.get(c.path, "taken away" if c.change == "deleted" else "not said"),
            "lines_added": c.added or 0,
            "lines_removed": c.removed or 0,
        }
        for c in product
        if c.change in ("modified", "deleted")
    ]
    return {"files_created": created, "files_modified": modified}


def message(kind: str) -> Callable[[Site, Exit], str]:
    """The commit message of a stage."""

    def made(site: Site, exit: Exit) -> str:
        specification = site.means.accepted().get("specification") or {}
        title = str(specification.get("title") or site.means.task.request.partition("\n")[0])
        agent = site.means.agent(site.stage.role)
        requirements = [str(r["id"]) for r in specification.get("requirements", [])]
        trailers = [
            ("Assisted-by", f"{agent.role.name}/{agent.provider}/{agent.model.model}"),
            ("ThoughtForge-Task", site.means.task.id),
        ]
        if requirements:
            trailers.append(("Requirement", ", ".join(requirements)))
        subject = SUBJECTS[kind].format(title=title[:1].lower() + title[1:])
        return commit_message(kind=_kind(site, kind), subject=subject, body=exit.summary(), trailers=tuple(trailers))

    return made


def _kind(site: Site, kind: str) -> str:
    return "fix" if kind == "feat" and site.means.task.pipeline.goal_type == "fix" else kind
