"""With a login, and only then, tunnels lead to the listed hosts; nowhere else."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from threading import Thread

import pytest

from caged import Place
from model_server import ModelServer, Say

CONNECTS = """
import base64
def connect(target, *, login=True):
    proxy = urllib.request.urlparse(os.environ["HTTPS_PROXY"]) if "HTTPS_PROXY" in os.environ else None
    model = urllib.request.urlparse(ASK["model_url"])
    word = "agent:" + (proxy.password if proxy else model.path.split("/")[1])
    known = "Proxy-Authorization: Basic " + base64.b64encode(word.encode()).decode() + "\\r\\n" if login else ""
    line = socket.create_connection((model.hostname, model.port))
    line.sendall(("CONNECT %s HTTP/1.1\\r\\n%s\\r\\n" % (target, known)).encode())
    return line, line.recv(4096).decode().split(" ")[1:2]
"""


@pytest.fixture
def echo() -> Iterator[int]:
    """A host that sends back what it hears, in capitals."""
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve() -> None:
            while True:
                try:
                    line, _ = server.accept()
                except OSError:
                    return
                with line:
                    line.sendall(line.recv(4096).upper())

        Thread(target=serve, daemon=True).start()
        yield server.getsockname()[1]


def log_in(place: Place) -> None:
    (place.person / ".script").mkdir()
    (place.person / ".script" / "login.json").write_text('{"token": "login-1"}')


def test_a_tunnel_leads_to_a_listed_host_and_carries_both_ways(place: Place, echo: int) -> None:
    log_in(place)
    code = f"""{CONNECTS}
line, status = connect("localhost:{echo}")
line.sendall(b"hello")
say(json.dumps([status, line.recv(100).decode()]))
"""
    ended = place.turn(code, key_env="", cli={"hosts": (f"localhost:{echo}",)})
    assert json.loads(ended.text) == [["200"], "HELLO"]
    assert ended.notes == ("it reached localhost for its login; the engine did not read that traffic",)


def test_every_other_host_and_everyone_without_the_word_is_turned_away(place: Place, echo: int) -> None:
    log_in(place)
    code = f"""{CONNECTS}
targets = ["localhost:{echo + 1}", "localhost:443", "renew.example:80", "nothing", "localhost:"]
say(json.dumps([*(connect(target)[1] for target in targets), connect("localhost:{echo}", login=False)[1]]))
"""
    ended = place.turn(code, key_env="", cli={"hosts": (f"localhost:{echo}", "renew.example")})
    assert json.loads(ended.text) == [["403"], ["403"], ["403"], [], [], ["407"]]
    assert ended.notes == ()


def test_with_a_key_no_tunnel_is_open(place: Place, echo: int) -> None:
    code = f"""{CONNECTS}
say(json.dumps([connect("localhost:{echo}")[1], "HTTPS_PROXY" in os.environ]))
"""
    ended = place.turn(code, cli={"hosts": (f"localhost:{echo}",)})
    assert json.loads(ended.text) == [["403"], False]


def test_an_agent_that_sends_everything_through_the_proxy_still_finds_us(place: Place) -> None:
    log_in(place)
    code = f"""{CONNECTS}
import http.client
model = urllib.request.urlparse(ASK["model_url"])
body = json.dumps({{"model": "m", "max_tokens": 5, "messages": [{{"role": "user", "content": "x"}}]}})
head = {{"Content-Type": "application/json", "Authorization": "Bearer login-1"}}
whole = http.client.HTTPConnection(model.hostname, model.port)
whole.request("POST", ASK["model_url"] + "/v1/messages", body, head)
through = http.client.HTTPConnection(model.hostname, model.port)
through.sock = connect("127.0.0.1:%d" % model.port)[0]
through.request("POST", model.path + "/v1/messages", body, head)
say(json.dumps([whole.getresponse().status, through.getresponse().status]))
"""
    with ModelServer([Say("x", (1, 1))] * 2) as server:
        ended = place.turn(code, key_env="", cli={"hosts": ("x.example",)}, base_url=server.urls["anthropic"])
    assert json.loads(ended.text) == [200, 200]
    assert [asked.headers["authorization"] for asked in server.asked] == ["Bearer login-1"] * 2
