"""A task builds when a stage up to its exit writes files; what comes after the exit does not count."""

import pytest

from thoughtforge.kernel.model import Stage
from thoughtforge.service.code_stages import builds, drivers_of
from unit.kernel.making import task


def stage(name: str, driver: str) -> Stage:
    return Stage(name=name, purpose="p", driver=driver, role="r", output_contract="c")


STAGES = (stage("spec", "document"), stage("green", "code"), stage("deliver", "deliver"))


@pytest.mark.parametrize(
    ("exit_stage", "drivers", "writes"),
    [
        ("spec", {"document"}, False),
        ("green", {"document", "code"}, True),
        ("deliver", {"document", "code", "deliver"}, True),
    ],
)
def test_only_stages_up_to_the_exit_count(exit_stage: str, drivers: set[str], writes: bool) -> None:
    asked = task(*STAGES, exit_stage=exit_stage)
    assert (drivers_of(asked), builds(asked)) == (drivers, writes)


def test_a_document_that_is_written_as_a_file_needs_a_workspace_too() -> None:
    assert builds(task(stage("deliver", "deliver")))
