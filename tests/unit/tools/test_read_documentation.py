"""read_documentation lists documents with their headings and finds the one about a topic."""

from thoughtforge.code.tool_context import ToolResult
from thoughtforge.tools import read_documentation

FILES = {
    "README.md": "# Shop\n```\n# not a heading\n```\n## Install ##\n",
    "docs/api.rst": "API\n===\n",
    "docs/payments.md": "# Paying by card\n",
    "src/notes.md": "# Notes on cards\n",
    "src/notes.txt": "no document",
}


def test_without_a_topic_all_documents_are_listed_from_the_root_down(use):
    assert use(read_documentation, {}, FILES) == ToolResult(
        True,
        "4 documents",
        "4 documents:\nREADME.md\n  Shop\n  Install\ndocs/api.rst\ndocs/payments.md\n  Paying by card\n"
        "src/notes.md\n  Notes on cards",
    )


def test_a_path_reads_that_document(use):
    assert use(read_documentation, {"topic": "docs/api.rst"}, FILES) == ToolResult(
        True, "read docs/api.rst", "docs/api.rst:\nAPI\n===\n"
    )


def test_words_of_a_name_or_heading_find_the_document(use):
    assert use(read_documentation, {"topic": "payments"}, FILES).summary == "read docs/payments.md"
    assert use(read_documentation, {"topic": "Install shop"}, FILES | {"x": ""}).summary == "read README.md"


def test_several_fitting_documents_are_listed(use):
    result = use(read_documentation, {"topic": "card"}, FILES)
    assert (result.ok, result.output.splitlines()) == (
        True,
        [
            "2 documents are about 'card'; name the path of one:",
            "docs/payments.md",
            "  Paying by card",
            "src/notes.md",
            "  Notes on cards",
        ],
    )


def test_a_topic_nobody_wrote_about_is_an_error_with_what_there_is(use):
    result = use(read_documentation, {"topic": "weather"}, FILES)
    assert (result.ok, result.summary, "docs/api.rst" in result.output) == (
        False,
        "no document mentions 'weather'",
        True,
    )


def test_a_repository_without_documents_says_so(use):
    said = "the repository has no README, no docs folder and no Markdown file"
    assert use(read_documentation, {}, {"a.py": ""}) == ToolResult(True, said, said)


def test_a_document_that_does_not_fit_says_where_it_goes_on(use):
    result = use(read_documentation, {"topic": "README.md"}, {"README.md": "word\n" * 50}, lines=12)
    assert result.summary == "read README.md, lines 1 to 10 of 50"
    assert result.output.splitlines()[-1] == "[README.md goes on: continue with read_file at line 11]"
