"""Reads what the project says about itself: its README, docs folder and Markdown files."""

from __future__ import annotations

import re
from pathlib import PurePosixPath
from typing import Any, NamedTuple

from thoughtforge.code.tool_context import ToolContext, ToolResult
from thoughtforge.workspaces.tree import FileTree

DESCRIPTION = "List the project's documents with their headings, or read the one that a topic or a path names."
PARAMS: dict[str, Any] = {
    "type": "object",
    "properties": {
        "topic": {"type": "string", "minLength": 1, "description": "a path, or words of a title or heading"}
    },
    "additionalProperties": False,
}
WRITES = False
MOST = 200
TEXT_ENDINGS = {".md", ".markdown", ".rst", ".txt", ".adoc"}
HEADING = re.compile(r"#{1,3}\s+(.+?)\s*#*\s*")


class DocumentationFile(NamedTuple):
    """A document and what its headings say."""

    path: str
    headings: tuple[str, ...]
    text: str


async def use(params: dict[str, Any], context: ToolContext) -> ToolResult:
    paths = _documents(context.tree)
    documents = [await _document(path, context.tree) for path in paths[:MOST]]
    topic = params.get("topic", "")
    if not documents:
        said = "the repository has no README, no docs folder and no Markdown file"
        return ToolResult(not topic, said, said)
    if not topic:
        return _listed(documents, f"{len(paths)} documents", len(paths) - len(documents))
    fitting = [each for each in documents if each.path.lower() == topic.lower()] or _about(topic, documents)
    if not fitting:
        listed = _listed(documents, f"no document mentions {topic!r}", len(paths) - len(documents))
        return listed._replace(ok=False)
    if len(fitting) > 1:
        return _listed(fitting, f"{len(fitting)} documents are about {topic!r}; name the path of one", 0)
    return _read(fitting[0], context)


def _read(document: DocumentationFile, context: ToolContext) -> ToolResult:
    """The document, or as much of it as fits and where to go on."""
    lines = document.text.removesuffix("\n").split("\n")
    more = f"[{document.path} goes on: continue with read_file at line {len(lines)}]"
    kept = context.fitting([f"{document.path}:", more, *lines]) - 2
    if kept >= len(lines):
        return ToolResult(True, f"read {document.path}", f"{document.path}:\n{document.text}")
    kept = max(1, kept)
    more = f"[{document.path} goes on: continue with read_file at line {kept + 1}]"
    summary = f"read {document.path}, lines 1 to {kept} of {len(lines)}"
    return ToolResult(True, summary, "\n".join([f"{document.path}:", *lines[:kept], more]))


def _documents(tree: FileTree) -> list[str]:
    """Every document, the nearest to the root first."""
    paths = [entry.path for entry in tree.paths() if entry.kind == "file" and _is_document(PurePosixPath(entry.path))]
    return sorted(paths, key=lambda path: (path.count("/"), path))


def _is_document(path: PurePosixPath) -> bool:
    readme = path.stem.upper() == "README" and path.suffix.lower() in {"", *TEXT_ENDINGS}
    in_docs = "docs" in path.parts[:-1] and path.suffix.lower() in TEXT_ENDINGS
    return readme or in_docs or path.suffix.lower() == ".md"


async def _document(path: str, tree: FileTree) -> DocumentationFile:
    file = await tree.read(path)
    return DocumentationFile(path, _headings(file.text), file.text or f"{path} is {file.note or 'empty'}.")


def _headings(text: str) -> tuple[str, ...]:
    """Markdown headings outside of code; other formats have none that could be told without their own parser."""
    found, in_code = [], False
    for line in text.splitlines():
        if line.lstrip().startswith(("```", "~~~")):
            in_code = not in_code
        elif not in_code and (heading := HEADING.fullmatch(line)):
            found.append(heading[1])
    return tuple(found)


def _about(topic: str, documents: list[DocumentationFile]) -> list[DocumentationFile]:
    """Documents whose path or headings hold every word of the topic; whose path does, first of all."""
    words = topic.lower().split()
    named = [each for each in documents if all(word in each.path.lower() for word in words)]
    return named or [each for each in documents if all(word in " ".join(each.headings).lower() for word in words)]


def _listed(documents: list[DocumentationFile], summary: str, left_out: int) -> ToolResult:
    lines = [f"{summary}:"]
    for each in documents:
        lines.append(each.path)
        lines += [f"  {heading}" for heading in each.headings[:12]]
    if left_out:
        lines.append(f"and {left_out} more; list them with list_files")
    return ToolResult(True, summary, "\n".join(lines))
