"""The model of rules: it does its jobs, costs nothing and refuses everything else with what to do."""

import asyncio

import pytest

from thoughtforge.calls.port import ProviderError, Reply, Reservation, Usage
from thoughtforge.deliverables.plan import placeholder
from thoughtforge.providers.builtin import BuiltinModel


def test_nothing_leaves_the_machine_and_nothing_is_used() -> None:
    model = BuiltinModel()
    assert (model.offsite, model.label, model.model) == (False, "builtin", "builtin")
    assert model.reserve("system", "context", 1000) == Reservation(tokens=0, usd=0)
    nothing = Usage(input_tokens=0, output_tokens=0)
    assert model.reply("{}") == Reply(text="{}", model="builtin", usage=nothing, usd=0)


def test_free_text_is_refused_with_what_to_do() -> None:
    with pytest.raises(ProviderError) as refused:
        asyncio.run(BuiltinModel().complete("system", "context", max_output=10))
    assert refused.value.kind == "unsupported"
    assert "config.yaml" in refused.value.do


def test_an_unknown_job_is_refused_and_the_known_ones_are_named() -> None:
    with pytest.raises(ProviderError, match="completeness, distill, plan_section, propose") as refused:
        BuiltinModel().answer("poem", {})
    assert refused.value.kind == "unsupported"


@pytest.mark.parametrize("job", ["review", "recheck", "fix"])
def test_what_it_cannot_judge_or_repair_is_refused_like_any_other_job(job: str) -> None:
    with pytest.raises(ProviderError, match=f"has no job '{job}'"):
        BuiltinModel().answer(job, {"document": "# Garden"})


def test_what_it_may_leave_in_a_slot_is_a_placeholder_for_everyone_else() -> None:
    assert placeholder(BuiltinModel().capabilities.placeholder) == "not said yet"


def test_every_job_answers() -> None:
    model = BuiltinModel()
    intent = model.answer("distill", {"messages": ["We want a garden."]})
    proposal = model.answer("propose", {"intent": intent})
    section = {"heading": "Aim", "purpose": "What for.", "slots": ["aim_objective"]}
    answers = {
        "plan_section": {"section": section, "intent": intent, "proposal": proposal},
        "completeness": {"document": "# Garden"},
    }
    assert model.capabilities.jobs == {"distill", "propose", *answers}
    keys = {job: sorted(model.answer(job, material)) for job, material in answers.items()}
    assert keys == {
        "plan_section": ["content", "stuck"],
        "completeness": ["pass", "reasons"],
    }
