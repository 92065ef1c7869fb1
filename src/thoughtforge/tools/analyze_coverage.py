"""Shows which changed lines no test runs."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from thoughtforge.code.outcome import told
from thoughtforge.code.selection import named_tests, select
from thoughtforge.code.tool_context import ToolContext, ToolResult

DESCRIPTION = "Run all tests, or those named, and show the changed lines of Python files that they do not run."
PARAMS = named_tests("test files or test ids", minItems=1)
WRITES = False


async def use(params: dict[str, Any], context: ToolContext) -> ToolResult:
    from thoughtforge.code.refactor import executable

    session = context.the_session()
    chosen = select(context, params.get("tests", ()))
    workspace = session.workspace
    tree = await workspace.tree()
    changed = await workspace.changed_lines(workspace.base, tree)
    product = {
        path: lines for path, lines in changed.items() if not session.is_test(path) and path in context.tree.entries
    }
    texts = {path: (await workspace.read(tree, path)).decode("utf-8", "replace") for path in product}
    can_run = {path: found for path in product if (found := executable(path, texts[path])) is not None}
    if not can_run:
        said = "coverage: no file was changed in a language whose coverage is measured"
        return ToolResult(True, said, said)
    report = await session.test(tree, ids=chosen.ids, files=chosen.files, coverage=tuple(can_run))
    if report.broken:
        return told(report)
    lines, total, ran = [], 0, 0
    for path, found in can_run.items():
        wanted = product[path] & found
        missed = wanted - report.covered.get(path, frozenset())
        total, ran = total + len(wanted), ran + len(wanted) - len(missed)
        lines.append(f"{path}: " + (f"lines {ranges(missed)} do not run" if missed else "every changed line runs"))
    lines += [
        f"{path}: not measured: coverage in this language is not supported" for path in product if path not in can_run
    ]
    share = f"{100 * ran / total:.0f} % of {total} changed lines run" if total else "no changed line can run"
    summary = f"coverage: {share}; tests: {told(report).summary}"
    return ToolResult(True, summary, "\n".join([summary, *lines]))


def ranges(numbers: Collection[int]) -> str:
    """Numbers as people write them: 1–3, 7."""
    parts: list[tuple[int, int]] = []
    for number in sorted(numbers):
        if parts and parts[-1][1] == number - 1:
            parts[-1] = (parts[-1][0], number)
        else:
            parts.append((number, number))
    return ", ".join(str(first) if first == last else f"{first}–{last}" for first, last in parts)
