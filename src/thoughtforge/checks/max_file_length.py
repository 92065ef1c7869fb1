"""No file is too long to read in one sitting."""

from __future__ import annotations

from pydantic import Field

from thoughtforge.gate.context import Category, CheckContext, Moment
from thoughtforge.gate.findings import Severity, Violation
from thoughtforge.kernel.model import Value
from thoughtforge.workspaces.patterns import any_matches

CATEGORY: Category = "quality"
MOMENT: Moment = "stage_end"
SEVERITY: Severity = "minor"
DESCRIPTION = "No source file has more lines than the limit."
HINT = "Split it: one concept per file."
ACTIVE = True
RUFF: tuple[str, ...] = ()
ENDINGS: tuple[str, ...] = (
    *(".py", ".js", ".jsx", ".mjs", ".ts", ".tsx", ".vue", ".go", ".rs", ".java", ".kt", ".cs", ".rb", ".php"),
    *(".c", ".cc", ".cpp", ".h", ".hpp", ".swift", ".scala", ".sh"),
)


class Options(Value):
    """The limit and what is left out."""

    limit: int = Field(default=500, ge=1)
    """Lines in a file."""
    exclude: tuple[str, ...] = ("**/migrations/**", "**/*_pb2.py", "**/*.min.js", "**/generated/**")
    """Path patterns of files to skip, such as generated ones."""


async def run(context: CheckContext, options: Options) -> list[Violation]:
    """Every file above the limit."""
    found = []
    for path in context.paths:
        if path.endswith(ENDINGS) and not any_matches(path, options.exclude):
            count = len(context.text(path).splitlines())
            if count > options.limit:
                message = f"the file has {count} lines; the limit is {options.limit}"
                found.append(Violation(path, options.limit + 1, message, anchor="file"))
    return found
