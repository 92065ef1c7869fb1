"""The end of a task's work: the branch or salvage ref in the person's repository, and the report for people."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from thoughtforge.definitions.drivers import is_plan, is_thought
from thoughtforge.forge.plan import PLAN
from thoughtforge.kernel.errors import UserError
from thoughtforge.kernel.events import WarningGiven
from thoughtforge.kernel.loop import Journal
from thoughtforge.kernel.state import State
from thoughtforge.kernel.stops import StopReason
from thoughtforge.people.exchanges import EXCHANGES, AnsweredQuestion, Exchanges
from thoughtforge.service.app import App
from thoughtforge.service.open_task import find_own, open_task, recorded_workspace
from thoughtforge.service.plan_report import plan_markdown
from thoughtforge.store.port import OpenTask
from thoughtforge.workspaces import handover
from thoughtforge.workspaces.events import RefWritten
from thoughtforge.workspaces.git import NOBODY, Git
from thoughtforge.workspaces.linking import KEPT
from thoughtforge.workspaces.workspace import GIT_DIR, Workspace

SIGNS = {"pass": "✔", "fail": "✘", "broken": "✘ broken", "not_run": "– not run"}


def as_markdown(
    report: dict[str, Any],
    state: State,
    answers: Sequence[dict[str, Any]] = (),
    exchanges: Exchanges = Exchanges(),  # noqa: B008 - a frozen value
) -> str:
    """The whole report; `answers` are those of the clarification."""
    parts = [
        f"# {_flat(report['title'])}",
        _prose(report["summary"]),
        _facts(report, state, exchanges.environments),
        "## Requirements",
        _table(("Requirement", "Status", "Tests", "Files"), map(_requirement, report["requirements"])),
        "## Files",
        _table(("File", "Change", "Lines"), (_file(file) for file in report["files"])),
        "## What the engine measured",
        _table(("Condition", "Outcome", "Detail"), (_check(check) for check in report["checks"])),
        *_section("What people were asked and answered", map(_exchange, exchanges.questions.values())),
        *_section("Settled issues of the reviews", _settled(state, exchanges)),
        *_section("Advice of the reviews", _advice(state)),
        *_section(
            "Answers taken from the repository or assumed",
            map(_assumption, (a for a in answers if a["source"] != "human_escalation")),
        ),
        *_section("Agents", map(_flat, report.get("agents", ()))),
        "## Cost",
        _cost(report["cost"]),
        "## Changelog",
        "\n".join(f"- {entry['kind']}: {_prose(entry['text'])}" for entry in report["changelog"]),
        _changelog_note(report["checks"]),
        "## Deployment",
        _deployment(report["deployment"]),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _facts(report: dict[str, Any], state: State, environments: Sequence[str]) -> str:
    results = report["results"]
    rows = [
        f"- branch `{report['branch']}` at `{report['commit'][:12]}`, from `{report['base_commit'][:12]}`",
        f"- whole suite in a clean checkout: {results['passed']} passed, {results['failed']} failed, "
        f"{results['skipped']} skipped",
    ]
    depth = state.measured.get("depth")
    if depth is not None:
        rows.append(f"- depth {depth.facts['depth']}: {depth.summary}")
    for name in ("baseline", "environment"):
        measured = state.measured.get(name)
        if measured is not None:
            rows.append(f"- {name}: {measured.summary}")
    if len(environments) > 1:
        rows.append(f"- the environment changed on the way; the baseline was measured in this one: {environments[0]}")
    environment = state.measured.get("environment")
    if environment is not None and environment.facts.get("sandbox") != "bubblewrap":
        rows.append(f"- **{environment.facts.get('sandbox_note')}**")
    labels = state.the_task().labels
    return "\n".join([*rows, *([f"- replies were {', '.join(labels)}: no model made them"] if labels else [])])


def _section(head: str, lines: Iterable[str]) -> Sequence[str]:
    """A list under its heading; nothing when it is empty."""
    rows = [f"- {line}" for line in lines]
    return (f"## {head}", "\n".join(rows)) if rows else ()


def _exchange(one: AnsweredQuestion) -> str:
    """A question with its answer, by whom."""
    texts = {question.id: question.text for question in one.asked.questions}
    asked = " ".join(texts.values()) or one.asked.summary
    said = [text if id == "*" or len(texts) < 2 else f"{id}: {text}" for id, text in one.answers.items()]
    told = " ".join(said) or (one.choice or "nobody answered")
    by = f" ({_flat(one.by)})" if one.by else ""
    return f"{one.asked.id} ({one.asked.stage}): {_prose(asked)} → {_prose(told)}{by}"


def _settled(state: State, exchanges: Exchanges) -> list[str]:
    """What reviewers blocked and what was changed for, or what a person accepted as it was."""
    told = []
    for name, issue in exchanges.blocked.items():
        accepted = state.stage(name.partition(":")[0]).overridden
        told.append(f"{name} {_prose(issue)}{' (a person accepted the version with it)' if accepted else ''}")
    return told


def _advice(state: State) -> list[str]:
    """What reviewers advised and nobody had to follow, with the stage it is about."""
    found = (
        (stage.name, line) for stage in state.the_task().pipeline.stages for line in state.stage(stage.name).advisory
    )
    return [f"{name}: {_prose(line)}" for name, line in found]


def _assumption(answer: dict[str, Any]) -> str:
    """A question nobody was asked, with the answer taken for it and where that was found."""
    places = [
        f"{item['file']}:{item['line']}" if item.get("line") else item["file"] for item in answer.get("evidence", ())
    ]
    kind = "found in the repository" if answer["source"] == "agent_inference" else "assumed"
    found = f" ({kind}{': ' if places else ', no evidence'}{_list(places) if places else ''})"
    return f"{_prose(answer['question'])} {_prose(answer['answer'])}{found}"


def _requirement(row: dict[str, Any]) -> Sequence[str]:
    tests = "<br>".join(
        f"{_flat(test['name'])}: {test['result']}{' before and after' if test.get('guard') else ''}"
        for test in row["tests"]
    )
    return (f"{row['id']}: {_prose(row['description'])}", row["status"].replace("_", " "), tests, _list(row["files"]))


def _file(row: dict[str, Any]) -> Sequence[str]:
    return f"`{_flat(row['path'])}`", row["change"], f"+{row['lines_added']} −{row['lines_removed']}"


def _check(row: dict[str, Any]) -> Sequence[str]:
    return _flat(row["name"]), SIGNS[row["outcome"]], _flat(row.get("detail", ""))


def _changelog_note(checks: Sequence[dict[str, Any]]) -> str:
    """Why the repository's own changelog was left alone; empty when it was not."""
    details = (check.get("detail", "") for check in checks if check["name"].endswith(": changelog_generated"))
    left = (detail for detail in details if detail.startswith("left alone"))
    return next((f"The repository's own changelog was {_flat(detail)}." for detail in left), "")


