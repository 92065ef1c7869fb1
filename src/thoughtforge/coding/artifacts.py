"""The artifacts of stages that write code. Paths and figures come from git and measurements, never from an agent."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from thoughtforge.agent.calls import isolation_report
from thoughtforge.calls.spending import DEPTH
from thoughtforge.code.changelog import WIDTH, commit_message
from thoughtforge.code.complexity import MEASURED, highest
from thoughtforge.code.criteria import ids_of, listed
from thoughtforge.code.exit import ExitReport
from thoughtforge.coding.building import StageBuild
from thoughtforge.coding.writing import suite
from thoughtforge.contracts.rules_files import criteria, tested_requirements
from thoughtforge.kernel.model import JsonObject

MOST_POINTS = 12
"""Points of a commit message."""
SUBJECTS: dict[str, str] = {
    "refactor": "tidy up: {title}",
    "explain": "explain {title}",
}


def _short(site: StageBuild) -> str:
    return site.run.record.task.request_digest[:8]


def _reference(site: StageBuild, contract: str, key: str) -> str | None:
    artifact = site.run.record.accepted().get(contract)
    return str(artifact[key]) if artifact else None


def held(exit: ExitReport, *names: str) -> bool:
    """Whether every one of these conditions was measured and holds."""
    outcomes = {c.name: c.outcome for c in exit.criteria}
    return all(outcomes.get(name) == "pass" for name in names)


def tried(exit: ExitReport, *names: str) -> bool | None:
    """The same; None when nothing could be run yet, so that nobody takes it for held."""
    outcomes = {c.name: c.outcome for c in exit.criteria}
    return None if any(outcomes.get(name) == "not_run" for name in names) else held(exit, *names)


def test_suite(site: StageBuild, handed: JsonObject, exit: ExitReport) -> JsonObject:
    """The tests red leaves behind; the held-back cases are not among them."""
    mapping: dict[str, list[str]] = {}
    for test in listed(handed):
        mapping.setdefault(test.requirement, []).append(f"{test.path}::{test.name}")
    return {
        "suite_id": f"SUITE-{_short(site)}",
        "spec_ref": _reference(site, "specification", "spec_id") or f"SPEC-{_short(site)}",
        "test_files": handed["test_files"],
        **({"interface": handed["interface"]} if handed.get("interface") else {}),
        "coverage_mapping": mapping,
        **({"regression_guards": exit.report["guards"]} if exit.report.get("guards") else {}),
        "verification": {
            "all_tests_fail": tried(exit, "all_tests_fail", "tests_are_valid"),
            "no_implementation_exists": tried(exit, "only_tests_written", "all_tests_fail"),
        },
    }


async def implementation(site: StageBuild, handed: JsonObject, exit: ExitReport) -> JsonObject:
    """What green changed."""
    return {
        "implementation_id": f"IMPL-{_short(site)}",
        "spec_ref": _reference(site, "specification", "spec_id"),
        "test_suite_ref": suite(site.run).get("suite_id"),
        **await _files(site, handed, exit),
        "verification": _verification(exit),
    }


async def deliverable(site: StageBuild, handed: JsonObject, exit: ExitReport) -> JsonObject:
    """The change after refactoring, with its quality."""
    product = exit.report.get("product", [])
    workspace = site.session.workspace
    texts = {
        path: (await workspace.read(exit.tree, path)).decode("utf-8", "replace")
        for path in product
        if path.endswith(MEASURED)
    }
    base = site.session.gate.before
    before = {path: base.texts[path] for path in texts if base is not None and path in base.texts}
    return {
        "deliverable_id": f"DLV-{_short(site)}",
        "spec_ref": _reference(site, "specification", "spec_id"),
        "test_suite_ref": suite(site.run).get("suite_id"),
        "implementation_ref": _reference(site, "implementation", "implementation_id") or "",
        **await _files(site, handed, exit),
        **({"review_answers": handed["review_answers"]} if handed.get("review_answers") else {}),
        "improvements": [item for item in handed.get("improvements", []) if item["path"] in product],
        "quality": {
            "coverage_percent": exit.facts.get("coverage_percent", 0),
            "highest_complexity": await highest(texts),
            **({"complexity_before": await highest(before)} if before else {}),
            "duplicated_lines": exit.facts.get("duplicated", 0),
            "open_findings": exit.facts.get("open_findings", 0),
        },
        "verification": {
            **_verification(exit),
            "complexity_acceptable": held(exit, "complexity_threshold"),
            "no_code_smells": held(exit, "no_code_smells"),
        },
    }


def _verification(exit: ExitReport) -> JsonObject:
    return {
        "all_tests_pass": held(exit, "all_tests_pass"),
        "conformance_passing": held(exit, "conformance_pass", "type_check_pass"),
        "no_regressions": held(exit, "no_regressions"),
    }


async def _files(site: StageBuild, handed: JsonObject, exit: ExitReport) -> JsonObject:
    """Every changed product file with what its authors said it is for: green's word, then what was said since."""
    before = site.run.record.accepted().get("implementation", {})
    said = {item["path"]: item["purpose"] for item in before.get("files_created", [])}
    said |= {item["path"]: item["changes_summary"] for item in before.get("files_modified", [])}
    purposes = dict(said)
    for item in handed.get("files", []):
        purposes[item["path"]] = _both(said.get(item["path"], ""), item["purpose"])
    changes = await site.session.workspace.changes(site.run.record.task.base_commit, exit.tree)
    product = [c for c in changes if not site.session.is_test(c.path)]
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


