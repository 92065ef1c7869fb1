"""Every language without a folder of its own: `make test` as one test, and what little can be said of its files."""

from thoughtforge.catalog import Extensions
from thoughtforge.testing.language import Language, Tools

BRACED = (".java", ".kt", ".scala", ".swift", ".c", ".cc", ".cpp", ".h", ".hpp", ".cs", ".php")
"""Endings of languages whose comments begin with `//`."""
LANGUAGE = Language(
    title="any other language",
    endings=(*BRACED, ".ex", ".exs", ".lua", ".sh"),
    comments={"//": BRACED, "#": (".sh",)},
    runners=Extensions("languages.any.runners"),
    words={"make": "make"},
    shared=("Makefile",),
    test_names=(
        r"(?:.*/)?Test(?P<module>[A-Z]\w*)\.\w+",
        r"(?:.*/)?(?P<module>\w+?)(?:Tests?|TestCase|ITCase|IT|Specs?)\.\w+",
        r"(?:.*/)?test_(?P<module>\w+)\.\w+",
        r"(?:.*/)?(?P<module>\w+?)_(?:unit)?tests?\.\w+",
    ),
    tools=Tools(
        silencing={"swiftlint": r"(?:swiftlint|ktlint)[-:]disable"},
        silencing_code={"SuppressWarnings": r"@SuppressWarnings\b|@Suppress\b"},
    ),
)
