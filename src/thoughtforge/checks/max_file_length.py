"""No file is too long to read in one sitting."""

from __future__ import annotations

from pydantic import Field

from thoughtforge.gate.finding import Found, Severity
from thoughtforge.gate.scene import Category, Moment, Scene
from thoughtforge.kernel.model import Value
from thoughtforge.workspaces.globs import any_matches

CATEGORY: Category = "quality"
MOMENT: Moment = "stage_end"
SEVERITY: Severity = "minor"
DESCRIPTION = "No source file has more lines than the limit."
HINT = "Split it by concept: one idea per file."
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
    """Path patterns of files nobody reads."""


async def look(scene: Scene, options: Options) -> list[Found]:
    """Every file above the limit."""
    found = []
    for path in scene.paths:
        if path.endswith(ENDINGS) and not any_matches(path, options.exclude):
            count = len(scene.text(path).splitlines())
            if count > options.limit:
                message = f"the file has {count} lines; the limit is {options.limit}"
                found.append(Found(path, options.limit + 1, message, anchor="file"))
    return found