def _both(first: str, then: str) -> str:
    """Two descriptions of one file's change as one; what is said twice is said once."""
    if not first or first in then:
        return then
    return first if then in first else f"{first.rstrip('. ')}. {then}"


def message(kind: str) -> Callable[[StageBuild, JsonObject], str]:
    """The commit message of a stage, from what was handed in."""

    def made(site: StageBuild, handed: JsonObject) -> str:
        specification = site.run.record.accepted().get("specification") or {}
        title = str(specification.get("title") or site.run.record.task.request.partition("\n")[0])
        along = site.run.record.journal.of(DEPTH).along.get(site.stage.name)
        agent = site.run.library.agent(along.role if along else site.stage.role)
        requirements = _measured(specification, handed if kind == "test" else {})
        trailers = [
            ("Assisted-by", f"{agent.role.name}/{agent.provider}/{agent.model.model}"),
            ("ThoughtForge-Task", site.run.record.task.id),
        ]
        if requirements:
            trailers.append(("Requirement", ", ".join(requirements)))
        typed = _kind(site, kind)
        form = SUBJECTS.get("explain" if kind == "refactor" and _explains(handed) else typed, "{title}")
        subject = form.format(title=_without(typed, title[:1].lower() + title[1:]))
        body = wrapped(_words(kind, handed, specification))
        return commit_message(kind=typed, subject=subject, body=body, trailers=tuple(trailers))

    return made


def _without(kind: str, title: str) -> str:
    """A title that does not say again what the type of the commit says."""
    first, _, rest = title.partition(" ")
    return rest if rest and first.rstrip(":") == kind else title


def _measured(specification: JsonObject, handed: JsonObject) -> list[str]:
    """The requirements that tests decide; of a commit of tests, those that its tests are listed for."""
    tested = {test.requirement for test in listed(handed)}
    return [id for id in tested_requirements(specification) if not tested or id in tested]


def _kind(site: StageBuild, kind: str) -> str:
    """The type of a commit; that of the code follows what was asked for, and what a review made it change is a fix."""
    if kind == "refactor" and site.run.record.memory(site.stage.name).raised:
        return "fix"
    intent = site.run.record.accepted().get("intake_record", {}).get("extracted_intent", {})
    wanted = "fix" if site.run.record.task.pipeline.goal_type == "fix" else intent.get("action")
    return str(wanted) if kind == "feat" and wanted in ("fix", "refactor") else kind


def _explains(handed: JsonObject) -> bool:
    """Whether comments and documentation are all that was improved, by its author's word."""
    kinds = {item["kind"] for item in handed.get("improvements", [])}
    return kinds == {"documentation"}


def _words(kind: str, handed: JsonObject, specification: JsonObject) -> list[str]:
    """What changed and why, for the people of the repository: one paragraph or one point each."""
    files = [f"- {item['path']}: {item['purpose']}" for item in handed.get("files", [])]
    if kind == "test":
        known = criteria(specification)
        return [f"- {text}" for text in list(known.values())[:MOST_POINTS]]
    if kind == "feat":
        return [str(specification.get("description") or ""), *files]
    if kind == "refactor":
        answers = [f"- {item['answer']}" for item in handed.get("review_answers", [])]
        return [*answers, *(f"- {item['path']}: {item['change']}" for item in handed.get("improvements", []))] or files
    return [str(handed.get("summary") or "")]


def wrapped(parts: list[str]) -> str:
    """Paragraphs and points in lines of a commit message; a blank line after each paragraph."""
    told = [part for part in parts if part.strip()][: MOST_POINTS + 1]
    lines = []
    for part in told:
        point = part.startswith("- ")
        lines += [*_lines(part), *([] if point else [""])]
    return "\n".join(lines)


