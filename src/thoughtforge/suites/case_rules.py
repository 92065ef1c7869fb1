"""What is wrong with held-back cases before any of them is tried: every problem, for the agent that wrote them."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any

from thoughtforge.suites.cases import OUTCOMES, AnyCase, ArgvCase, CallCase, HeldBackFile

MOST_BYTES = 200_000
TARGET = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*:[A-Za-z_]\w*(\.[A-Za-z_]\w*)*")


def check_cases(
    cases: Sequence[AnyCase],
    criteria: Sequence[str],
    *,
    files: Sequence[HeldBackFile] = (),
    seen: Mapping[str, str] | None = None,
) -> tuple[str, ...]:
    """Everything wrong with the cases of a task. `seen` are the tests the implementing agent can read."""
    problems = [f"case {number}: {what}" for number, case in enumerate(cases, start=1) for what in _wrong(case)]
    known = _inputs(seen or {})
    problems += [
        f"case {number}: the tests call {case.target} with the same input; held back is only what they do not show"
        for number, case in enumerate(cases, start=1)
        if isinstance(case, CallCase) and _input(case.args) in known.get(re.split("[:.]", case.target)[-1], ())
    ]
    for file in files:
        problems += [] if file.why.strip() else [f"{file.path}: say why {file.criterion} cannot be put as a case"]
        problems += [] if _inside(file.path) else [f"{file.path}: the path must stay inside the repository"]
    having = {case.criterion for case in cases} | {file.criterion for file in files}
    problems += [f"{name}: no held-back case" for name in criteria if name not in having]
    problems += [f"{name}: no such criterion" for name in sorted(having - set(criteria))]
    return tuple(problems)


def _wrong(case: AnyCase) -> list[str]:
    wrong = []
    if not case.model_fields_set & set(OUTCOMES[case.kind]):
        wrong.append(f"nothing is expected; give one of {', '.join(OUTCOMES[case.kind])}")
    if isinstance(case, CallCase):
        wrong += _wrong_call(case)
    names = [*case.files, *(case.writes if isinstance(case, ArgvCase) else ())]
    wrong += [f"the file name {name!r} must stay inside its folder" for name in names if not _inside(name)]
    try:
        size = len(json.dumps(case.model_dump(), allow_nan=False))
    except (ValueError, TypeError) as error:
        wrong.append(f"not plain JSON: {error}")
    else:
        wrong += [f"{size} bytes; {MOST_BYTES} at most"] if size > MOST_BYTES else []
    return wrong


def _wrong_call(case: CallCase) -> list[str]:
    targets = [case.target if case.on is None else f"x:{case.target.rpartition(':')[2]}"]
    targets += [str(case.on.get("target"))] if case.on is not None else []
    wrong = [f"{target!r} is not written as package.module:name" for target in targets if not TARGET.fullmatch(target)]
    given = [name for name in ("expect", "raises", "property") if name in case.model_fields_set]
    if len(given) > 1:
        wrong.append(f"{' and '.join(given)} exclude each other")
    return wrong


def _inside(name: str) -> bool:
    path = PurePosixPath(name)
    return bool(path.parts) and not path.is_absolute() and ".." not in path.parts


def _input(args: Sequence[Any]) -> str:
    return json.dumps(list(args), sort_keys=True, default=str)


def _inputs(tests: Mapping[str, str]) -> dict[str, set[str]]:
    """What the tests call with which written-out arguments: last part of the name → inputs."""
    found: dict[str, set[str]] = {}
    for text in tests.values():
        try:
            tree = ast.parse(text)
        except (SyntaxError, ValueError):
            continue
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and node.args and isinstance(node.func, ast.Name | ast.Attribute):
                name = node.func.id if isinstance(node.func, ast.Name) else node.func.attr
                try:
                    values = [ast.literal_eval(argument) for argument in node.args]
                except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
                    continue
                found.setdefault(name, set()).add(_input(values))
    return found
