"""Runs one held-back case in the box and says what came out. It knows the input, never what is expected.

It shares its process with the code it calls, so whatever it says is only a statement: the engine compares elsewhere.
Plain Python of any version from 3.8, without this package.
"""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import json
import os
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any


def _beside(name: str) -> Any:
    """A file beside this one, by its place and under no name the tree could have."""
    path = str(Path(__file__).with_name(f"{name}.py"))
    spec = importlib.util.spec_from_file_location(f"thoughtforge_{name}", path)
    if spec is None or spec.loader is None:
        raise ImportError(path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


plain = _beside("plain")
tree = _beside("tree")
TEXT = 200_000
"""The most characters of any text to report."""


def main() -> None:
    """Read the request, carry it out, tell the answer."""
    told = os.dup(1)
    os.dup2(2, 1)  # what the called code prints is none of ours
    request = json.loads(sys.stdin.buffer.read())
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    write, dumps = os.write, json.dumps

    def tell(fact: dict[str, Any]) -> None:
        data = dumps(fact).encode() + b"\n"
        while data:
            data = data[write(told, data) :]

    tell({"ready": True})
    tree.put_first(request["root"], request["paths"])
    sys.path += request["packages"]
    _describe(request["metadata"], request["paths"])
    os.chdir(tempfile.mkdtemp())
    _place(request.get("files", {}))
    tell({"call": _call, "argv": _argv, "http": _http}[request["kind"]](request))
    os._exit(0)


def _describe(metadata: dict[str, str], places: list[str]) -> None:
    """What an installer writes about the project, for code that asks for its own version; children see it too."""
    if not metadata:
        return
    folder = tempfile.mkdtemp()
    for name, text in metadata.items():
        path = Path(folder, name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    sys.path.append(folder)
    os.putenv("PYTHONPATH", os.pathsep.join([*places, folder]))


def _place(files: dict[str, str]) -> None:
    for name, text in files.items():
        path = Path(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="")


def _call(request: dict[str, Any]) -> dict[str, Any]:
    """Call a function with its arguments."""
    with tempfile.TemporaryFile() as printed:
        os.dup2(printed.fileno(), 1)
        answer = _called(request)
        try:
            sys.stdout.flush()
        except Exception:  # noqa: BLE001  # the called code may have put anything there
            answer["unflushed"] = True
        printed.seek(0)
        answer["stdout"] = _text(printed.read(TEXT))
    return answer


def _called(request: dict[str, Any]) -> dict[str, Any]:
    try:
        on = request.get("on")
        target = plain.decoded(on, find) if on else None
        function = find(request["target"]) if target is None else getattr(target, request["target"].rpartition(":")[2])
        arguments = [plain.decoded(value, find) for value in request["args"]]
        value = function(*arguments, **{name: plain.decoded(each, find) for name, each in request["kwargs"].items()})
        if inspect.iscoroutine(value):
            value = importlib.import_module("asyncio").run(value)
        return {"value": plain.encoded(value)}
    except Unimportable as error:
        return {"unimportable": str(error)}
    except BaseException as error:  # noqa: BLE001  # every end of the call is an answer
        return {"raised": [plain.name(kind) for kind in type(error).__mro__], "message": _safely(error)}


class Unimportable(Exception):
    """Code that is there and cannot be imported, so nothing was called."""


def find(target: str) -> Any:
    """What `package.module:name.attribute` means."""
    module, _, name = target.partition(":")
    try:
        found: Any = importlib.import_module(module)
    except BaseException as error:
        if type(error) is ModuleNotFoundError and f"{module}.".startswith(f"{error.name}."):
            raise  # it is not there, as long as nobody wrote it
        raise Unimportable(f"importing {module} raises {type(error).__name__}: {_safely(error)}") from error
    for part in name.split("."):
        found = getattr(found, part)
    return found


def _safely(error: BaseException) -> str:
    try:
        return str(error)[:2000]
    except Exception:  # noqa: BLE001  # an error whose text fails has no text
        return ""


def _argv(request: dict[str, Any]) -> dict[str, Any]:
    """Run a program to its end."""
    try:
        ended = subprocess.run(request["argv"], input=request["stdin"].encode(), capture_output=True, check=False)
    except OSError as error:
        return {"unusable": f"{request['argv'][0]}: {error.strerror}"}
    read = {name: _written(Path(name)) for name in request["reads"]}
    return {"exit": ended.returncode, "stdout": _text(ended.stdout), "stderr": _text(ended.stderr), "files": read}


def _written(path: Path) -> str | None:
    return _text(path.read_bytes()[:TEXT]) if path.is_file() else None


def _text(data: bytes) -> str:
    return data[:TEXT].decode("utf-8", "replace")


def _http(request: dict[str, Any]) -> dict[str, Any]:
    """Start a server, ask it one thing, end it."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    os.putenv("PORT", str(port))
    argv = [part.replace("{port}", str(port)) for part in request["argv"]]
    try:
        server = subprocess.Popen(argv, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    except OSError as error:
        return {"unusable": f"{argv[0]}: {error.strerror}"}
    try:
        if not _listens(server, port):
            return {"unusable": f"the server ended before it listened: {_text(server.communicate()[1])[-500:]}"}
        return _asked(request, port)
    finally:
        server.kill()


def _listens(server: subprocess.Popen[bytes], port: int) -> bool:
    """Whether it takes connections; the box's time limit ends the waiting."""
    while server.poll() is None:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return True
        except OSError:
            time.sleep(0.02)
    return False


def _asked(request: dict[str, Any], port: int) -> dict[str, Any]:
    import http.client

    connection = http.client.HTTPConnection("127.0.0.1", port)
    try:
        connection.request(request["method"], request["path"], request["body"].encode(), request["headers"])
        answer = connection.getresponse()
        headers = {name.lower(): value for name, value in answer.getheaders()}
        return {"status": answer.status, "headers": headers, "body": _text(answer.read(TEXT))}
    except (OSError, http.client.HTTPException) as error:
        return {"unusable": f"no answer: {type(error).__name__}"}


if __name__ == "__main__":
    main()
