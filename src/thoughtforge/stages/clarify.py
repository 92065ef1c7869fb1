"""The clarify stage: what the repository can answer is answered from it; only the rest reaches a person."""

from __future__ import annotations

from thoughtforge.agent import questions as evidence
from thoughtforge.agent.as_text import as_yaml
from thoughtforge.agent.context import Block
from thoughtforge.agent.frame import input_blocks
from thoughtforge.agent.questions import unfinished
from thoughtforge.agent.run import Run
from thoughtforge.agent.stage_runner import run_agent as take_up
from thoughtforge.agent.steps import Brief, finished
from thoughtforge.calls.events import DraftMade
from thoughtforge.calls.spending import DEPTH
from thoughtforge.definitions.drivers import prompt_name
from thoughtforge.kernel.model import Escalation, JsonObject, Question, Stage
from thoughtforge.kernel.ports import NeedsPerson, Produced
from thoughtforge.stages.together import handed_along

ANSWERS = "answers"
"""The contract of what the agent hands in; the clarification itself is put together by the engine."""


async def work(run: Run, stage: Stage) -> Produced | NeedsPerson:
    """Let the agent look for answers, check its evidence, ask a person about what is left, all at once."""
    questions = _questions(run)
    given = handed_along(run, stage)
    if given is not None and run.record.stage(stage.name).draft is None:
        entries = await _entries(run, stage, questions, _by_id(run.record.artifact(given.artifact)))
        if not any(entry.get("open") for entry in entries):
            return Produced(run.record.put({"questions": entries}))
    draft = await _draft(run, stage, questions)
    if isinstance(draft, NeedsPerson):
        return draft
    entries = await _entries(run, stage, questions, draft)
    unanswered = [(q, e) for q, e in zip(questions, entries, strict=True) if e.get("open")]
    if unanswered:
        return NeedsPerson(_escalation(run, stage, unanswered))
    return Produced(run.record.put({"questions": entries}))


async def _entries(
    run: Run, stage: Stage, questions: list[JsonObject], draft: dict[str, JsonObject]
) -> list[JsonObject]:
    return [await _entry(run, stage, question, draft) for question in questions]


def _questions(run: Run) -> list[JsonObject]:
    """One question per ambiguity of the intake, numbered."""
    found = run.record.accepted()["intake_record"]["identified_ambiguities"]
    return [{"id": f"Q-{number:03}", **ambiguity} for number, ambiguity in enumerate(found, start=1)]


async def _draft(run: Run, stage: Stage, questions: list[JsonObject]) -> dict[str, JsonObject] | NeedsPerson:
    """The agent's answers by question id, found once a round."""
    mine = run.record.stage(stage.name)
    if mine.draft is not None:
        return _by_id(run.record.artifact(mine.draft))
    artifact = finished(run, stage)
    if artifact is None:
        from thoughtforge.stages.relevant import relevant_blocks

        agent = run.library.agent(stage.role)
        bridge = run.bridge(agent.role)
        told = Block("questions", as_yaml(questions), 900, floor=500, untrusted=True)
        blocks = [told, *input_blocks(run), *(await relevant_blocks(run) if run.record.journal.of(DEPTH).quick else ())]
        wanted = f"{run.library.config.clarify.confidence:g}"
        brief = Brief(run.library.catalog.render(prompt_name(stage), confidence=wanted), blocks, ANSWERS)
        end = await take_up(run, agent, stage, brief=brief, bridge=bridge)
        if end.artifact is None:
            return NeedsPerson(unfinished(run, stage, end))
        artifact = end.artifact
    run.record.journal.append(DraftMade(stage=stage.name, round=mine.round, draft=run.record.put(artifact)))
    return _by_id(artifact)


def _by_id(artifact: JsonObject | None) -> dict[str, JsonObject]:
    answers = (artifact or {}).get("answers")
    rows = answers if isinstance(answers, list) else []
    return {str(row.get("question_id")): row for row in rows if isinstance(row, dict)}


async def _entry(run: Run, stage: Stage, question: JsonObject, draft: dict[str, JsonObject]) -> JsonObject:
    """The settled entry; `open` marks one a person must answer."""
    key = question["id"]
    base = {"id": key, "question": question["question"], "area": question["area"], "impact": question["impact"]}
    person = run.record.stage(stage.name).answers.get(key)
    if person is not None:
        return {
            **base,
            "source": "human_escalation",
            "answer": person.text,
            "confidence": 1.0,
            "evidence": [],
            "resolved_by": person.by,
            "resolved_at": person.at,
        }
    row = draft.get(key, {})
    answer, confidence = str(row.get("answer", "")).strip(), _confidence(row)
    found = row.get("evidence")
    checked = await evidence.check_evidence(run.library.tree, found if isinstance(found, list) else [])
    proof = [{k: piece[k] for k in ("file", "line", "snippet") if k in piece} for piece in checked.holds]
    if answer and confidence >= run.library.config.clarify.confidence and proof:
        return {**base, "source": "agent_inference", "answer": answer, "confidence": confidence, "evidence": proof}
    if question["impact"] == "minor":
        assumed = answer or "No answer was found; the simplest reading of the request holds."
        return {**base, "source": "assumption", "answer": assumed, "confidence": confidence, "evidence": proof}
    return {"open": True, "answer": answer, "confidence": confidence, "wrong": checked.wrong}


def _confidence(row: JsonObject) -> float:
    value = row.get("confidence")
    usable = isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 1
    return float(value) if usable and value is not None else 0.0


def _escalation(run: Run, stage: Stage, left: list[tuple[JsonObject, JsonObject]]) -> Escalation:
    questions = tuple(
        Question(id=q["id"], text=q["question"], impact=q["impact"], proposal=_proposal(entry)) for q, entry in left
    )
    what = "one question" if len(questions) == 1 else f"{len(questions)} questions"
    return Escalation(
        id=f"E-{run.record.journal.state.raised + 1}",
        stage=stage.name,
        reason="ambiguity",
        summary=f"{what} the repository does not answer",
        questions=questions,
    )


def _proposal(entry: JsonObject) -> str:
    if not entry.get("answer"):
        return ""
    why = f"; its evidence does not hold: {'; '.join(entry['wrong'])}" if entry.get("wrong") else ""
    return f"{entry['answer']} (confidence {entry['confidence']:.2f}{why})"
