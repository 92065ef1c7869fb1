"""The code a request is about: the tree is searched for its words and the files it names, and the best lines shown."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from math import log2
from pathlib import PurePosixPath

from thoughtforge.agent.context import CODE, Block
from thoughtforge.agent.run import Run
from thoughtforge.stages.excerpts import OPTION, SearchTerm, SourceLines, chosen, defined, said
from thoughtforge.testing.language import language_of, left_behind
from thoughtforge.workspaces.tree import FileTree, SearchHit

TERM = re.compile(r"[A-Za-z_][A-Za-z0-9_]{2,}")
NAMED = re.compile(r"`([^`\n]+)`|\b[a-z0-9]+_[A-Za-z0-9_]+\b|\b[a-z]+[A-Z]\w+\b|\b[A-Z]\w*[a-z][A-Z]\w+\b|\b\w+(?=\()")
"""What stands between backquotes or is written like a name in code."""
ASKED_OPTION = re.compile(r"(?<![\w-])--[a-z]\w*", re.IGNORECASE)
DOTTED = re.compile(r"\b[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+")
PATH = re.compile(r"[\w./-]*\w\.[A-Za-z]\w{0,9}\b")
COMMON = frozenset(
    re.findall(
        r"\w+",
        """
about above add added after all also and any are because been before below but can change code could does each else
every everything file files fix for from function functions get give given has have how implement instead into its
just keep like make method more must need new none not now number numbers off one only option other out over per
please return returns same set should show shows some such support test tests than that the their them then there
these they this time too under update use used user users using value values via want was way well what when where
which who why will with without work works would write you your
""",
    )
)
"""Words of every request."""
GENERATED = re.compile(r"(?:^|/)(?:PKG-INFO|[^/]+\.(?:egg|dist)-info/.*|(?:build|dist|vendor)/.*|[^/]+\.min\.js)$")
"""Copies of what stands elsewhere, beside what languages leave behind."""
TESTS = re.compile(
    r"(?:^|/)(?:tests?|spec|__tests__|benchmarks?|examples?)/|(?:^|[/_.-])(?:tests?|spec|bench\w*)(?=[_.])"
)
MOST_TERMS = 24
MOST_HITS = 4_000
MOST_FILES = 6
NAME = 4.0
"""What a name counts for beside a plain word."""
USED = 0.7
"""The part of the lines with a word that use it as a name; more than in prose, and it is one."""
MEANT = 3.0
"""What each line of a file counts for that the request names."""
BESIDE = 0.35
"""What tests, benchmarks and examples count for beside the code they are about, and prose and settings."""
AT_ROOT = 0.7
"""What code at the root counts for: it is often about building or measuring the rest."""
SHORT = 160
"""A file of no more lines that the request names is shown as a whole."""
SHOWN = 2_400
"""Tokens of code that are shown at once."""


def terms(text: str) -> dict[str, float]:
    """The words to search for with their weight: names count more than plain words."""
    named = {word for found in NAMED.finditer(text) for word in TERM.findall(found.group())}
    found: dict[str, float] = {}
    for word in TERM.findall(text):
        if word in named:
            found[word] = NAME
        elif len(word) > 3 and word.lower() not in COMMON:
            found.setdefault(word.lower(), 1.0)
    if ASKED_OPTION.search(text):
        found[OPTION] = NAME / 2
    return dict(sorted(found.items(), key=lambda item: -item[1])[:MOST_TERMS])


async def relevant_blocks(run: Run) -> list[Block]:
    """One part of a context with the code the request is about; none when nothing is found."""
    text = await relevant_code(run.library.tree, run.record.request(), room=SHOWN)
    title = "code the request seems to be about, found by its words (numbers are lines)"
    return [Block(title, text, SHOWN + 200, floor=SHOWN // 2, untrusted=True, need=CODE)] if text else []


async def relevant_code(tree: FileTree, request: str, *, room: int) -> str:
    """The lines that fit best in the room there is, under the paths of their files; the best file first."""
    wanted = terms(request)
    if not wanted or not tree.paths():
        return ""
    found = await tree.search("|".join(map(_either_case, wanted)), regex=True, limit=MOST_HITS)
    hits = [hit for hit in found.hits if _is_source(hit.path)]
    meant = named_files(request, [entry.path for entry in tree.paths() if _is_source(entry.path)])
    known = _weighed(wanted, hits)
    sources = []
    for path in _best_files(known, hits, meant):
        text = (await tree.read(path)).text.splitlines()
        short = path in meant and len(text) <= SHORT
        sources.append(
            SourceLines(path, text, factor(path, meant), MEANT if short else 0.0, language_of(path) is not None)
        )
    lines = {source.path: source.lines for source in sources}
    return "\n\n".join(_numbered(path, lines[path], shown) for path, shown in chosen(sources, known, room=room).items())


def _either_case(word: str) -> str:
    if word == OPTION:
        return r"['\"]--[a-z]"
    return f"[{word[0].upper()}{word[0].lower()}]{re.escape(word[1:])}" if word[0].isalpha() else re.escape(word)


def _is_source(path: str) -> bool:
    folders = {pattern.rstrip("/") for pattern in left_behind()}
    return not GENERATED.search(path) and folders.isdisjoint(path.split("/"))


def named_files(request: str, paths: Sequence[str]) -> frozenset[str]:
    """The files that the request names by their path or the end of it, or as the module or package of a name."""
    told = {one.strip("./") for one in PATH.findall(request)}
    modules = {"/".join(parts[:-1]) for name in DOTTED.findall(request) if (parts := name.split("."))}
    return frozenset(
        path
        for path in paths
        if any(f"/{path}".endswith(f"/{one}") for one in told)
        or any(f"/{stem}".endswith(f"/{one}") for one in modules if (stem := _module(path)))
    )


def _module(path: str) -> str:
    """A file of code without its ending; one that stands for its folder, as the folder."""
    language, pure = language_of(path), PurePosixPath(path)
    if language is None:
        return ""
    return str(pure.parent if pure.stem in language.folder_stems else pure.with_suffix(""))


def factor(path: str, meant: Iterable[str]) -> float:
    """What a file counts for: code more than what is about it, as long as the request does not name the file."""
    if path in meant:
        return 1.0
    if language_of(path) is None or TESTS.search(path):
        return BESIDE
    return 1.0 if "/" in path else AT_ROOT


def _weighed(wanted: dict[str, float], hits: Sequence[SearchHit]) -> list[SearchTerm]:
    """The words with their worth in this tree: rare ones count more, and one that the tree uses as a name is a name."""
    plain = [SearchTerm(word, weight, weight, weight >= NAME) for word, weight in wanted.items()]
    often, given = dict.fromkeys(wanted, 0), {OPTION}
    whole, as_name = dict.fromkeys(wanted, 0), dict.fromkeys(wanted, 0)
    for hit in hits:
        for term in said(hit.text, plain):
            often[term.word] += 1
            word = re.search(rf"\b{re.escape(term.word)}\b(=|\(|\[|\.\w|`|\"|,|\)|\s=[^=])?", hit.text)
            whole[term.word] += bool(word)
            as_name[term.word] += bool(word and word[1])
        if language_of(hit.path) is not None:
            given.update(term.word for term in defined(hit.text, plain))
    most = 1 + sum(often.values())
    found = []
    for term in plain:
        if count := often[term.word]:
            used = not term.named and term.word in given and as_name[term.word] >= USED * max(1, whole[term.word])
            foreign = term.named and term.word not in given  # a name of the language, or one that is still to come
            weight = NAME if used else 1.0 if foreign else term.weight
            rare = log2(1 + most / (whole[term.word] if used else count)) / log2(1 + most)
            found.append(SearchTerm(term.word, weight * rare, weight, used or term.named and not foreign))
    return found


def _best_files(wanted: Sequence[SearchTerm], hits: Sequence[SearchHit], meant: Iterable[str]) -> list[str]:
    """The files that fit best, the best first."""
    by_file: dict[str, list[str]] = {path: [] for path in meant}
    for hit in hits:
        by_file.setdefault(hit.path, []).append(hit.text)

    def score(path: str) -> float:
        told = {term for text in by_file[path] for term in said(text, wanted)}
        here = {term for text in by_file[path] for term in defined(text, wanted)}
        name = PurePosixPath(path)
        value = sum(term.worth for term in (*told, *here, *said(str(name), wanted)))
        return factor(path, meant) * (value + (MEANT if path in meant else 0.0))

    return sorted(by_file, key=lambda path: (-score(path), path))[:MOST_FILES]


def _numbered(path: str, lines: Sequence[str], shown: Sequence[int]) -> str:
    whole = len(shown) == len(lines)
    told = [f"{path}" if whole else f"{path}, lines {_spans(shown)} of {len(lines)}"]
    for at, number in enumerate(shown):
        if at and number > shown[at - 1] + 1:
            told.append("    …")
        told.append(f"{number:>5} {lines[number - 1]}".rstrip())
    return "\n".join(told)


def _spans(shown: Sequence[int]) -> str:
    """Numbers as spans: 3–9, 14."""
    spans: list[list[int]] = []
    for number in shown:
        if spans and number == spans[-1][1] + 1:
            spans[-1][1] = number
        else:
            spans.append([number, number])
    return ", ".join(f"{first}–{last}" if last > first else f"{first}" for first, last in spans)
