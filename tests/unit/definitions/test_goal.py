"""The goal of a request, as a table of requests people write."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

import thoughtforge
from thoughtforge.definitions.goal import Goal, choose, first_words
from thoughtforge.kernel.errors import UserError
from thoughtforge.kernel.model import Pipeline

LIBRARY = Path(thoughtforge.__file__).parent / "library" / "pipelines"
FILES = [
    path for path in sorted(LIBRARY.glob("*.yaml")) if path.stem not in ("think", "forge")
]  # no first verb asks for them
PIPELINES = tuple(Pipeline.model_validate(yaml.safe_load(path.read_text("utf-8"))) for path in FILES)

TABLE = [
    # design
    ("Design OAuth2 login", "design"),
    ("Please design a cache", "design"),
    ("DESIGN A PLUGIN SYSTEM", "design"),
    ('"Design a rate limiter"', "design"),
    ("“Design” the import wizard", "design"),
    ("- design the audit trail", "design"),
    ("* [ ] Design the audit trail", "design"),
    ("1. Design the audit trail", "design"),
    ("## Design of nothing in particular", "design"),
    ("> design sharding for events", "design"),
    ("Task: design a retry policy", "design"),
    ("Plan the migration to Postgres", "design"),
    ("Plan how we move to Postgres", "design"),
    ("Plan out a billing module", "design"),
    ("plan", "design"),
    ("Spec the CSV export", "design"),
    ("Spec out CSV export", "design"),
    ("Specify how retries behave", "design"),
    ("Architect a message bus", "design"),
    ("Could you please plan the rollout?", "design"),
    ("Hi team, I'd like you to design a queue", "design"),
    ("I’d like to design a queue", "design"),
    ("Let's first design a queue", "design"),
    ("OK, now let us design a queue", "design"),
    ("We need to plan our release", "design"),
    # test
    ("Write tests for the parser", "test"),
    ("Test the parser", "test"),
    ("Test that empty input is refused", "test"),
    ("TEST THE PARSER", "test"),
    ("Test `parse_line`", "test"),
    ("Test parser.py", "test"),
    ("Test OAuth2 callbacks", "test"),
    ("Add tests for src/auth", "test"),
    ("Add tests to the billing module", "test"),
    ("Add a test for leap years", "test"),
    ("Can you write unit tests for money.py", "test"),
    ("Write tests.", "test"),
    # review
    ("Review src/auth", "review"),
    ("Review the payment flow", "review"),
    ("Would you review my latest changes", "review"),
    ("Analyze the import graph", "review"),
    ("Analyse module coupling", "review"),
    ("Assess upgrade risk of Django", "review"),
    ("Audit the session handling", "review"),
    ("I want you to review it", "review"),
    ("Review Django settings", "review"),
    # document
    ("Document the API", "document"),
    ("Document src/auth", "document"),
    ("Document API endpoints", "document"),
    ("Docs for the scheduler", "document"),
    ("Kindly write documentation for the scheduler", "document"),
    ("Document why retries stop after three", "document"),
    # fix
    ("Fix V-0123456789ab", "fix"),
    ("Please repair the finding v-00ff00ff00ff in src/a.py", "fix"),
    ("Resolve V-abcdefabcdef", "fix"),
    # implement: words that only look like another goal
    ("Add a plan selection page", "implement"),
    ("document upload API", "implement"),
    ("DOCUMENT UPLOAD API", "implement"),
    ("Document upload with progress bar", "implement"),
    ("latest news widget", "implement"),
    ("prefix search for tags", "implement"),
    ("specific error pages", "implement"),
    ("test runner page for admins", "implement"),
    ("Test Runner Page For Admins", "implement"),
    ("test-data generator", "implement"),
    ("plan selection page", "implement"),
    ("Plan B fallback for uploads", "implement"),
    ("review queue for moderators", "implement"),
    ("spec sheet export", "implement"),
    ("Audit log page", "implement"),
    ("docs site search", "implement"),
    ("Add tests tab to the dashboard", "implement"),
    ("Add a test runner", "implement"),
    ("Designer mode for forms", "implement"),
    ("Fix the login crash", "implement"),
    ("Fix V-123", "implement"),
    ("Explain V-0123456789ab", "implement"),
    ("A page where users review the design and test plans", "implement"),
    ("Allow people to review and document invoices", "implement"),
    ("We need a review of orders", "implement"),
    # implement: nothing to go by, other languages
    ("", "implement"),
    ("   \n\t", "implement"),
    ("???", "implement"),
    ("please", "implement"),
    ("Could you please…", "implement"),
    ("Prüfe die Anmeldung", "implement"),
    ("Entwirf einen Cache", "implement"),
    ("Documenta la API", "implement"),
    ("Teste o parser", "implement"),
    ("Concevoir un cache", "implement"),
    ("設計してください", "implement"),
    ("Напиши тесты", "implement"),
]


def goal(request: str, *, pipeline: str | None = None, from_spec: bool = False, from_tests: bool = False) -> Goal:
    return choose(request, pipeline=pipeline, from_spec=from_spec, from_tests=from_tests, pipelines=PIPELINES)


@pytest.mark.parametrize(("request_text", "name"), TABLE)
def test_a_request_becomes_the_goal_its_first_verb_names(request_text: str, name: str) -> None:
    assert goal(request_text).name == name


def test_the_table_is_large_and_reaches_every_goal() -> None:
    assert len(TABLE) >= 60
    assert {name for _, name in TABLE} == {pipeline.name for pipeline in PIPELINES}


def test_an_explicit_pipeline_beats_flags_and_words() -> None:
    assert goal("Design a cache", pipeline="review", from_spec=True) == Goal("review", "--pipeline review is given")


def test_a_specification_or_tests_given_mean_implement_whatever_the_words_say() -> None:
    assert goal("Design a cache", from_spec=True) == Goal("implement", "--from-spec is given")
    assert goal("Design a cache", from_tests=True) == Goal("implement", "--from-tests is given")
    both = goal("Design a cache", from_spec=True, from_tests=True)
    assert both == Goal("implement", "--from-spec and --from-tests are given")


def test_the_cause_says_in_words_what_decided() -> None:
    assert goal("Please design a cache") == Goal("design", 'its first verb is "design"')
    assert goal("Add a page") == Goal("implement", 'its first verb is "add"')
    assert goal("Write tests for x") == Goal("test", 'its first verb is "write tests"')
    assert goal("Fix V-0123456789ab") == Goal("fix", 'its first verb is "fix" and it names V-0123456789ab')
    assert goal("Fix the crash") == Goal("implement", 'its first verb is "fix" and it names no finding (V-…)')
    assert goal("plan selection page") == Goal("implement", '"plan" names a thing here')
    assert goal("login page") == Goal("implement", "its first word names no other goal")


def test_an_unknown_pipeline_is_refused_with_the_known_ones() -> None:
    with pytest.raises(UserError) as caught:
        goal("anything", pipeline="desing")
    assert (caught.value.what, caught.value.do) == (
        'there is no pipeline "desing"',
        "choose one of design, document, fix, implement, review, test",
    )


def test_words_come_from_the_pipelines_given_and_not_from_the_program() -> None:
    own = PIPELINES[0].model_copy(update={"name": "forecast", "verbs": ("predict", "look ahead"), "noun_verbs": ()})
    found = choose("Look ahead to May", pipeline=None, from_spec=False, from_tests=False, pipelines=(own,))
    assert found == Goal("forecast", 'its first verb is "look ahead"')


def test_bullets_quotes_and_polite_words_are_passed_over_and_the_rest_is_kept_as_written() -> None:
    assert first_words(' - "Hi there, could you PLEASE Review src/Auth!"') == ["Review", 'src/Auth!"']
