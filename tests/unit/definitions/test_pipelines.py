"""Pipelines: the built-in ones, and everything wrong with a person's own, line by line."""

from __future__ import annotations

import pytest

from thoughtforge.catalog import Catalog
from thoughtforge.definitions.pipelines import (
    LoadedPipeline,
    Names,
    check_file,
    load_pipeline,
    load_pipelines,
    with_exit,
)
from thoughtforge.kernel.errors import UserError
from thoughtforge.kernel.model import Continuation, External, Pipeline, PipelineExit, Stage

CATALOG = Catalog(project={}, user=None)
NAMES = Names(
    contracts=frozenset(CATALOG.names("contracts")),
    roles=frozenset(CATALOG.names("roles")),
    drivers=frozenset(
        {"document", "clarify", "analyze", "code", "deliver", "chat", "compose", "polish", "forge", "phases"}
    ),
    pipelines=frozenset(CATALOG.names("pipelines")),
)

# stage → (driver, role, contract, prerequisites)
ROUTES = {
    "design": {
        "intake": ("document", "requirements_analyst", "intake_record", ()),
        "clarify": ("clarify", "business_analyst", "clarification", ("intake_record",)),
        "analyze": ("analyze", "software_architect", "analysis", ()),
        "spec": ("document", "software_architect", "specification", ("intake_record", "analysis")),
    },
    "implement": {
        "intake": ("document", "requirements_analyst", "intake_record", ()),
        "clarify": ("clarify", "business_analyst", "clarification", ("intake_record",)),
        "analyze": ("analyze", "software_architect", "analysis", ()),
        "spec": ("document", "software_architect", "specification", ("intake_record", "analysis")),
        "red": ("code", "test_engineer", "test_suite", ("specification",)),
        "green": ("code", "software_developer", "implementation", ("specification", "test_suite")),
        "refactor": ("code", "senior_developer", "deliverable", ("implementation",)),
        "deliver": ("deliver", "devops_engineer", "delivery_report", ("implementation",)),
    },
    "test": {
        "analyze": ("analyze", "software_architect", "analysis", ()),
        "red": ("code", "test_engineer", "test_suite", ("specification",)),
    },
    "review": {"analyze": ("analyze", "software_architect", "analysis", ())},
    "fix": {
        "analyze": ("analyze", "software_architect", "analysis", ()),
        "green": ("code", "software_developer", "implementation", ("analysis",)),
    },
    "document": {
        "analyze": ("analyze", "software_architect", "analysis", ()),
        "deliver": ("deliver", "devops_engineer", "delivery_report", ("analysis",)),
    },
    "forge": {
        "plan": ("forge", "drafter", "change_plan", ()),
        "phases": ("phases", "implementer", "change_report", ("change_plan",)),
    },
    "think": {
        "distill": ("chat", "distiller", "intent", ()),
        "spec": ("chat", "spec_builder", "proposal", ("intent",)),
        "tests": ("code", "test_engineer", "test_suite", ("intent", "proposal")),
        "build": ("compose", "builder", "composition", ("intent", "proposal")),
        "polish": ("polish", "critic", "polished", ("composition",)),
    },
}
ENTRIES = {"intake", "analyze", "red"}
EXITS = {"analyze", "spec", "red", "green", "refactor", "deliver"}


def pipeline(name: str) -> Pipeline:
    return load_pipeline(CATALOG, name, known=NAMES).pipeline


def all_stages() -> list[tuple[str, Stage]]:
    return [
        (loaded.pipeline.name, s) for loaded in load_pipelines(CATALOG, known=NAMES) for s in loaded.pipeline.stages
    ]


def test_the_built_in_pipelines_are_the_one_table_of_stages() -> None:
    found = {
        loaded.pipeline.name: {
            s.name: (s.driver, s.role, s.output_contract, s.prerequisites) for s in loaded.pipeline.stages
        }
        for loaded in load_pipelines(CATALOG, known=NAMES)
    }
    assert found == ROUTES


