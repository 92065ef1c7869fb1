"""Questions to a person that the engine raises, and whether the evidence of an answer is in the files."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from thoughtforge.agent.as_text import as_yaml
from thoughtforge.agent.calls import ModelRequest, call
from thoughtforge.agent.context import CODE, MEASURED, SPECIFICATION, WHOLE, Block
from thoughtforge.agent.frame import context_for, hint_blocks, input_blocks, system_for
from thoughtforge.agent.prompt import outline
from thoughtforge.agent.reply_text import json_object
from thoughtforge.agent.run import Agent, Run
from thoughtforge.agent.steps import End
from thoughtforge.contracts.context import Severity, severity_of
from thoughtforge.contracts.contract import Contract
from thoughtforge.contracts.validate import check, repaired
from thoughtforge.kernel.errors import Stop, UserError
from thoughtforge.kernel.model import Digest, Escalation, Issue, JsonObject, Problem, Question, Stage
from thoughtforge.kernel.ports import Reviewed
from thoughtforge.kernel.stops import StopReason
from thoughtforge.workspaces.tree import FileTree

NEAR = 3
"""Lines a snippet may be off: models count them badly, and the text itself is the proof."""
LEAST = 8
"""Characters a snippet needs unless it is a whole line: a single letter is found in every file and proves nothing."""


class EvidenceCheck(NamedTuple):
    """The evidence that holds, and in words what is wrong with the rest."""

    holds: tuple[dict[str, Any], ...]
    wrong: tuple[str, ...]


async def check_evidence(tree: FileTree, evidence: Iterable[Any]) -> EvidenceCheck:
    """Look every piece up."""
    holds: list[dict[str, Any]] = []
    wrong: list[str] = []
    for piece in evidence:
        problem = await _problem(tree, piece)
        if problem:
            wrong.append(problem)
        else:
            holds.append(piece)
    return EvidenceCheck(tuple(holds), tuple(wrong))


async def _problem(tree: FileTree, piece: Any) -> str:
    if not isinstance(piece, dict) or not isinstance(piece.get("file"), str):
        return "evidence must name a file"
    path, line, snippet = piece["file"], piece.get("line"), piece.get("snippet")
    try:
        text = (await tree.read(path)).text
    except UserError as mistake:
        return f"{path}: {mistake.what}"
    lines = [_plain(row) for row in text.splitlines()]
    if line is not None and not (isinstance(line, int) and 1 <= line <= len(lines)):
        return f"{path} has {len(lines)} lines, not line {line}"
    if not isinstance(snippet, str) or not _plain(snippet):
        return f"{path}: a snippet of the text is needed"
    return _snippet_problem(path, lines, line, snippet)


def _snippet_problem(path: str, lines: list[str], line: int | None, snippet: str) -> str:
    wanted = [_plain(row) for row in snippet.splitlines() if _plain(row)]
    starts = [at for at, row in enumerate(lines, start=1) if wanted[0] in row and _follows(lines, at, wanted)]
    if not starts:
        return f"{path} does not contain {snippet.strip()[:80]!r}"
    if len(_plain(snippet)) < LEAST and not any(lines[at - 1] == wanted[0] for at in starts):
        return f"{path}: {snippet.strip()!r} is too short to prove anything; quote the line"
    if line is not None and not any(abs(at - line) <= NEAR for at in starts):
        return f"{path}: the snippet is at line {starts[0]}, not {line}"
    return ""


def _follows(lines: list[str], at: int, wanted: list[str]) -> bool:
    rest = [row for row in lines[at - 1 :] if row][: len(wanted)]
    return len(rest) == len(wanted) and all(want in row for want, row in zip(wanted, rest, strict=True))


def _plain(text: str) -> str:
    return " ".join(text.split())


def from_agent(run: Run, stage: Stage, asked: JsonObject) -> Escalation:
    """What an agent wants to know."""
    question = Question(id=_id(run), text=str(asked["question"]), impact=str(asked.get("impact", "blocking")))
    return _escalation(run, stage, "agent_question", f"{stage.role} asks a question", question)


def contract_violations(run: Run, stage: Stage) -> Escalation:
    """The same agent broke its contract too often."""
    mine = run.record.stage(stage.name)
    problems = mine.verdict.problems if mine.verdict else ()
    text = "\n".join(f"- {p.where}: {p.what}" for p in problems)
    question = Question(id=_id(run), text=f"How should {stage.output_contract} be fixed?\n{text}")
    return _escalation(
        run, stage, "contract_violations", f"{stage.name} broke its contract {mine.repairs} times in a row", question
    )


def review_unresolved(run: Run, stage: Stage) -> Escalation:
    """Blocking issues are left after the last revision."""
    mine = run.record.stage(stage.name)
    issues = [issue for review in mine.reviews for issue in review.blocking]
    text = "\n".join(f"- {i.id} ({i.severity}): {i.description}; remedy: {i.remediation}" for i in issues)
    summary = f"{len(issues)} blocking issues are left after {mine.review_iteration} reviews of {stage.name}"
    question = Question(id=_id(run), text=f"How should these be resolved?\n{text}")
    return _escalation(run, stage, "review_unresolved", summary, question, choices=("answer", "accept", "abort"))


def unfinished(run: Run, stage: Stage, end: End) -> Escalation:
    """A stage ended without an artifact: the agent asks, repeats itself, or has no step left."""
    if end.question:
        return from_agent(run, stage, end.question)
    if end.refuted:
        return held_back(run, stage, end.refuted)
    return no_progress(run, stage, end.circles) if end.circles else step_limit(run, stage)


def step_limit(run: Run, stage: Stage) -> Escalation:
    """The stage's steps are used up."""
    mine = run.record.stage(stage.name)
    tried = "\n".join(f"- {a.tool}: {a.summary}" for a in run.record.memory(stage.name).recent)
    question = Question(id=_id(run), text=f"What should be tried instead? Last actions:\n{tried}")
    return _escalation(run, stage, "step_limit", f"{stage.name} took {mine.steps} actions without finishing", question)


