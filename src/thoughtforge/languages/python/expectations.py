"""Python tests with other expected values. Names, classes and parameters stay, so that every test keeps its id."""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import NamedTuple

from thoughtforge.languages.python.altering import PRELUDE, SourceText, Splice, called
from thoughtforge.languages.python.assertions import ExpectationChange, changed
from thoughtforge.testing.language import ChangedTests

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
SWALLOWING = {"AssertionError", "Exception", "BaseException"}


class Statement(NamedTuple):
    """A changed statement, and whether it runs whenever its function does."""

    change: ExpectationChange
    certain: bool


class CheckedFunction(NamedTuple):
    """One function of a test file."""

    id: str
    name: str
    is_test: bool
    statements: tuple[Statement, ...]
    mentions: frozenset[str]

    @property
    def settled(self) -> bool:
        """Whether an expected value is changed that is certainly reached."""
        return any(statement.change.strong and statement.certain for statement in self.statements)

    @property
    def strong(self) -> bool:
        """Whether an expected value is changed at all."""
        return any(statement.change.strong for statement in self.statements)

    def splices(self) -> Iterator[Splice]:
        """What changes. Statements only turned round stay when a value is certainly reached: they would hide it."""
        for statement in self.statements:
            if statement.change.strong or not self.settled:
                yield from statement.change.splices


def change_expectations(files: Mapping[str, str]) -> dict[str, ChangedTests]:
    """Test files that belong together; a function of one may assert for the tests of another."""
    sources = {path: SourceText(text) for path, text in files.items()}
    known = {node.name for source in sources.values() for node in ast.walk(source.tree) if isinstance(node, FUNCTIONS)}
    functions = {path: tuple(_functions(source, path, known)) for path, source in sources.items()}
    every = [function for found in functions.values() for function in found]
    asserting = _asserting(every, lambda each: bool(each.statements))
    strong = _asserting(every, lambda each: each.strong)
    needed = _needed(every)
    made = {}
    for path, source in sources.items():
        splices = [
            splice for each in functions[path] if each.is_test or each.name in needed for splice in each.splices()
        ]
        without = [
            each.id for each in functions[path] if each.is_test and not (each.statements or each.mentions & asserting)
        ]
        weak = [each.id for each in functions[path] if each.is_test and not (each.strong or each.mentions & strong)]
        made[path] = ChangedTests(_written(source, splices), tuple(without), tuple(weak))
    return made


def _written(source: SourceText, splices: list[Splice]) -> str:
    at = source.line(_first_free_line(source.tree))
    return source.with_changes([*splices, Splice(at, at, PRELUDE)]) if splices else source.data.decode()


def _first_free_line(tree: ast.Module) -> int:
    """The line after the docstring and the future imports, where code may stand."""
    line = 1
    for number, node in enumerate(tree.body):
        is_docstring = number == 0 and isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        if not (is_docstring or (isinstance(node, ast.ImportFrom) and node.module == "__future__")):
            break
        line = (node.end_lineno or node.lineno) + 1
    return line


def _asserting(functions: Iterable[CheckedFunction], asserts: Callable[[CheckedFunction], bool]) -> set[str]:
    """Names of functions that assert, themselves or through another of these files."""
    others = [function for function in functions if not function.is_test]
    names = {function.name for function in others if asserts(function)}
    while more := {function.name for function in others if function.mentions & names} - names:
        names |= more
    return names


def _needed(functions: Iterable[CheckedFunction]) -> set[str]:
    """Names of functions whose statements must change: some test relies on them alone."""
    functions = list(functions)
    reached = {
        name for function in functions if function.is_test and not function.settled for name in function.mentions
    }
    while more := {name for function in functions if function.name in reached for name in function.mentions} - reached:
        reached |= more
    return reached if any(function.is_test for function in functions) else {function.name for function in functions}


def _functions(source: SourceText, path: str, known: Collection[str]) -> Iterator[CheckedFunction]:
    pending: list[tuple[ast.AST, tuple[str, ...], bool]] = [(source.tree, (), True)]
    while pending:
        node, names, at_top = pending.pop(0)
        for child in ast.iter_child_nodes(node):
            if isinstance(child, FUNCTIONS):
                inner = (*names, child.name)
                yield _function(source, child, id="::".join((path, *inner)), is_test=at_top, known=known)
                pending.append((child, inner, False))
            elif isinstance(child, ast.ClassDef):
                pending.append((child, (*names, child.name), at_top))
            else:
                pending.append((child, names, at_top))


def _function(
    source: SourceText, node: ast.FunctionDef | ast.AsyncFunctionDef, *, id: str, is_test: bool, known: Collection[str]
) -> CheckedFunction:
    is_fixture = any("fixture" in source.segment(decorator) for decorator in node.decorator_list)
    statements = () if is_fixture else tuple(_statements(source, node.body, True, known))
    mentions = {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}
    mentions |= {part.attr for part in ast.walk(node) if isinstance(part, ast.Attribute)}
    return CheckedFunction(id, node.name, is_test and node.name.startswith("test"), statements, frozenset(mentions))


def _statements(source: SourceText, body: list[ast.stmt], certain: bool, known: Collection[str]) -> Iterator[Statement]:
    for node in body:
        if isinstance(node, (*FUNCTIONS, ast.ClassDef)):
            continue  # looked at by itself
        if change := changed(source, node, known=known):
            yield Statement(change, certain)
        for inner, runs in _inside(node):
            yield from _statements(source, inner, certain and runs, known)


def _inside(node: ast.stmt) -> Iterator[tuple[list[ast.stmt], bool]]:
    """The bodies of a statement, and whether each is certainly run."""
    if isinstance(node, ast.With | ast.AsyncWith):
        yield (
            node.body,
            not any(called(call) == "raises" for item in node.items for call in _called_in(item.context_expr)),
        )
    elif isinstance(node, ast.For | ast.AsyncFor):
        yield node.body, isinstance(node.iter, ast.List | ast.Tuple | ast.Set) and bool(node.iter.elts)
        yield node.orelse, False
    elif isinstance(node, ast.If | ast.While):
        yield node.body, False
        yield node.orelse, False
    elif isinstance(node, ast.Try):
        if not any(map(_swallows, node.handlers)):
            yield node.body, True
        yield from ((handler.body, False) for handler in node.handlers)
        yield node.orelse, False
        yield node.finalbody, True
    elif isinstance(node, ast.Match):
        yield from ((case.body, False) for case in node.cases)


def _swallows(handler: ast.ExceptHandler) -> bool:
    """Whether a failed assertion would be caught; then changing it shows nothing."""
    if handler.type is None:
        return True
    names = {part.id for part in ast.walk(handler.type) if isinstance(part, ast.Name)}
    return bool(names & SWALLOWING)


def _called_in(expression: ast.expr) -> Iterator[ast.Call]:
    return (node for node in ast.walk(expression) if isinstance(node, ast.Call))
