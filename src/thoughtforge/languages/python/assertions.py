"""One statement of a test, changed so that it must fail where it held before.

A change is strong when an expected value became another: code that equals everything or reads the value from the
caller's source then holds although it must not. It is weak when the statement is only turned round.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterator
from typing import NamedTuple

from thoughtforge.languages.python.altering import CHANGED, OTHER, altered, called, expected_of, is_literal, rank
from thoughtforge.languages.python.splices import Source, Splice

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


class Change(NamedTuple):
    """The changes of one statement."""

    splices: tuple[Splice, ...]
    strong: bool


def changed(source: Source, statement: ast.stmt, *, known: Collection[str] = ()) -> Change | None:
    """How a statement is changed; None when it asserts nothing. `known` names functions changed where they are."""
    if isinstance(statement, ast.Assert):
        return _assert(source, statement.test)
    calls = [call for call in _calls(statement) if called(call) not in known]
    raising = tuple(splice for call in calls if (splice := _other_error(source, call)))
    if raising:
        return Change(raising, strong=True)
    if isinstance(statement, ast.With | ast.AsyncWith):
        calls = [call for call in calls if called(call) == "assertLogs"]
    elif not isinstance(statement, ast.Expr) or _whole(statement.value) not in calls:
        return None
    else:
        calls = [call for call in calls if call is _whole(statement.value)]
    return _call(source, calls[0], statement) if calls else None


def _assert(source: Source, test: ast.expr) -> Change | None:
    if isinstance(test, ast.Constant):
        return None  # `assert False` marks a place that must not be reached
    strong = _strong(source, test)
    return Change(strong, strong=True) if strong else Change((source.wrap(test, "not "),), strong=False)


def _strong(source: Source, test: ast.expr) -> tuple[Splice, ...]:
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


def _call(source: Source, call: ast.Call, statement: ast.stmt) -> Change | None:
    name = called(call)
    if EQUAL.fullmatch(name) and len(call.args) >= 2:
        near = "Almost" in name or "close" in name
        return Change((altered(source, expected_of(call.args[0], call.args[1]), near=near),), strong=True)
    if CALLED_WITH.fullmatch(name):
        return Change((_further_argument(source, call),), strong=True)
    if CALLED.fullmatch(name):
        end = source.end(statement)
        return Change((Splice(end, end, "; raise AssertionError('changed')"),), strong=False)
    if name in TURNED and isinstance(call.func, ast.Attribute):
        return _unittest(source, call, call.func)
    return None


def _unittest(source: Source, call: ast.Call, function: ast.Attribute) -> Change:
    """A method of unittest that states something else than equality."""
    if function.attr == "assertTrue" and call.args and (splices := _strong(source, call.args[0])):
        return Change(splices, strong=True)
    if function.attr == "assertIn" and call.args and is_literal(call.args[0]) and rank(call.args[0]) == 0:
        return Change((altered(source, call.args[0]),), strong=True)
    end = source.end(function)
    turned = Splice(end - len(function.attr.encode()), end, TURNED[function.attr])
    return Change((turned,), strong=False)


def _other_error(source: Source, call: ast.Call) -> Splice | None:
    """raises(X) becomes raises(another error): whatever happens, it is not that."""
    if not RAISES.fullmatch(called(call)):
        return None
    if call.args:
        return source.replace(call.args[0], OTHER)
    named = [keyword.value for keyword in call.keywords if keyword.arg in EXPECTED_KEYWORDS]
    return source.replace(named[0], OTHER) if named else None


def _further_argument(source: Source, call: ast.Call) -> Splice:
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