def no_progress(run: Run, stage: Stage, why: str) -> Escalation:
    """The agent repeats itself after a warning."""
    tried = "\n".join(f"- {a.tool}: {a.summary}" for a in run.record.memory(stage.name).recent)
    question = Question(id=_id(run), text=f"What should be tried instead? Last actions:\n{tried}")
    return _escalation(run, stage, "no_progress", f"{stage.name} repeats itself: {why}", question)


def held_back(run: Run, stage: Stage, asked: str) -> Escalation:
    """The code passes the tests it can see and not the cases it cannot."""
    question = Question(id=_id(run), text=asked)
    return _escalation(run, stage, "held_back", f"{stage.name} failed held-back cases again", question)


def _id(run: Run) -> str:
    """Question ids are unique in a task, so that an answer never meets a later question."""
    return f"Q-{100 * (run.record.journal.state.raised + 1) + 1:03}"


def _escalation(run: Run, stage: Stage, reason: str, summary: str, question: Question, **more: Any) -> Escalation:
    return Escalation.model_validate(
        {
            "id": f"E-{run.record.journal.state.raised + 1}",
            "stage": stage.name,
            "reason": reason,
            "summary": summary,
            "questions": (question,),
            **more,
        }
    )


async def review(run: Run, stage: Stage, reviewer: str, artifact: Digest) -> Reviewed:
    """Ask the reviewer until its answer keeps the contract, as often as repairs are allowed."""
    agent = run.library.agent(reviewer)
    contract = run.library.contracts[agent.role.output_contract]
    problems: tuple[Problem, ...] = ()
    change = await _change(run)
    for attempt in range(run.record.task.rules.repairs + 1):
        order = _order(run, agent, stage, artifact=artifact, problems=problems, attempt=attempt, change=change)
        reply = await call(run, order)
        answer = json_object(reply)
        answer = None if answer is None else _filled(run, stage, contract, repaired(contract.schema, answer))
        problems = check(answer, contract, run.given())
        if answer is not None and not problems:
            return _reviewed(run, answer)
    told = "; ".join(f"{p.where}: {p.what}" for p in problems)[:400]
    raise Stop(StopReason.check_broken, f"the review of {stage.name} by {reviewer} could not be parsed: {told}")