def _lines(text: str) -> list[str]:
    """Lines of a message, broken at single blanks only: what is quoted with several of them stays as it is."""
    lines: list[str] = []
    for word in re.split(r"(?<=\S) (?=\S)", re.sub(r"\s*[\r\n]\s*", " ", text.strip())):
        if lines and len(lines[-1]) + 1 + len(word) <= WIDTH:
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    return lines


async def whole_change(site: StageBuild) -> str:
    """Every changed file with its size, then the beginning of the difference."""
    workspace = site.session.workspace
    tree = await workspace.tree()
    changes = await workspace.changes(site.run.record.task.base_commit, tree)
    rows = [f"{c.change} {c.path} +{c.added} -{c.removed}" for c in changes]
    return "\n".join([*rows, "", await workspace.diff(site.run.record.task.base_commit, tree)])


async def report(site: StageBuild, notes: JsonObject, exit: ExitReport) -> JsonObject:
    """Everything but the words comes from git and from what was measured."""
    run = site.run
    used = run.record.journal.state.used
    results: dict[str, str] = exit.report["results"]
    commit = run.record.stage(site.stage.name).commit or site.before
    changes: list[dict[str, Any]] = exit.report["changes"]
    return {
        "delivery_id": f"DELIVERY-{run.record.task.request_digest[:8]}",
        "title": title(site),
        "summary": notes["summary"],
        "branch": run.record.journal.state.branch,
        "commit": commit,
        "base_commit": run.record.task.base_commit,
        "requirements": _requirements(site, results, exit.report["product"]),
        "files": [_file(change) for change in changes],
        "results": {word: sum(r == word for r in results.values()) for word in ("passed", "failed", "skipped")},
        "checks": _checks(site, exit),
        "agents": list(isolation_report(run.record.journal.state)),
        "cost": {
            "usd": None if used.unknown_usd_calls else round(used.usd, 6),
            "tokens": used.tokens,
            "steps": used.steps,
            "wall_seconds": round(used.wall_seconds, 1),
        },
        "changelog": notes["changelog"],
        "docs": notes["docs"],
        "deployment": {**notes["deployment"], "ready": exit.outcome == "pass"},
    }


def title(site: StageBuild) -> str:
    """What the change is called."""
    specification = site.run.record.accepted().get("specification") or {}
    called = str(specification.get("title") or site.run.record.task.request.strip().partition("\n")[0])
    return called if len(called) <= 100 else f"{called[:99]}…"


def _requirements(site: StageBuild, results: dict[str, str], product: list[str]) -> list[JsonObject]:
    accepted = site.run.record.accepted()
    tests, kept = listed(suite(site.run)), set(suite(site.run).get("regression_guards", []))
    rows = []
    for requirement in accepted.get("specification", {}).get("requirements", []):
        mine = [test for test in tests if test.requirement == requirement["id"]]
        ids = dict.fromkeys((test.name, ids_of(test, frozenset(results))) for test in mine)
        proved = [
            {"name": name, "result": _result([results[id] for id in found])}
            | ({"guard": True} if kept.intersection(found) else {})
            for name, found in ids
        ]
        rows.append(
            {
                "id": requirement["id"],
                "description": requirement["description"],
                "status": _status(requirement, proved),
                "tests": proved,
                "files": product if proved else [],
            }
        )
    return rows


def _result(outcomes: list[str]) -> str:
    """The worst of a parametrised test's cases."""
    if not outcomes:
        return "not_run"
    return next((word for word in ("failed", "skipped") if word in outcomes), "passed")


def _status(requirement: JsonObject, proved: list[JsonObject]) -> str:
    if requirement["verification_method"] != "test":
        return "not_measured"
    good = [row for row in proved if row["result"] == "passed"]
    if good and len(good) == len(proved):
        return "delivered"
    return "partly_delivered" if good else "not_delivered"


def _file(change: dict[str, Any]) -> JsonObject:
    return {
        "path": change["path"],
        "change": change["change"],
        "lines_added": change["added"] or 0,
        "lines_removed": change["removed"] or 0,
    }


def _checks(site: StageBuild, exit: ExitReport) -> list[JsonObject]:
    """Every condition of every stage that built something; what was not run is said and not counted as passed."""
    rows: list[JsonObject] = []
    for stage in site.run.record.task.pipeline.stages:
        measured = site.run.record.stage(stage.name).measured.get("exit")
        if stage.name == site.stage.name or measured is None:
            continue
        rows += [_check(stage.name, c.name, c.outcome, c.detail) for c in measured.criteria]
    return [*rows, *(_check(site.stage.name, c.name, c.outcome, c.detail) for c in exit.criteria)]


def _check(stage: str, name: str, outcome: str, detail: str) -> JsonObject:
    return {"name": f"{stage}: {name}", "outcome": outcome, "detail": detail}