def test_a_stage_has_the_same_entry_exit_and_iteration_in_every_pipeline() -> None:
    stages = [s for name, s in all_stages() if name not in ("think", "forge")]  # they have stages of their own kind
    found = {(s.name, s.entry_point, s.exit_point, s.iterable, s.max_iterations) for s in stages}
    names = {name for name, *_ in found}
    assert found == {(n, n in ENTRIES, n in EXITS, n == "spec", 5 if n == "spec" else 1) for n in names}


def test_the_security_architect_reviews_spec_and_refactor_and_blocks() -> None:
    found = {(s.name, s.reviewers, s.review_mode) for _, s in all_stages() if s.reviewers}
    assert found == {(name, ("security_architect",), "blocking") for name in ("spec", "refactor")}


def test_stages_are_skipped_only_for_what_the_engine_can_compute() -> None:
    assert {(name, s.name): s.skip_if for name, s in all_stages() if s.skip_if} == {
        ("design", "clarify"): ("no_ambiguities",),
        ("think", "tests"): ("untested_deliverable",),
        ("implement", "intake"): ("spec_provided",),
        ("implement", "clarify"): ("no_ambiguities", "spec_provided"),
        ("implement", "analyze"): ("spec_provided",),
        ("implement", "spec"): ("spec_provided",),
        ("implement", "red"): ("tests_provided",),
        ("implement", "refactor"): ("trivial_change",),
    }


def test_every_pipeline_ends_at_its_last_stage_and_says_what_can_follow() -> None:
    ends = {p.name: (p.exit, p.continuation) for p in map(pipeline, ROUTES)}
    assert {name: end for name, (end, _) in ends.items()} == {
        "design": PipelineExit(stage="spec", deliverable="specification"),
        "implement": PipelineExit(stage="deliver", deliverable="delivery_report"),
        "test": PipelineExit(stage="red", deliverable="test_suite"),
        "review": PipelineExit(stage="analyze", deliverable="analysis"),
        "fix": PipelineExit(stage="green", deliverable="implementation"),
        "document": PipelineExit(stage="deliver", deliverable="delivery_report"),
        "think": PipelineExit(stage="polish", deliverable="polished"),
        "forge": PipelineExit(stage="phases", deliverable="change_report"),
    }
    assert {name: then for name, (_, then) in ends.items() if then} == {
        "design": Continuation(
            prompt="The specification is ready. Go on and implement it?",
            next_pipeline="implement",
            provides=("specification",),
        ),
        "test": Continuation(
            prompt="The tests are written and fail as they should. Go on and implement the behaviour?",
            next_pipeline="implement",
            provides=("specification", "test_suite"),
        ),
    }
    assert [[s.name for s in p.stages if s.default_exit] for p in map(pipeline, ROUTES)] == [
        [p.exit.stage] for p in map(pipeline, ROUTES)
    ]


def test_artifacts_from_outside_are_named_where_they_are_taken() -> None:
    assert {p.name: (p.accepts_external, p.requires_external) for p in map(pipeline, ("implement", "test"))} == {
        "implement": (
            {
                "specification": External(contract="specification", skips_to="red"),
                "test_suite": External(contract="test_suite", skips_to="green", requires=("specification",)),
            },
            {},
        ),
        "test": (
            {},
            {
                "specification": External(
                    contract="specification", source="a file or the specification of an earlier task"
                )
            },
        ),
    }


def test_document_writes_documents_only() -> None:
    assert {(name, s.name): s.write_paths for name, s in all_stages() if s.write_paths} == {
        ("document", "deliver"): "docs/**,*.md"
    }


def test_a_pipeline_comes_with_its_file_and_digest() -> None:
    file = CATALOG.find("pipelines", "review")
    loaded = load_pipeline(CATALOG, "review", known=NAMES)
    assert loaded == LoadedPipeline(loaded.pipeline, file.digest, "library/pipelines/review.yaml")


