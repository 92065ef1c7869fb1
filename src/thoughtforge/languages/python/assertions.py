"""What a Python test asserts, and the text of one test and of nothing beside it, by the syntax tree."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

from thoughtforge.languages.python.altering import (
    CHANGED,
    OTHER,
    SourceText,
    Splice,
    altered,
    called,
    expected_of,
    is_literal,
    rank,
)

Definition = ast.FunctionDef | ast.AsyncFunctionDef


def body(names: Sequence[str], text: str) -> str:
    """What stands in a test, its decorators included; empty when its names lead nowhere."""
    try:
        found = _function(ast.parse(text), names)
    except (SyntaxError, ValueError):
        return ""
    if found is None:
        return ""
    lines = text.splitlines()
    first = min([found.lineno, *(one.lineno for one in found.decorator_list)])
    last = found.end_lineno or found.lineno
    while last < len(lines) and _remark(lines[last], found.col_offset):
        last += 1
    return "\n".join(lines[first - 1 : last])


def _function(tree: ast.Module, names: Sequence[str]) -> Definition | None:
    """The function its names lead to; one that a class inherits is the only one of that name in the file."""
    scope: ast.AST | None = tree
    for name in names:
        scope = _named(scope, name) if scope is not None else None
    if isinstance(scope, Definition):
        return scope
    alike = [node for node in ast.walk(tree) if isinstance(node, Definition) and node.name == names[-1]]
    return alike[0] if len(alike) == 1 else None


def _named(scope: ast.AST, name: str) -> ast.AST | None:
    """What the name means in a scope: the last definition of it there, also below an `if` or a `try`."""
    found = None
    for node in ast.iter_child_nodes(scope):
        if not isinstance(node, Definition | ast.ClassDef):
            found = _named(node, name) or found
        elif node.name == name:
            found = node
    return found


def _remark(line: str, column: int) -> bool:
    """A comment after the last statement that is still indented as part of the function."""
    return line.lstrip().startswith("#") and _indent(line) > column


def _indent(line: str) -> int:
    return len(line.expandtabs()) - len(line.expandtabs().lstrip())


TURNED = {
    "assertNotEqual": "assertEqual",
    "assertNotAlmostEqual": "assertAlmostEqual",
    "assertTrue": "assertFalse",
    "assertFalse": "assertTrue",
    "assertIn": "assertNotIn",
    "assertNotIn": "assertIn",
    "assertIs": "assertIsNot",
    "assertIsNot": "assertIs",
    "assertIsNone": "assertIsNotNone",
    "assertIsNotNone": "assertIsNone",
    "assertIsInstance": "assertNotIsInstance",
    "assertNotIsInstance": "assertIsInstance",
    "assertRegex": "assertNotRegex",
    "assertNotRegex": "assertRegex",
    "assertLess": "assertGreaterEqual",
    "assertGreaterEqual": "assertLess",
    "assertGreater": "assertLessEqual",
    "assertLessEqual": "assertGreater",
    "assertLogs": "assertNoLogs",
}
EQUAL = re.compile(r"assert(List|Tuple|Dict|Set|Sequence|MultiLine|Count|Almost)?Equals?|assert_\w*(equal|close)\w*")
RAISES = re.compile(r"raises|warns|assertRaises(Regex)?|assertWarns(Regex)?")
EXPECTED_KEYWORDS = ("expected_exception", "expected_warning", "exception", "warning")
CALLED_WITH = re.compile(r"assert_(called|awaited|any|has)\w*(_with|_call|_await|_calls|_awaits)")
CALLED = re.compile(r"assert_(not_)?(called|awaited)\w*")


class ExpectationChange(NamedTuple):
    """The changes of one statement."""

    splices: tuple[Splice, ...]
    strong: bool


def changed(source: SourceText, statement: ast.stmt, *, known: Collection[str] = ()) -> ExpectationChange | None:
    """How a statement is changed; None when it asserts nothing. `known` names functions changed where they are."""
    if isinstance(statement, ast.Assert):
        return _assert(source, statement.test)
    calls = [call for call in _calls(statement) if called(call) not in known]
    raising = tuple(splice for call in calls if (splice := _other_error(source, call)))
    if raising:
        return ExpectationChange(raising, strong=True)
    if isinstance(statement, ast.With | ast.AsyncWith):
        calls = [call for call in calls if called(call) == "assertLogs"]
    elif not isinstance(statement, ast.Expr) or _whole(statement.value) not in calls:
        return None
    else:
        calls = [call for call in calls if call is _whole(statement.value)]
    return _call(source, calls[0], statement) if calls else None


def _assert(source: SourceText, test: ast.expr) -> ExpectationChange | None:
    if isinstance(test, ast.Constant):
        return None  # `assert False` marks a place that must not be reached
    strong = _strong(source, test)
    return (
        ExpectationChange(strong, strong=True)
        if strong
        else ExpectationChange((source.wrap(test, "not "),), strong=False)
    )


def _strong(source: SourceText, test: ast.expr) -> tuple[Splice, ...]:
    """Changed expected values of an expression that must be true; none when it can only be turned round."""
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And):
        return tuple(splice for part in test.values for splice in _strong(source, part))
    if not isinstance(test, ast.Compare):
        return ()
    left, right = [test.left, *test.comparators][-2:]
    if all(isinstance(op, ast.Eq) for op in test.ops):
        return (altered(source, expected_of(left, right) if len(test.ops) == 1 else right),)
    if len(test.ops) > 1:
        return ()
    if isinstance(test.ops[0], ast.In) and isinstance(left, ast.Constant) and isinstance(left.value, str | bytes):
        return (altered(source, left),)
    if isinstance(test.ops[0], ast.Is) and isinstance(right, ast.Constant) and isinstance(right.value, bool):
        return (altered(source, right),)
    return ()


def _call(source: SourceText, call: ast.Call, statement: ast.stmt) -> ExpectationChange | None:
    name = called(call)
    if EQUAL.fullmatch(name) and len(call.args) >= 2:
        near = "Almost" in name or "close" in name
        return ExpectationChange((altered(source, expected_of(call.args[0], call.args[1]), near=near),), strong=True)
    if CALLED_WITH.fullmatch(name):
        return ExpectationChange((_further_argument(source, call),), strong=True)
    if CALLED.fullmatch(name):
        end = source.end(statement)
        return ExpectationChange((Splice(end, end, "; raise AssertionError('changed')"),), strong=False)
    if name in TURNED and isinstance(call.func, ast.Attribute):
        return _unittest(source, call, call.func)
    return None


def _unittest(source: SourceText, call: ast.Call, function: ast.Attribute) -> ExpectationChange:
    """A method of unittest that states something else than equality."""
    if function.attr == "assertTrue" and call.args and (splices := _strong(source, call.args[0])):
        return ExpectationChange(splices, strong=True)
    if function.attr == "assertIn" and call.args and is_literal(call.args[0]) and rank(call.args[0]) == 0:
        return ExpectationChange((altered(source, call.args[0]),), strong=True)
    end = source.end(function)
    turned = Splice(end - len(function.attr.encode()), end, TURNED[function.attr])
    return ExpectationChange((turned,), strong=False)


def _other_error(source: SourceText, call: ast.Call) -> Splice | None:
    """raises(X) becomes raises(another error): whatever happens, it is not that."""
    if not RAISES.fullmatch(called(call)):
        return None
    if call.args:
        return source.replace(call.args[0], OTHER)
    named = [keyword.value for keyword in call.keywords if keyword.arg in EXPECTED_KEYWORDS]
    return source.replace(named[0], OTHER) if named else None


def _further_argument(source: SourceText, call: ast.Call) -> Splice:
    """A call that nobody made: one more argument in front."""
    at = source.data.index(b"(", source.end(call.func)) + 1
    return Splice(at, at, f"{CHANGED!r}, " if call.args or call.keywords else repr(CHANGED))


def _whole(expression: ast.expr) -> ast.expr:
    """The call a statement consists of, awaited or not."""
    return expression.value if isinstance(expression, ast.Await) else expression


def _calls(statement: ast.stmt) -> Iterator[ast.Call]:
    """The calls of a statement itself, not those of the statements inside it."""
    for part in ast.iter_child_nodes(statement):
        if not isinstance(part, ast.stmt | ast.ExceptHandler | ast.match_case):
            yield from (node for node in ast.walk(part) if isinstance(node, ast.Call))
