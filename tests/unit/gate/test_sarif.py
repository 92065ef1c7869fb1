"""SARIF as others check it: nothing in a log but what version 2.1.0 of the schema allows."""

import json

from jsonschema import Draft202012Validator

from thoughtforge.gate.findings import Finding, GateVerdict, Outcome, judge
from thoughtforge.gate.reports import written

OLD = Finding("V-000000000001", "types", "types", "major", "src/a b.py", 7, "an old one", "T1", "Correct it.")
NEW = Finding("V-000000000002", "types", "types", "critical", "src/ä.py", 0, "wrong\n\x00", "T2", "")
WHOLE = Finding("V-000000000003", "command", "quality", "minor", "", 0, "it failed", "", "")


def verdict() -> GateVerdict:
    outcomes = [
        Outcome("types", "types", "fail", (OLD, NEW)),
        Outcome("command", "quality", "fail", (WHOLE,)),
        Outcome("grimp", "architecture", "broken", broken="gone"),
    ]
    return judge(outcomes, [OLD], seconds=1.25)


def closed(required: str, optional: str = "", /, **parts: object) -> dict[str, object]:
    """The schema of an object that has exactly the keys SARIF 2.1.0 knows for it."""
    names = [*required.split(), *optional.split()]
    properties = {name: parts.get(name.lstrip("$"), {}) for name in names}
    return {
        "type": "object",
        "required": required.split(),
        "properties": properties,
        "additionalProperties": False,
    }


def many(item: dict[str, object]) -> dict[str, object]:
    return {"type": "array", "items": item}


TEXT = {"type": "string", "minLength": 1}
MESSAGE = closed("", "text id", text=TEXT)
LEVEL = {"enum": ["none", "note", "warning", "error"]}
PLACE = closed(
    "",
    "artifactLocation region",
    artifactLocation=closed("", "uri uriBaseId", uri={"type": "string", "pattern": r"^[!-~]+$"}, uriBaseId=TEXT),
    region=closed("", "startLine", startLine={"type": "integer", "minimum": 1}),
)
RESULT = closed(
    "message",
    "ruleId level partialFingerprints baselineState properties locations",
    message=MESSAGE,
    ruleId=TEXT,
    level=LEVEL,
    partialFingerprints={"type": "object", "additionalProperties": TEXT},
    baselineState={"enum": ["new", "unchanged", "updated", "absent"]},
    properties={"type": "object"},
    locations=many(closed("", "physicalLocation", physicalLocation=PLACE)),
)
NOTE = closed("message", "level associatedRule", message=MESSAGE, level=LEVEL, associatedRule=closed("", "id", id=TEXT))
RUN = closed(
    "tool",
    "columnKind invocations results",
    tool=closed(
        "driver",
        driver=closed(
            "name",
            "version rules",
            name=TEXT,
            version=TEXT,
            rules={**many(closed("id", "properties", id=TEXT)), "uniqueItems": True},
        ),
    ),
    columnKind={"enum": ["utf16CodeUnits", "unicodeCodePoints"]},
    invocations=many(
        closed(
            "executionSuccessful",
            "toolExecutionNotifications",
            executionSuccessful={"type": "boolean"},
            toolExecutionNotifications=many(NOTE),
        )
    ),
    results=many(RESULT),
)
SARIF = closed(
    "version runs",
    "$schema",
    schema={"type": "string", "format": "uri"},
    version={"const": "2.1.0"},
    runs=many(RUN),
)
"""The part of the published schema that is used: required keys, known keys, enumerations and bounds."""


def test_sarif_keeps_to_the_published_schema() -> None:
    log = json.loads(written(verdict(), "sarif", version="1.2"))
    assert [error.message for error in Draft202012Validator(SARIF).iter_errors(log)] == []
    log["runs"][0]["results"][0]["baselineState"] = "fresh"
    assert len(list(Draft202012Validator(SARIF).iter_errors(log))) == 1
