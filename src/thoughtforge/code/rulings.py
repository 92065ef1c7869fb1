"""What is held back after a person has ruled on it, and the cases in words for whoever rules."""

from __future__ import annotations

import json
from typing import Any

from thoughtforge.code.exit import HeldBack
from thoughtforge.people.rulings import Rulings
from thoughtforge.testing.cases import AnyCase, CallCase, HttpCase


def ruled(held: HeldBack, rulings: Rulings) -> HeldBack:
    """What is held back after a person has ruled: without the cases they dropped, with those they corrected."""
    gone = {name for name, one in rulings.items() if one.word == "drop"}
    cases = [(name, case) for name, case in zip(held.names, held.cases, strict=False) if name not in gone]
    files = [(name, file) for name, file in zip(held.names[len(held.cases) :], held.files, strict=False)]
    left = [(name, file) for name, file in files if name not in gone]
    values = {name: one.value for name, one in rulings.items() if one.word == "expect"}
    all_cases = [*zip(held.names, held.cases, strict=False), *files]
    return held._replace(
        cases=tuple(corrected(case, values[name]) if name in values else case for name, case in cases),
        files=tuple(file for _, file in left),
        names=tuple(name for name, _ in (*cases, *left)),
        dropped=tuple((name, one.criterion) for name, one in all_cases if name in gone),
    )


def corrected(case: AnyCase, value: Any) -> AnyCase:
    """The case with another result expected: what is returned, printed or answered."""
    data = case.model_dump(mode="json", exclude_unset=True)
    if isinstance(case, CallCase):
        kept = {key: each for key, each in data.items() if key not in ("expect", "raises", "message", "property")}
        return CallCase.model_validate({**kept, "expect": value})
    if isinstance(case, HttpCase):
        return HttpCase.model_validate({**data, "body_json": value})
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    ends = (case.stdout or "\n").endswith("\n") and not text.endswith("\n")
    kept = {key: each for key, each in data.items() if key not in ("stdout_contains", "stdout_json")}
    return type(case).model_validate({**kept, "stdout": f"{text}\n" if ends and text else text})


def changing(rulings: Rulings) -> str:
    """The rulings that change what is held back, as one text: after a new one the code is measured again."""
    return "; ".join(f"{one.case} {one.word} {_shown(one.value)}" for one in rulings.values() if one.word != "keep")


def told(held: HeldBack) -> list[str]:
    """The criteria whose cases a person dropped, for the report."""
    left = {one.criterion for one in (*held.cases, *held.files)}
    by_criterion: dict[str, list[str]] = {}
    for name, criterion in held.dropped:
        by_criterion.setdefault(criterion, []).append(name)
    return [
        f"{id}: a person dropped {', '.join(names)}{'' if id in left else ', so its tests alone measure it'}"
        for id, names in by_criterion.items()
    ]


def described(case: AnyCase) -> str:
    """What a case does, for the person who judges it."""
    if isinstance(case, CallCase):
        given = [*(_shown(each) for each in case.args), *(f"{key}={_shown(each)}" for key, each in case.kwargs.items())]
        on = f" on {_shown(case.on)}" if case.on else ""
        what = f"{case.target}({', '.join(given)}){on}"
    elif isinstance(case, HttpCase):
        what = f"{case.method} {case.path}" + (f" with the body {_shown(case.body)}" if case.body else "")
    else:
        what = " ".join(case.argv) + (f" with the input {_shown(case.stdin)}" if case.stdin else "")
    files = "".join(f", file {name}: {_shown(text)}" for name, text in case.files.items())
    return what + files


def _shown(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= 1_000 else f"{text[:999]}…"
