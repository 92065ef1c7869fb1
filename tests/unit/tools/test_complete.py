"""complete ends the work with an artifact, exactly as it was handed in."""

from thoughtforge.code.tool_context import ToolResult
from thoughtforge.tools import complete


def test_the_artifact_becomes_the_end(use):
    artifact = {"summary": "x", "files": ["a.py"]}
    assert use(complete, {"artifact": artifact}, {"a": ""}) == ToolResult(
        True,
        "submitted an artifact with 2 fields",
        "submitted an artifact with 2 fields: summary, files",
        {"artifact": artifact},
    )
