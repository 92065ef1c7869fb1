"""complete ends the work with an artifact, exactly as it was handed in."""

from thoughtforge.tools import complete
from thoughtforge.workshop.desk import Result


def test_the_artifact_becomes_the_end(use):
    artifact = {"summary": "x", "files": ["a.py"]}
    assert use(complete, {"artifact": artifact}, {"a": ""}) == Result(
        True,
        "handed in an artifact with 2 fields",
        "handed in an artifact with 2 fields: summary, files",
        {"artifact": artifact},
    )
