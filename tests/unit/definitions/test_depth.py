"""How deep a run goes: where it begins, what raises it, and what a person's word changes."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from thoughtforge.calls.events import DepthSet
from thoughtforge.calls.spending import Depth
from thoughtforge.catalog import Catalog
from thoughtforge.definitions.depth import after_code, after_specification, depth_table, first_depth, larger, sensitive
from thoughtforge.kernel.errors import UserError
from thoughtforge.kernel.model import Pauses, Pipeline

SPEC: dict[str, Any] = {
    "title": "A gap between rows",
    "requirements": [{"id": "REQ-001", "description": "Rows have a gap.", "acceptance_criteria": ["There is a gap."]}],
    "files_to_modify": ["src/table.py"],
    "files_to_create": ["tests/test_gap.py"],
}
REVIEWERS = {"spec": ("security_architect",)}


def pipeline(name: str = "implement") -> Pipeline:
    return Pipeline.model_validate(yaml.safe_load(Catalog(project={}, user=None).find("pipelines", name).text))


def begun(asked: Any = "auto") -> Depth:
    return Depth(first_depth(asked, pipeline(), Pauses(), None))


def test_a_run_begins_quick_without_the_review_of_the_specification() -> None:
    reason = "nothing measured so far is large or sensitive"
    assert first_depth("auto", pipeline(), Pauses(), None) == DepthSet(
        depth="quick", asked="auto", reason=reason, reviewers={"spec": ()}, left_out=REVIEWERS
    )


@pytest.mark.parametrize(
    ("name", "pauses", "why"),
    [
        ("design", Pauses(), "the pipeline design always goes stage by stage"),
        ("fix", Pauses(), "the pipeline fix always goes stage by stage"),
        ("implement", Pauses(supervised=True), "you want to be asked after each stage"),
        ("implement", Pauses(iterate=True), "you want to be asked after each stage"),
    ],
)
def test_some_runs_are_always_full_and_quick_is_refused_there(name: str, pauses: Pauses, why: str) -> None:
    assert first_depth("auto", pipeline(name), pauses, None) == DepthSet(depth="full", asked="auto", reason=why)
    with pytest.raises(UserError, match=f"this run cannot be quick: {why}"):
        first_depth("quick", pipeline(name), pauses, None)


def test_a_given_specification_is_measured_at_once() -> None:
    many = {**SPEC, "files_to_modify": ["a.py", "b.py", "c.py"]}
    assert first_depth("auto", pipeline(), Pauses(), many).depth == "full"
    assert first_depth("auto", pipeline(), Pauses(), SPEC).depth == "quick"
    assert first_depth("quick", pipeline(), Pauses(), many).depth == "quick"


def test_a_small_specification_changes_nothing_and_a_large_one_raises_the_run_with_its_review() -> None:
    assert after_specification(begun(), SPEC) is None
    many = {**SPEC, "files_to_modify": ["a.py", "b.py", "c.py"]}
    why = "the specification names 4 files, more than 3"
    assert after_specification(begun(), many) == DepthSet(depth="full", reason=why, reviewers=REVIEWERS)


@pytest.mark.parametrize(
    ("change", "word"),
    [
        ({"files_to_modify": ["app/auth/views.py"]}, "auth"),
        ({"files_to_modify": [".github/workflows/ci.yml"]}, ".github"),
        ({"title": "Reset a password"}, "password"),
        ({"requirements": [{"description": "Show the e-mail address."}]}, "e-mail address"),
    ],
)
def test_a_sensitive_area_is_found_in_paths_and_words(change: dict[str, Any], word: str) -> None:
    assert f'("{word}")' in sensitive({**SPEC, **change})


def test_words_that_only_look_sensitive_are_not() -> None:
    harmless = {
        **SPEC,
        "title": "Author names in the tokenizer",
        "files_to_modify": ["src/authors.py", "src/evaluate.py"],
    }
    assert larger(harmless) == ""
    assert larger({"files_to_modify": "not a list", "requirements": None}) == ""


def test_what_the_person_or_the_risks_say_counts_too() -> None:
    assert "personal data" in sensitive(SPEC, ["Never print an email address", None])


def test_who_asked_for_quick_gets_the_review_of_what_is_sensitive_and_stays_quick() -> None:
    found = after_specification(begun("quick"), {**SPEC, "title": "Reset a password"})
    assert found is not None
    assert (found.depth, found.reviewers, found.left_out) == ("quick", REVIEWERS, {})
    assert after_specification(begun("quick"), {**SPEC, "files_to_modify": list("abcdef")}) is None


def test_a_long_change_raises_the_run_and_says_why_the_specification_is_not_reviewed_any_more() -> None:
    most = depth_table().lines
    assert after_code(begun(), most) is None
    assert after_code(begun("quick"), most + 1) is None
    found = after_code(begun(), most + 1)
    assert found is not None
    assert (found.depth, found.reviewers) == ("full", {})
    assert found.reason == (
        "51 lines of the product are changed, more than 50; "
        "the specification is built already, so the review of the whole change looks at both"
    )
    assert after_code(Depth(), 400) is None
