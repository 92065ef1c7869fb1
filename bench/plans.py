"""What a change plan costs to look at: 40 files in 12 phases, and a megabyte of text from an auditor or a person."""

from __future__ import annotations

import json
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

from bench.command import median_cpu, run
from bench.figures import Figure
from thoughtforge.forge.phases import decompose
from thoughtforge.forge.verdict import parse_verdict

FOLDERS, FILES, PHASES = 11, 40, 12
MEGABYTE = 1_000_000
ANSWERS = (
    "The plan is fine, and nothing in it (high) blocks.\n",
    "Severity: medium\n",
    "> - minor: a name\n",
    "| Minor | file a.py is missing | name it |\n",
    '{"severity": "minor", "title": "a name"}\n',
    "not ready to approve ",
    "```\n~~~\n",
)
CHANGES = (
    "- `src/store/rows.py`: keep the order\n",
    "| `src/rows.py` | keep the order |\n",
    "### `src/rows.py`\nkeep the order\n",
    "```\n- `src/rows.py`\n```\n",
    "prose that names `src/rows.py` in passing\n",
)


def measure(place: Path) -> list[Figure]:
    """CPU seconds of the commands that show a plan, and of reading the slowest megabyte."""
    shown = _plan(place / "shelf")
    return [
        Figure(f"plan phases, {FILES} files, {PHASES} phases, CPU", median_cpu("plan", "phases", cwd=shown), "s", 0.3),
        Figure("status beside that plan, CPU", median_cpu("status", cwd=shown), "s", 0.3),
        Figure("status of that plan, CPU", median_cpu("status", "plan-001", cwd=shown), "s", 0.3),
        Figure("a verdict in a megabyte, slowest, CPU", _slowest(parse_verdict, ANSWERS), "s", 0.2),
        Figure(
            "phases of a megabyte, slowest, CPU",
            _slowest(lambda text: decompose(f"# Plan\n\n## Changes\n\n{text}"), CHANGES),
            "s",
            0.2,
        ),
    ]


def _plan(repository: Path) -> Path:
    """A repository with an approved plan that is taken apart; no model is asked."""
    repository.mkdir()
    (repository / "README.md").write_text("A shelf.\n")
    (repository / "playbook.yaml").write_text("rules: [{reply: nothing is asked}]\n")
    person = ("-c", "user.name=Bench", "-c", "user.email=bench@example.org", "-c", "commit.gpgSign=false")
    for args in (("init", "-q"), ("add", "."), (*person, "commit", "-q", "-m", "A shelf")):
        subprocess.run(["git", *args], cwd=repository, check=True)
    run("init", cwd=repository)
    script = {"kind": "scripted", "playbook": str(repository / "playbook.yaml")}
    config = repository / ".thoughtforge" / "config.yaml"
    config.write_text(json.dumps({"version": 1, "provider": "script", "providers": {"script": script}}))
    run("trust", "--yes", cwd=repository)
    run("plan", "create", "Keep the order of rows everywhere", cwd=repository, ends=(0, 3))
    (file,) = (repository / ".thoughtforge" / "plans").glob("plan-001-*.md")
    told = {
        "Objective": "Rows come back in the order they had.",
        "Scope": "Every reader of rows.",
        "Changes": "\n".join(f"- `src/part{at % FOLDERS:02}/rows{at}.py`: keep the order" for at in range(FILES)),
        "Risks": "None that is known.",
        "Testing": "```\npytest -q  # exit 0\n```",
    }
    body = "".join(f"## {name}\n\n{text}\n\n" for name, text in told.items())
    file.write_text(f"{file.read_text().partition('## ')[0]}{body}")
    run("plan", "approve", "plan-001", "--unaudited", "a figure is measured", cwd=repository, ends=(0, 3))
    made: dict[str, Any] = json.loads(
        run("plan", "phases", "plan-001", "--regenerate", "--json", cwd=repository, ends=(0, 3)).out
    )
    assert f"{PHASES} phases" in str(made), made
    return repository


def _slowest(read: Callable[[str], object], pieces: tuple[str, ...]) -> float:
    """The CPU seconds of the slowest text, the median of five readings of each."""
    return round(max(median(_seconds(read, piece, at) for at in range(5)) for piece in pieces), 3)


def _seconds(read: Callable[[str], object], piece: str, at: int) -> float:
    text = f"{at}\n\n{piece * (MEGABYTE // len(piece))}"  # another text each time: nothing is remembered
    began = time.process_time()
    read(text)
    return time.process_time() - began
