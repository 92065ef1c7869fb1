"""How long a person waits before anything happens: --version, --help, and a list of a thousand tasks."""

from __future__ import annotations

import json
from pathlib import Path

from bench.command import median_cpu, run
from bench.figures import Figure
from thoughtforge.store.log import GENESIS, Head, head_bytes, links, seal

TASKS = 1_000


def measure(place: Path) -> list[Figure]:
    """CPU seconds of commands that must be quick; `status` with an index that fits and with none."""
    repository = place / "shelf"
    made = json.loads(run("demo", "--at", str(repository), "--json", cwd=place).out)
    tasks = repository / ".thoughtforge" / "tasks"
    for number in range(1, TASKS):
        _twin(tasks / made["task"], f"20200101-{number:04}-twin")
    index = tasks / "index.json"
    index.unlink(missing_ok=True)
    cold = run("status", cwd=repository)
    return [
        Figure("--version, CPU", median_cpu("--version", cwd=place), "s", 0.15),
        Figure("--help, CPU", median_cpu("--help", cwd=place), "s", 0.15),
        Figure(f"status of {TASKS} tasks, CPU", median_cpu("status", cwd=repository), "s", 0.5),
        Figure(f"status of {TASKS} tasks, no index, CPU", round(cold.cpu, 3), "s"),
    ]


def _twin(folder: Path, task_id: str) -> None:
    """A task of its own with the same history: every line sealed anew under another id."""
    twin = folder.with_name(task_id)
    twin.mkdir()
    head = Head(0, GENESIS)
    with (twin / "events.jsonl").open("wb") as log:
        for link in links(folder / "events.jsonl"):
            data = json.loads(json.dumps(link.data).replace(folder.name, task_id))
            line, digest = seal({**data, "prev": head.hash})
            head = Head(link.seq, digest)
            log.write(line)
    (twin / "head").write_bytes(head_bytes(head))
    (twin / "task.yaml").write_bytes((folder / "task.yaml").read_bytes())
