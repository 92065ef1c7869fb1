"""The process warm runs are forked from: everything is imported, nothing is begun.

It opens no file of a task, starts no thread and no event loop, so what it forks is what a new process would be after
its imports. A child that ends by itself leaves like any interpreter; one that is killed is simply gone.
"""

from __future__ import annotations

import array
import atexit
import gc
import importlib
import json
import os
import pkgutil
import runpy
import socket
import sys
import threading
from pathlib import Path
from typing import Any, NoReturn

import thoughtforge

LATER = ("jinja2.sandbox", "jsonschema", "grimp", "ast_grep_py", "detect_secrets", "pydantic_ai.models.openai", "rich")
"""Libraries the program imports where it needs them."""
MOST = 1 << 18
"""Bytes of one request."""


def prepare() -> None:
    """Import the program and what it imports later, and leave that to all children alike."""
    names = [found.name for found in pkgutil.walk_packages(thoughtforge.__path__, "thoughtforge.")]
    for name in (*names, *LATER):
        if not name.endswith("__main__"):
            importlib.import_module(name)
    assert threading.active_count() == 1
    gc.collect()
    gc.freeze()


def serve(door: socket.socket) -> dict[str, Any] | None:
    """Fork once per request and tell its pid and end. Returns in a child with its request, in the parent at the end."""
    while True:
        text, files, _, _ = socket.recv_fds(door, MOST, 3)
        if not text:
            return None
        child = os.fork()
        if child == 0:
            door.close()
            for number, file in enumerate(files):
                os.dup2(file, number)
                os.close(file)
            found: dict[str, Any] = json.loads(text)
            return found
        for file in files:
            os.close(file)
        tell(door, child)
        tell(door, os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))


def tell(door: socket.socket, number: int) -> None:
    """One number for whoever asked."""
    door.send(array.array("i", [number]).tobytes())


def become(asked: dict[str, Any]) -> None:
    """Be the installed command: its arguments, its folder and its environment with what that loads at the start."""
    os.environ.clear()
    os.environ.update(asked["env"])
    os.chdir(asked["cwd"])
    sys.argv[:] = asked["argv"]
    if site := asked["env"].get("PYTHONPATH"):
        sys.path.insert(0, site)
        runpy.run_path(str(Path(site, "sitecustomize.py")))


def run() -> int:
    """The command itself; its exit code."""
    from thoughtforge.cli.main import main

    try:
        main()
    except SystemExit as ended:
        return ended.code if isinstance(ended.code, int) else int(ended.code is not None)
    except BaseException:  # noqa: BLE001 - as an interpreter does
        sys.excepthook(*sys.exc_info())
        return 1
    return 0


def leave(code: int) -> NoReturn:
    """End as an interpreter does, without taking apart first what the parent has imported."""
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


if __name__ == "__main__":
    prepare()
    if request := serve(socket.socket(fileno=int(sys.argv[1]))):
        become(request)
        leave(run())
