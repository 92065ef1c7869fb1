"""What a stage is, is declared by its driver and its options; stages from before there were options are still read."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest

from thoughtforge.catalog import Catalog, extension, extension_names
from thoughtforge.contracts.published import field_texts
from thoughtforge.definitions.drivers import (
    builds,
    driver,
    first_that_writes,
    is_thought,
    options_of,
    prompt_name,
    roles,
    runs_tests,
    until,
    writes,
)
from thoughtforge.kernel.errors import UserError
from thoughtforge.kernel.model import Pipeline, Stage, Value
from unit.kernel.making import task

DRIVERS = extension_names("drivers")
KNOWN_NEEDS = {"code", "project", "plan"}
KNOWN_WRITES = {"nothing", "documents", "tests", "product"}


def stage(name: str, driver: str, contract: str = "c", **options: Any) -> Stage:
    return Stage(name=name, purpose="p", driver=driver, role="r", output_contract=contract, options=options)


STAGES = (stage("spec", "document"), stage("green", "code", exit="green"), stage("deliver", "deliver"))


@pytest.mark.parametrize("name", DRIVERS)
def test_a_driver_declares_its_facts_and_describes_every_option(name: str) -> None:
    module, facts = extension("drivers", name), driver(name)
    assert (module.__doc__ or "").strip()
    assert facts.options is module.Options
    assert issubclass(facts.options, Value)
    assert (facts.options.__doc__ or "").strip()
    assert sorted(field_texts(facts.options)) == sorted(facts.options.model_fields)
    assert facts.needs <= KNOWN_NEEDS
    assert callable(facts.writes) or facts.writes in KNOWN_WRITES


def test_the_facts_of_all_drivers_load_nothing_that_only_their_work_needs() -> None:
    code = (
        "import sys\nfrom thoughtforge.definitions.drivers import driver\n"
        "from thoughtforge.catalog import extension_names\n"
    )
    code += "[driver(name) for name in extension_names('drivers')]\n"
    code += "print(sorted({name.split('.')[1] for name in sys.modules if name.startswith('thoughtforge.')}))"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "['catalog', 'definitions', 'drivers', 'kernel']"


@pytest.mark.parametrize(
    ("exit_stage", "files", "tests"), [("spec", False, False), ("green", True, True), ("deliver", True, True)]
)
def test_only_stages_up_to_the_exit_count(exit_stage: str, files: bool, tests: bool) -> None:
    asked = task(*STAGES, exit_stage=exit_stage)
    assert (builds(asked), runs_tests(asked)) == (files, tests)


def test_a_document_that_is_written_as_a_file_needs_a_workspace_and_no_tests() -> None:
    asked = task(stage("deliver", "deliver"))
    assert (builds(asked), runs_tests(asked)) == (True, False)


def test_a_thought_is_a_task_whose_drivers_need_a_project_whatever_it_is_called() -> None:
    assert is_thought(task(stage("anything", "chat", agree_on="intent")))
    assert not is_thought(task(*STAGES))


def test_what_is_written_follows_from_the_options_and_not_from_names() -> None:
    probe, forge = stage("probe", "code", "probes", exit="red"), stage("forge", "code", "change", exit="green")
    assert [writes(one) for one in (probe, forge, *STAGES)] == ["tests", "product", "nothing", "product", "documents"]
    assert first_that_writes(task(probe, forge).pipeline, "product") == forge


def test_roles_are_those_of_the_stages_their_reviewers_and_what_their_drivers_ask_besides() -> None:
    polish = stage("polish", "polish").model_copy(update={"role": "critic", "reviewers": ("judge",)})
    assert roles((stage("build", "compose"), polish)) == ("r", "critic", "judge", "fixer")


def test_a_driver_that_this_version_does_not_have_declares_nothing() -> None:
    strange = stage("strange", "no_such_driver")
    assert (writes(strange), builds(task(strange)), is_thought(task(strange))) == ("nothing", False, False)


def test_the_prompt_is_the_one_named_like_the_stage_unless_the_options_name_one() -> None:
    assert prompt_name(stage("probe", "code", exit="red")) == "probe"
    assert prompt_name(stage("probe", "code", exit="red", prompt="red")) == "red"


@pytest.mark.parametrize("name", Catalog(project={}, user=None).names("pipelines"))
def test_a_stage_from_before_there_were_options_means_what_its_file_says_now(name: str) -> None:
    import yaml

    text = Catalog(project={}, user=None).find("pipelines", name).text
    pipeline = Pipeline.model_validate(yaml.safe_load(text))
    for new in pipeline.stages:
        old, kind = new.model_copy(update={"options": {}}), driver(new.driver).options
        deep = {name: value for name, value in (("along", ""), ("quick_review", True)) if name in kind.model_fields}
        assert options_of(old, kind) == options_of(new, kind).model_copy(update=deep)  # it has one depth: full
        assert writes(old) == writes(new)


def test_options_on_record_that_do_not_fit_are_said_with_the_stage() -> None:
    kind = driver("code").options
    with pytest.raises(UserError, match="the options of the stage probe do not fit its driver") as caught:
        options_of(stage("probe", "code", exit="purple", extra=1), kind)
    assert [line.partition(":")[0] for line in caught.value.details] == ["options.exit", "options.extra"]


def test_the_stages_until_an_exit_end_with_it() -> None:
    assert [one.name for one in until(task(*STAGES).pipeline, "green")] == ["spec", "green"]