OURS = ("review_id", "subject")
"""Fields of a review that the engine fills in."""


def _filled(run: Run, stage: Stage, contract: Contract, answer: JsonObject) -> JsonObject:
    """The review with what only the engine knows: its id and what it is about."""
    number = run.record.stage(stage.name).review_iteration + 1
    known = zip(OURS, (f"REVIEW-{stage.name}-{number}", stage.output_contract), strict=True)
    return {**answer, **{key: text for key, text in known if key in contract.schema.get("properties", {})}}


async def _change(run: Run) -> str:
    """What was changed in the files so far; nothing where nothing is written."""
    session = await run.session()
    if session is None:
        return ""
    workspace = session.workspace
    return await workspace.diff(workspace.base, await workspace.tree())


def _order(
    run: Run,
    agent: Agent,
    stage: Stage,
    *,
    artifact: Digest,
    problems: tuple[Problem, ...],
    attempt: int,
    change: str,
) -> ModelRequest:
    system = system_for(run, agent, stage, ())
    prompt = run.library.catalog.render("review", contract=stage.output_contract)
    contract = run.library.contracts[agent.role.output_contract]
    mine = run.record.stage(stage.name)
    theirs = {name: field for name, field in contract.schema.get("properties", {}).items() if name not in OURS}
    form = {**contract.schema, "properties": theirs}
    blocks = [
        Block("what to do now", prompt.text, WHOLE, floor=WHOLE, need=MEASURED),
        Block(f"form of {contract.name}", outline(form), WHOLE, floor=WHOLE, need=MEASURED),
        *hint_blocks(run),
        Block(
            "issues raised before, which this version must settle",
            "\n".join(f"- {line}" for line in run.record.memory(stage.name).raised),
            900,
            floor=400,
            need=MEASURED,
        ),
        Block("your last answer was invalid", "\n".join(f"- {p.where}: {p.what}" for p in problems), 400, floor=200),
        Block(
            f"the {stage.output_contract} to review",
            as_yaml(run.record.artifact(artifact)),
            WHOLE,
            floor=WHOLE if stage.output_contract == "specification" else 1_500,
            untrusted=True,
            need=SPECIFICATION,
        ),
        Block("the change itself", change, 2_000, floor=900, untrusted=True, need=CODE),
        *input_blocks(run),
    ]
    actions = f"Answer with one JSON object, the {contract.name}, and nothing else."
    context = context_for(run, agent, stage, system=system, blocks=blocks, actions=actions, contract=contract.name)
    key = f"{stage.name}/{mine.round}/review-{agent.role.name}-{attempt}"
    prompts = {**system.prompts, "review": prompt.digest}
    needed = [name for name in contract.schema.get("required", []) if name not in OURS]
    schema = {**contract.schema, "required": needed}
    return ModelRequest(key, stage, agent, system, context, prompts, schema=schema, mode="review")


def _reviewed(run: Run, answer: JsonObject) -> Reviewed:
    """Strictest reading: an issue listed as advisory whose severity says critical blocks."""
    blocking = [Issue.model_validate(_fields(row)) for row in answer.get("blocking_issues", [])]
    advisory = [Issue.model_validate(_fields(row)) for row in answer.get("advisory_issues", [])]
    worse = [issue for issue in advisory if severity_of(issue.severity) is Severity.critical]
    kept = [issue for issue in advisory if issue not in worse]
    return Reviewed(run.record.put(answer), (*blocking, *worse), tuple(kept))


def _fields(row: JsonObject) -> JsonObject:
    return {key: row[key] for key in Issue.model_fields if key in row}
