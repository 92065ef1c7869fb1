"""What may be done for a plan and for code; everything unknown is refused."""

import pytest

from thoughtforge.think.deliverable import OPERATIONS, Ruling, check, write_of

UNNORMAL = "is not normalised; leave out empty and . parts"
SOURCE = "file_create_source"
TARGETS = {"file_create_source": "src/a.py", "file_write_doc": "docs/plan.md", "file_write_state": "status.json"}


@pytest.mark.parametrize("operation", sorted(OPERATIONS))
@pytest.mark.parametrize("deliverable", ["code", "plan"])
def test_every_operation_for_every_deliverable(operation: str, deliverable: str) -> None:
    refused = {"shell_exec", "file_create_source", "package_install", "test_exec", "agent_code"}
    expected = deliverable == "code" or operation not in refused
    ruling = check(operation, TARGETS.get(operation, ""), deliverable=deliverable)
    assert (ruling.allowed, bool(ruling.reason)) == (expected, not expected)


@pytest.mark.parametrize(
    ("operation", "target", "deliverable", "reason"),
    [
        ("shell_exec", "make", "plan", "shell_exec (make) starts a program; work on a plan never does that"),
        ("dance", "", "code", "'dance' is no operation the engine knows"),
        ("agent_text", "", "poem", "'poem' is no type of deliverable; known: code, plan"),
        ("file_write_doc", "a.c", "plan", "file_write_doc (a.c): this file is file_create_source, not file_write_doc"),
        ("file_write_state", "a", "plan", f"file_write_state (a): this file is {SOURCE}, not file_write_state"),
        ("file_write_doc", "../a.md", "plan", "file_write_doc (../a.md): the path leaves the repository"),
        ("file_write_doc", ".git/a.md", "plan", "file_write_doc (.git/a.md): the path is in a git directory"),
        ("file_write_doc", "", "plan", "file_write_doc: the path is empty"),
        ("file_create_source", "./a", "code", f"file_create_source (./a): the path {UNNORMAL}"),
    ],
)  # fmt: skip
def test_a_refusal_says_why(operation: str, target: str, deliverable: str, reason: str) -> None:
    assert check(operation, target, deliverable=deliverable) == Ruling(False, reason)


@pytest.mark.parametrize(
    ("path", "operation"),
    [
        ("docs/plan.md", "file_write_doc"),
        ("README.MD", "file_write_doc"),
        ("plan.md.py", "file_create_source"),
        ("Makefile", "file_create_source"),
        ("status.json", "file_write_state"),
        ("data.json", "file_create_source"),
        ("resources/notion_1.md", "file_write_doc"),
        ("resources/gdrive_1.csv", "file_write_state"),
        ("resources/gdrive_1.PDF", "file_write_state"),
        ("resources/run.sh", "file_create_source"),
        ("resources/deep/gdrive_1.csv", "file_create_source"),
        ("src/resources/data.csv", "file_create_source"),
    ],
)
def test_a_file_has_its_class_by_its_name(path: str, operation: str) -> None:
    assert write_of(path) == operation
