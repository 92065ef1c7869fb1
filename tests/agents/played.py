"""An agent of the Agent Client Protocol that a test plays: a real process in the real cage that does as it is told."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from textwrap import dedent
from typing import Any

from harness.place import Place
from model_server import ModelServer

KEY = "PLAYED_KEY"
AGENT = '''
import json, os, sys, threading, time, urllib.error, urllib.request

HOME = os.environ["HOME"]

def log(*words):
    with open(os.path.join(HOME, "said.jsonl"), "a") as file:
        file.write(json.dumps(words) + "\\n")

def send(**message):
    print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)

def post(url, body, **headers):
    request = urllib.request.Request(url, json.dumps(body).encode(), {"Content-Type": "application/json", **headers})
    try:
        with urllib.request.urlopen(request) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()

def model(text="Hello", **more):
    body = {"model": "m", "messages": [{"role": "user", "content": text}], **more}
    return post(os.environ["MODEL_URL"] + "/chat/completions", body, Authorization="Bearer " + os.environ["MODEL_KEY"])

def use(tool, **arguments):
    headers = {header["name"]: header["value"] for header in SERVER["headers"]}
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": tool, "arguments": arguments}}
    return post(SERVER["url"], call, Accept="application/json, text/event-stream", **headers)

def progress(text):
    update = {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": text}}
    send(method="session/update", params={"sessionId": "s1", "update": update})

def turn():
    """Which turn this is, from 1 on."""
    path = os.path.join(HOME, "turns")
    number = int(open(path).read()) + 1 if os.path.exists(path) else 1
    open(path, "w").write(str(number))
    return number

for line in sys.stdin:
    message = json.loads(line)
    method, params = message.get("method"), message.get("params", {})
    if method == "initialize":
        can = {"loadSession": True, "mcpCapabilities": {"http": True}}
        send(id=message["id"], result={"protocolVersion": 1, "agentCapabilities": can})
    elif method in ("session/new", "session/load"):
        log(method, params.get("sessionId", ""))
        SERVER = (params.get("mcpServers") or [None])[0]
        send(id=message["id"], result={"sessionId": "s1"})
    elif method == "session/prompt":
        PROMPT, ANSWER, ERROR = params["prompt"][0]["text"], "Done.", ""
        exec(open(os.path.join(HOME, "play.py")).read())
        if ERROR:
            send(id=message["id"], error={"code": -32603, "message": ERROR})
            continue
        progress(ANSWER)
        send(id=message["id"], result={"stopReason": "end_turn"})
    elif "id" in message:
        send(id=message["id"], result={})
'''


def played(place: Place, server: ModelServer, play: str, **options: Any) -> dict[str, Any]:
    """One entry of `providers:` for an agent that does `play` on each prompt."""
    program = place.person / "played"
    program.write_text(f"#!{sys.executable}\n{AGENT}", encoding="utf-8")
    program.chmod(0o755)
    return {
        "kind": "acp",
        "command": str(program),
        "base_url": server.urls["openai"],
        "model": "m",
        "key_env": KEY,
        "price": {"input_per_million": 1, "output_per_million": 1},
        "env": {"MODEL_URL": "{model_url}", "MODEL_KEY": "{key}"},
        "files": {"play.py": dedent(play)},
        **options,
    }


def said(place: Place, provider: str = "") -> list[list[Any]]:
    """What agents wrote down, oldest first; of one provider when it is named."""
    found: list[Path] = sorted(place.home.glob(f"homes/*{provider}/said.jsonl"))
    return [json.loads(line) for path in found for line in path.read_text().splitlines()]