def _cost(cost: dict[str, Any]) -> str:
    usd = "of unknown price" if cost["usd"] is None else f"${cost['usd']:.4f}"
    tokens = "an unknown number of" if cost["tokens"] is None else f"{cost['tokens']:,}"
    return f"{cost['steps']} steps, {tokens} tokens, {usd}, {cost['wall_seconds']:.0f} s of work."


def _deployment(deployment: dict[str, Any]) -> str:
    ready = "Ready." if deployment["ready"] else "Not ready."
    steps = [f"{number}. {_prose(step)}" for number, step in enumerate(deployment["steps"], start=1)]
    needs = [f"- needs {_prose(need)}" for need in deployment["prerequisites"]]
    return "\n".join([ready, *needs, *steps, f"Rollback: {_prose(deployment['rollback'])}"])


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [f"| {' | '.join(row)} |" for row in rows]
    return "\n".join([f"| {' | '.join(heads)} |", f"|{'---|' * len(heads)}", *lines]) if lines else "None."


def _list(items: Iterable[str]) -> str:
    return "<br>".join(f"`{_flat(item)}`" for item in items)


def _prose(text: str) -> str:
    """A sentence that stays in its cell; what it marks as code is code, and no other markup starts."""
    parts = CODE.split(" ".join(str(text).split()))
    return "".join(_escaped(part) if at % 2 == 0 or "\\" in part else _code(part) for at, part in enumerate(parts))


CODE = re.compile(r"(?<!`)(`[^`]+`)(?!`)")


def _code(span: str) -> str:
    return span.replace("|", "\\|")


def _flat(text: str) -> str:
    """Text that stays in its cell and starts no markup of its own."""
    return _escaped(" ".join(str(text).split()))


def _escaped(flat: str) -> str:
    return flat.replace("\\", "\\\\").replace("|", "\\|").replace("<", "&lt;").replace("`", "ˋ")


REPORT = "report.md"
AT_REST = (StopReason.question, StopReason.approval, StopReason.paused, StopReason.interrupted)
"""The task will go on in its own workspace; nothing is torn down and nothing needs saving."""


