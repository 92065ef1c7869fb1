"""The questions that go to a person, put into words."""

from __future__ import annotations

from typing import Any

from thoughtforge.agent.acting import End
from thoughtforge.agent.means import Means
from thoughtforge.kernel.model import Escalation, JsonObject, Question, Stage


def from_agent(means: Means, stage: Stage, asked: JsonObject) -> Escalation:
    """What an agent wants to know."""
    question = Question(id=_id(means), text=str(asked["question"]), impact=str(asked.get("impact", "blocking")))
    return _escalation(means, stage, "agent_question", f"{stage.role} asks a question", question)


def contract_violations(means: Means, stage: Stage) -> Escalation:
    """The same agent broke its contract too often."""
    mine = means.stage(stage.name)
    problems = mine.verdict.problems if mine.verdict else ()
    text = "\n".join(f"- {p.where}: {p.what}" for p in problems)
    question = Question(id=_id(means), text=f"How should {stage.output_contract} be put right?\n{text}")
    return _escalation(
        means, stage, "contract_violations", f"{stage.name} broke its contract {mine.repairs} times running", question
    )


def review_unresolved(means: Means, stage: Stage) -> Escalation:
    """Blocking issues are left after the last revision."""
    mine = means.stage(stage.name)
    issues = [issue for review in mine.reviews for issue in review.blocking]
    text = "\n".join(f"- {i.id} ({i.severity}): {i.description}; remedy: {i.remediation}" for i in issues)
    summary = f"{len(issues)} blocking issues are left after {mine.review_iteration} reviews of {stage.name}"
    question = Question(id=_id(means), text=f"How should these be settled?\n{text}")
    return _escalation(means, stage, "review_unresolved", summary, question, choices=("answer", "accept", "abort"))


def unfinished(means: Means, stage: Stage, end: End) -> Escalation:
    """A stage ended without an artifact: the agent asks, goes in circles, or has no step left."""
    if end.question:
        return from_agent(means, stage, end.question)
    return no_progress(means, stage, end.circles) if end.circles else step_limit(means, stage)


def step_limit(means: Means, stage: Stage) -> Escalation:
    """The stage's steps are used up."""
    mine = means.stage(stage.name)
    tried = "\n".join(f"- {a.tool}: {a.summary}" for a in means.memory(stage.name).recent)
    question = Question(id=_id(means), text=f"What should be tried instead? Last actions:\n{tried}")
    return _escalation(means, stage, "step_limit", f"{stage.name} took {mine.steps} actions without an end", question)


def no_progress(means: Means, stage: Stage, why: str) -> Escalation:
    """The agent was told that it goes in circles and went on."""
    tried = "\n".join(f"- {a.tool}: {a.summary}" for a in means.memory(stage.name).recent)
    question = Question(id=_id(means), text=f"What should be tried instead? Last actions:\n{tried}")
    return _escalation(means, stage, "no_progress", f"{stage.name} goes in circles: {why}", question)


def held_back(means: Means, stage: Stage, failed: str) -> Escalation:
    """The code passes the tests it can see and not the cases it cannot."""
    question = Question(
        id=_id(means),
        text=f"The code passes the tests but not the held-back cases of: {failed}. Is the specification clear there?",
    )
    return _escalation(means, stage, "held_back", f"{stage.name} failed held-back cases again", question)


def _id(means: Means) -> str:
    """Question ids are unique in a task, so that an answer never meets a later question."""
    return f"Q-{100 * (means.journal.state.raised + 1) + 1:03}"


def _escalation(means: Means, stage: Stage, reason: str, summary: str, question: Question, **more: Any) -> Escalation:
    return Escalation.model_validate(
        {
            "id": f"E-{means.journal.state.raised + 1}",
            "stage": stage.name,
            "reason": reason,
            "summary": summary,
            "questions": (question,),
            **more,
        }
    )
