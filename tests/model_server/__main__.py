"""The server as a program: python -m model_server --playbook FILE --port-file PATH [--requests FILE]."""

from __future__ import annotations

import json
import signal
import sys
from argparse import ArgumentParser
from collections.abc import Callable
from pathlib import Path
from threading import Event

from model_server.answers import Answer
from model_server.asked import Asked
from model_server.playbooks import from_playbook
from model_server.server import ModelServer
from thoughtforge.kernel.errors import UserError
from thoughtforge.providers.scripted import load


def main() -> int:
    """Serve until a signal ends it."""
    parser = ArgumentParser(prog="model_server")
    parser.add_argument("--playbook", type=Path, required=True)
    parser.add_argument("--port-file", type=Path, required=True, help="the port is written here once it listens")
    parser.add_argument("--requests", type=Path, help="every request is appended here as a line of JSON")
    given = parser.parse_args()
    try:
        answer = from_playbook(load(given.playbook))
    except UserError as mistake:
        print(mistake.what, *mistake.details, sep="\n", file=sys.stderr)
        return 2
    ended = Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: ended.set())
    with ModelServer(_recorded(answer, given.requests) if given.requests else answer) as server:
        # Renamed into place: whoever waits for the file must not read half a number.
        fresh = given.port_file.with_suffix(".new")
        fresh.write_text(str(server.port))
        fresh.rename(given.port_file)
        print(server.port, flush=True)
        ended.wait()
    return 0


def _recorded(answer: Callable[[Asked], Answer], requests: Path) -> Callable[[Asked], Answer]:
    def record(asked: Asked) -> Answer:
        line = {"api": asked.api, "path": asked.path, "system": asked.system, "user": asked.user, "body": asked.body}
        with requests.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")
        return answer(asked)

    return record


sys.exit(main())
