"""Plan or code, the kind of plan and the language, read off single words."""

import pytest

from thoughtforge.providers.builtin.sorting import Kind, deliverable, language, plan_kind


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (["A script in Python"], Kind("code", "Words that point to code: script, Python.", False)),
        (["Our wedding, our Wedding"], Kind("plan", "Words that point to a plan: Wedding.", False)),
        (["The cat"], Kind("plan", "Nothing in the notes points to software, so the type is Plan.", False)),
        (
            ["A plan and an app"],
            Kind("plan", "Words that point to a plan: plan. Words that point to code: app.", True),
        ),
        (["A plan and an app", "Code!"], Kind("code", "Set by a later message: Code!", False)),
        (["an app", "code", "type: plan"], Kind("plan", "Set by a later message: type: plan", False)),
        (
            ["The dress code is blue"],
            Kind("plan", "Nothing in the notes points to software, so the type is Plan.", False),
        ),
    ],
)
def test_deliverable(texts: list[str], expected: Kind) -> None:
    assert deliverable(texts) == expected


@pytest.mark.parametrize(
    ("text", "known", "expected"),
    [
        ("the bride and the groom", (), "wedding"),
        ("a market, customers, and an API", (), "strategy"),
        ("an API and a database", (), "engineering"),
        ("an API and a database", ("generic", "wedding"), "generic"),
        ("the cat", (), "generic"),
        ("die Hochzeit", (), "wedding"),
    ],
)
def test_plan_kind(text: str, known: tuple[str, ...], expected: str) -> None:
    assert plan_kind([text], known) == expected


@pytest.mark.parametrize(
    ("text", "expected"), [("with FastAPI", "Python"), ("in Go", "Go"), ("let's go", None), ("node.js", "JavaScript")]
)
def test_language(text: str, expected: str | None) -> None:
    assert language([text]) == expected
