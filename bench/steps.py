"""A hundred steps of one agent: how large its contexts are and what a step costs the engine."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from statistics import median
from typing import Any

from bench.command import Cost, run
from bench.figures import Figure

FILES, STEPS, FEW = 500, 100, 20
"""So many files that not all their names fit into a context: the first one is as full as the last."""
REQUEST = "Review how the areas of this program hang together"


def measure(place: Path) -> list[Figure]:
    """The installed command reviews a repository of 500 files with scripted replies; no gate until the last step.

    CPU a step is the difference between a run of 100 steps and one of 20, divided by 80: start-up, the last gate and
    the end are in both. It counts the command and git, which it starts to read and search. Of five runs each the
    quickest counts: whatever else the machine does can only add.
    """
    repository = _repository(place / "large")
    long: list[Cost] = []
    short: list[Cost] = []
    for _ in range(5):
        short.append(_run(repository, FEW))
        long.append(_run(repository, STEPS))
    sizes = _context_tokens(repository, json.loads(long[-1].out)["task"])
    cpu = (min(cost.cpu for cost in long) - min(cost.cpu for cost in short)) / (STEPS - FEW)
    return [
        Figure("largest context of 100 steps", max(sizes), "tokens", 8_000),
        Figure("context of step 100 ÷ step 1", round(sizes[-1] / sizes[0], 3), "×", 1.1),
        Figure("orchestration, CPU a step", round(cpu * 1000, 2), "ms", 15),
        Figure("100 steps, wall", round(median(cost.wall for cost in long), 2), "s"),
    ]


def _run(repository: Path, steps: int) -> Cost:
    """Steps in the order of the playbook; `complete` is the last one that is reached."""
    rules = [{"times": 1, "reply": _reply(number)} for number in range(1, STEPS)]
    rules.insert(steps - 1, {"reply": _complete()})
    (repository / ".thoughtforge" / "playbook.yaml").write_text(json.dumps({"rules": rules}), encoding="utf-8")
    return run("start", REQUEST, "--pipeline", "review", "--json", cwd=repository)


def _reply(number: int) -> dict[str, Any]:
    """Mostly reading, now and then a search or a list, always a note worth keeping."""
    path = _path(number * 7 % FILES)
    actions: dict[int, tuple[str, dict[str, Any]]] = {
        0: ("search_codebase", {"text": f"weight_{number % FILES}"}),
        5: ("list_files", {"pattern": f"warehouse/area_{number // 10 % 10}/**"}),
    }
    tool, params = actions.get(number % 10, ("read_file", {"path": path}))
    note = f"{path} turns rows of area {number % 10} into figures and hands them to the part after it."
    return {"thought": "One more part.", "note": note, "tool": tool, "params": params}


def _complete() -> dict[str, Any]:
    analysis: dict[str, Any] = {
        "summary": "Each part of an area turns rows into figures and calls the part after it.",
        "files": [{"path": _path(0), "role": "the first part", "reason": "everything begins there"}],
        "dependencies": [{"from": _path(0), "to": _path(1), "kind": "import"}],
        "risks": [
            {"id": "RISK-001", "description": "A ring of calls.", "severity": "low", "mitigation": "Keep the order."}
        ],
        "constraints": [{"id": "CON-001", "description": "Parts stay in order.", "source": _path(0)}],
        "evidence": [{"file": _path(0), "line": 1, "snippet": "Part 0 of area 0"}],
    }
    return {"thought": "That is enough.", "tool": "complete", "params": {"artifact": analysis}}


def _path(number: int) -> str:
    return f"warehouse/area_{number % 10}/stock_movement_part_{number}.py"


def _repository(place: Path) -> Path:
    for number in range(FILES):
        file = place / _path(number)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(_source(number), encoding="utf-8")
    person = ("-c", "user.name=Bench", "-c", "user.email=bench@example.org", "-c", "commit.gpgSign=false")
    for args in (("init", "-q", "-b", "main"), ("add", "."), (*person, "commit", "-q", "-m", "Areas")):
        subprocess.run(["git", *args], cwd=place, check=True)
    home = place / ".thoughtforge"
    home.mkdir()
    config = {
        "version": 1,
        "provider": "script",
        "providers": {"script": {"kind": "scripted", "playbook": "playbook.yaml"}},
    }
    (home / "config.yaml").write_text(json.dumps(config), encoding="utf-8")
    run("trust", "--yes", cwd=place)
    return place


def _source(number: int) -> str:
    """A module of about a hundred lines."""
    after = _path((number + 1) % FILES).removesuffix(".py").replace("/", ".")
    head = f'"""Part {number} of area {number % 10}."""\n\nimport {after} as after\n'
    functions = (
        f'\n\ndef weight_{number}_{place}(rows: list[int]) -> int:\n    """The weight of every row above {place}."""\n'
        f"    total = sum(row * {place + 2} for row in rows if row > {place})\n    return total + {number}\n"
        for place in range(16)
    )
    return head + "".join(functions)


def _context_tokens(repository: Path, task: str) -> list[int]:
    log = repository / ".thoughtforge" / "tasks" / task / "events.jsonl"
    events = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]
    return [event["context_tokens"] for event in events if event["type"] == "call_started"]