def test_a_pipeline_ends_early_only_at_an_exit_stage() -> None:
    implement = pipeline("implement")
    assert with_exit(implement, "spec") == "spec"
    exits = "choose one of analyze, spec, red, green, refactor, deliver"
    for stage, what in (
        ("clarify", "the pipeline implement cannot end at clarify"),
        ("ship", 'the pipeline implement has no stage "ship"'),
    ):
        with pytest.raises(UserError) as caught:
            with_exit(implement, stage)
        assert (caught.value.what, caught.value.do) == (what, exits)


OWN = """\
name: look
description: Look at the code and say what is there.
goal_type: review
stages:
  - name: analyze
    purpose: Look.
    driver: analyse
    role: nobody
    output_contract: analysis
    exit_point: true
    skip_if: [no_ambiguities, full_moon]
    colour: red
  - name: analyze
    purpose: Look again.
    driver: analyze
    role: software_architect
    output_contract: analysis
exit:
  stage: analyse
  deliverable: analysis
continuation:
  prompt: Go on?
  next_pipeline: nowhere
"""


def test_everything_wrong_with_a_file_is_reported_with_file_and_line() -> None:
    found = check_file(OWN, "look.yaml", catalog=CATALOG, known=NAMES)
    places = {problem.where for problem in found}
    assert {
        "look.yaml:7: stages[0].driver",
        "look.yaml:8: stages[0].role",
        "look.yaml:11: stages[0].skip_if[1]",
        "look.yaml:12: stages[0].colour",
        "look.yaml:13: stages[1].name",
        "look.yaml:19: exit.stage",
        "look.yaml:23: continuation.next_pipeline",
    } <= places
    whats = {problem.where: problem.what for problem in found}
    assert whats["look.yaml:7: stages[0].driver"] == (
        'there is no driver "analyse"; use one of analyze, chat, clarify, code, compose, deliver, document, forge, '
        "phases, polish"
    )
    assert whats["look.yaml:11: stages[0].skip_if[1]"] == (
        'there is no skip condition "full_moon"; '
        "use one of no_ambiguities, spec_provided, tests_provided, trivial_change, untested_deliverable"
    )


def test_a_correct_file_of_one_s_own_has_no_problems() -> None:
    text = CATALOG.find("pipelines", "fix").text.replace("name: fix", "name: mend")
    assert check_file(text, "mend.yaml", catalog=CATALOG, known=NAMES) == ()


def test_a_file_that_is_not_a_mapping_is_a_problem_and_not_a_crash() -> None:
    assert [problem.where for problem in check_file("- a\n- b\n", "x.yaml", catalog=CATALOG, known=NAMES)] == [
        "x.yaml:1: (whole)"
    ]


def test_a_refused_pipeline_names_its_file_and_all_refused_ones_are_named_together() -> None:
    catalog = Catalog(project={"pipelines/look.yaml": OWN, "pipelines/peek.yaml": "name: look\n"}, user=None)
    with pytest.raises(UserError) as caught:
        load_pipeline(catalog, "peek", known=NAMES)
    assert caught.value.what == "the pipeline peek is refused"
    own_name = ".thoughtforge/pipelines/peek.yaml:1: name: must be peek, the name of the file"
    assert own_name in caught.value.details
    with pytest.raises(UserError) as caught:
        load_pipelines(catalog, known=NAMES)
    assert own_name in caught.value.details
    assert any(detail.startswith(".thoughtforge/pipelines/look.yaml:7: ") for detail in caught.value.details)


def test_names_that_were_not_looked_up_are_not_judged() -> None:
    known = Names(contracts=NAMES.contracts, roles=NAMES.roles)
    text = CATALOG.find("pipelines", "fix").text.replace("driver: code", "driver: magic")
    assert check_file(text, "x.yaml", catalog=CATALOG, known=known) == ()
