"""The delivery report: from each requirement to its tests, files and results, with commits, checks and cost."""

from __future__ import annotations

from typing import Any

from thoughtforge.agent.building import Site
from thoughtforge.agent.keeping import kept
from thoughtforge.kernel.model import JsonObject
from thoughtforge.workshop.criteria import ids_of, listed
from thoughtforge.workshop.exit import Exit


async def whole_change(site: Site) -> str:
    """Every changed file with its size, then the beginning of the difference."""
    workspace = site.workshop.workspace
    tree = await workspace.tree()
    changes = await workspace.changes(site.means.task.base_commit, tree)
    rows = [f"{c.change} {c.path} +{c.added} -{c.removed}" for c in changes]
    return "\n".join([*rows, "", await workspace.diff(site.means.task.base_commit, tree)])


async def report(site: Site, notes: JsonObject, exit: Exit) -> JsonObject:
    """Everything but the words comes from git and from what was measured."""
    means = site.means
    used = means.journal.state.used
    results: dict[str, str] = exit.report["results"]
    commit = means.stage(site.stage.name).commit or site.before
    changes: list[dict[str, Any]] = exit.report["changes"]
    return {
        "delivery_id": f"DELIVERY-{means.task.request_digest[:8]}",
        "title": _title(site),
        "summary": notes["summary"],
        "branch": means.journal.state.branch,
        "commit": commit,
        "base_commit": means.task.base_commit,
        "requirements": _requirements(site, results, exit.report["product"]),
        "files": [_file(change) for change in changes],
        "results": {word: sum(r == word for r in results.values()) for word in ("passed", "failed", "skipped")},
        "checks": _checks(site, exit),
        "agents": list(kept(means.journal.state)),
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


def _title(site: Site) -> str:
    specification = site.means.accepted().get("specification") or {}
    title = str(specification.get("title") or site.means.task.request.strip().partition("\n")[0])
    return title if len(title) <= 100 else f"{title[:99]}…"


def _requirements(site: Site, results: dict[str, str], product: list[str]) -> list[JsonObject]:
    accepted = site.means.accepted()
    tests = listed(accepted.get("test_suite", {}))
    rows = []
    for requirement in accepted.get("specification", {}).get("requirements", []):
        mine = [test for test in tests if test.requirement == requirement["id"]]
        ids = [(test.name, ids_of(test, frozenset(results))) for test in mine]
        proved = [{"name": name, "result": _result([results[id] for id in found])} for name, found in ids]
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


def _checks(site: Site, exit: Exit) -> list[JsonObject]:
    """Every condition of every stage that built something; what was not run is said and not counted as passed."""
    rows: list[JsonObject] = []
    for stage in site.means.task.pipeline.stages:
        measured = site.means.stage(stage.name).measured.get("exit")
        if stage.name == site.stage.name or measured is None:
            continue
        rows += [_check(stage.name, c.name, c.outcome, c.detail) for c in measured.criteria]
    return [*rows, *(_check(site.stage.name, c.name, c.outcome, c.detail) for c in exit.criteria)]


def _check(stage: str, name: str, outcome: str, detail: str) -> JsonObject:
    return {"name": f"{stage}: {name}", "outcome": outcome, "detail": detail}