async def hand_over(app: App, task: OpenTask, *, user: Git) -> None:
    """Deliver what is done; save what was ended."""
    journal = task.journal
    state = journal.state
    reason = state.reason()
    if not state.branch or reason is None or reason in AT_REST:
        return
    if is_thought(state.the_task()) and reason is not StopReason.aborted:
        return  # a thought's project has what was accepted already, and a halt goes on in its workspace
    if is_plan(state.the_task()) and reason not in (StopReason.done, StopReason.aborted):
        return  # so does a change plan: its phases go on where they stopped
    try:
        workspace = await recorded_workspace(task, user=user, files=False)
    except UserError as mistake:
        if reason is StopReason.done:
            raise
        why = ": ".join((mistake.what, *mistake.details))
        journal.append(WarningGiven(text=f"nothing was saved: {why}", code="nothing_saved"))
        return
    if reason is StopReason.done:
        _report(app, task)
        await _write(
            journal, user, workspace, handover.delivery_ref(state.the_task().id), await workspace.tip(), "delivered"
        )
    else:
        await salvage(journal, user, workspace)


class Saved(NamedTuple):
    """What a task that was ended left in the person's repository."""

    refs: dict[str, str]
    note: str = ""
    """Why nothing was written there, when nothing was."""


async def save(app: App, task_id: str) -> Saved:
    """Hand over what a task has when it was ended while nobody ran it; nothing leaves for a repository elsewhere."""
    with open_task(app.store, task_id, who=app.who) as opened:
        task = opened.journal.state.the_task()
        user = await find_own(app, task)
        if user is None:
            return Saved({}, f"its files stay in its workspace: you are not in its repository, {task.repository}")
        await hand_over(app, opened, user=user)
        opened.views.write(opened.journal.state)
        return Saved(dict(opened.journal.state.refs))


def _report(app: App, task: OpenTask) -> None:
    """The delivery report for people, beside the artifact for programs."""
    exited = task.journal.state.exited
    if is_plan(task.journal.state.the_task()):
        text = plan_markdown(task.journal.of(PLAN), task.journal.state)
        (task.local / REPORT).write_text(app.masker.text(text), encoding="utf-8")
        return
    if exited is None or exited.deliverable != "delivery_report":
        return
    state = task.journal.state
    known = state.artifacts().get("clarification")
    answers = json.loads(task.blobs.get(known)).get("questions", []) if known else []
    report = json.loads(task.blobs.get(exited.artifact))
    text = as_markdown(report, state, answers, task.journal.of(EXCHANGES))
    (task.local / REPORT).write_text(app.masker.text(text), encoding="utf-8")


async def keep_work(app: App, opened: OpenTask) -> str:
    """Before a task's folder goes: what it changed and nobody has yet is saved in the person's repository.

    Answers why the folder must stay, when that is not possible.
    """
    if not any((opened.local / name).is_dir() for name in (GIT_DIR, KEPT)):
        return ""
    state = opened.journal.state
    task = state.the_task()
    if not state.branch or handover.delivery_ref(task.id) in state.refs or (is_thought(task) and state.exited):
        return ""
    user = await find_own(app, task)
    if user is None:
        here = (opened.local / GIT_DIR).is_dir()
        if here and not await _unsaved(state, await Workspace.open(opened.local, path=app.search_path)):
            return ""
        return f"its work exists only here and you are not in its repository, {task.repository}"
    try:
        workspace = await recorded_workspace(opened, user=user, files=False)
    except UserError:
        return ""  # neither the folder nor its record has anything to save
    await salvage(opened.journal, user, workspace)
    return ""


async def _unsaved(state: State, workspace: Workspace) -> str:
    """The tree of the files when they hold changes that no ref has; empty when they do not."""
    task = state.the_task()
    tree = await workspace.tree()
    earlier = state.refs.get(handover.salvage_ref(task.id))
    known = [task.base_commit, *([earlier] if earlier else [])]
    return tree if all([await workspace.changes(commit, tree) for commit in known]) else ""


async def salvage(journal: Journal, user: Git, workspace: Workspace) -> None:
    """Keep the files as they are under a ref of their own; nothing when nothing was changed."""
    state = journal.state
    task = state.the_task()
    tree = await _unsaved(state, workspace)
    if not tree:
        return
    ref = handover.salvage_ref(task.id)
    earlier = state.refs.get(ref)
    commit = await workspace.commit(
        tree,
        message=f"chore: work in progress of {task.id}\n\nThoughtForge-Task: {task.id}",
        parents=tuple(dict.fromkeys([await workspace.tip(), *([earlier] if earlier else [])])),
        author=NOBODY,
        when=state.time,
        move=False,
    )
    await _write(journal, user, workspace, ref, commit, "salvaged")


async def _write(journal: Journal, user: Git, workspace: Workspace, ref: str, commit: str, why: str) -> None:
    if journal.state.refs.get(ref) == commit:
        return
    journal.log.check_lease()
    await handover.hand_over(user, workspace, commit=commit, ref=ref)
    journal.append(RefWritten.model_validate({"ref": ref, "commit": commit, "why": why}))
