"""Every request of an agent to its model is asked for, limited and settled once, in each wire format."""

from __future__ import annotations

import json
from typing import Any

import pytest

from caged import Counting, Place
from model_server import Cut, Fail, Hang, ModelServer, Say
from thoughtforge.agent_runtime.cli import Api
from thoughtforge.agent_runtime.turn import Answered, Wanted
from thoughtforge.calls.port import ProviderError, Transient, Usage

HELLO = [{"role": "user", "content": "hi"}]
REQUESTS: dict[Api, tuple[str, dict[str, Any]]] = {
    "anthropic": ("/v1/messages?beta=true", {"model": "m", "max_tokens": 9000, "messages": HELLO}),
    "responses": ("/responses", {"model": "m", "input": HELLO, "max_output_tokens": 9000}),
    "openai": ("/chat/completions", {"model": "m", "messages": HELLO, "max_completion_tokens": 9000}),
    "google": (
        "/v1beta/models/m:generateContent",
        {"contents": [{"role": "user", "parts": [{"text": "hi"}]}], "generationConfig": {"maxOutputTokens": 9000}},
    ),
}
STREAMED: dict[Api, tuple[str, dict[str, Any]]] = {
    **{api: (path, {**body, "stream": True}) for api, (path, body) in REQUESTS.items()},
    "google": ("/v1beta/models/m:streamGenerateContent?alt=sse", REQUESTS["google"][1]),
}
LIMITS = {"anthropic": "max_tokens", "responses": "max_output_tokens", "openai": "max_completion_tokens"}


def posts(api: Api, path: str, body: dict[str, Any], *, times: int = 1) -> str:
    """An agent that sends a request and says how it was answered."""
    return f"""
body = json.loads({json.dumps(body)!r})
for _ in range({times}):
    answers = post(ASK["model_url"] + {path!r}, body, **{{"x-api-key": ASK["key"], "x-goog-api-key": ASK["key"],
                                                          "Authorization": "Bearer " + ASK["key"]}})
say(json.dumps(answers))
"""


@pytest.mark.parametrize("streamed", [False, True])
@pytest.mark.parametrize("api", sorted(REQUESTS))
def test_a_request_is_admitted_limited_passed_on_and_settled(place: Place, api: Api, streamed: bool) -> None:
    path, body = (STREAMED if streamed else REQUESTS)[api]
    meter = Counting(max_output=500)
    with ModelServer([Say("Hello ü", (1000, 56), cached=400)]) as server:
        ended = place.turn(posts(api, path, body), meter=meter, api=api, base_url=server.urls[api])
    status, reply = json.loads(ended.text)
    ((ticket, answered),) = meter.settled
    assert (ticket, answered.status, answered.model, answered.error) == ("t1", 200, "m", "")
    assert answered.usage == Usage(input_tokens=1000, output_tokens=56, cached_tokens=400)
    assert (status, reply) == (200, answered.reply.decode())
    assert meter.wanted == [Wanted("m", json.dumps(body).encode(), 9000)]
    (asked,) = server.asked
    sent = asked.body["generationConfig"]["maxOutputTokens"] if api == "google" else asked.body[LIMITS[api]]
    assert sent == 500
    header = {"anthropic": "x-api-key", "google": "x-goog-api-key"}.get(api, "authorization")
    assert asked.headers[header].removeprefix("Bearer ") == "the-real-key"
    assert ended.notes == ()


def test_a_request_that_needs_no_change_is_passed_on_as_it_came(place: Place) -> None:
    path, body = REQUESTS["anthropic"]
    with ModelServer([Say("x", (1, 1))]) as server:
        place.turn(posts("anthropic", path, body), meter=Counting(max_output=0), base_url=server.urls["anthropic"])
    assert (server.asked[0].body, server.bytes) == (body, [len(json.dumps(body))])


def test_what_came_from_a_cache_is_priced_as_such(place: Place) -> None:
    path, body = REQUESTS["anthropic"]
    price = {"input_per_million": 10.0, "output_per_million": 100.0}
    meter = Counting()
    with ModelServer([Say("x", (1000, 10), cached=400)]) as server:
        place.turn(posts("anthropic", path, body), meter=meter, base_url=server.urls["anthropic"], price=price)
    assert [answered.usd for _, answered in meter.settled] == [0.011]


def test_a_refused_request_ends_the_agent_and_never_reaches_the_model(place: Place) -> None:
    path, body = REQUESTS["anthropic"]
    meter = Counting(most=2)
    code = posts("anthropic", path, body, times=3) + "\nopen(os.environ['HOME'] + '/said', 'w').write(str(answers))"
    with (
        ModelServer([Say("x", (1, 1))] * 3) as server,
        pytest.raises(ProviderError, match="^the cap is reached$") as caught,
    ):
        place.turn(code + "\ntime.sleep(600)", meter=meter, base_url=server.urls["anthropic"])
    assert caught.value.kind == "capped"
    assert (len(server.asked), len(meter.settled)) == (2, 2)
    refused = (place.root / "homes" / "t1" / "said").read_text()
    error = {"type": "error", "error": {"type": "invalid_request_error", "message": "the cap is reached"}}
    assert refused == str((400, json.dumps(error)))


def test_a_third_request_for_one_answer_is_refused(place: Place) -> None:
    path, body = REQUESTS["anthropic"]
    with ModelServer([Say("x", (10, 2))] * 3) as server, pytest.raises(Transient, match="too many requests"):
        place.complete(posts("anthropic", path, body, times=3), base_url=server.urls["anthropic"])
    assert len(server.asked) == 2


def test_an_agent_that_tries_again_and_again_is_ended_with_what_its_model_said(place: Place) -> None:
    path, body = REQUESTS["anthropic"]
    with ModelServer([Fail(500)] * 3) as server, pytest.raises(Transient, match="got the status 500"):
        place.complete(posts("anthropic", path, body, times=3), base_url=server.urls["anthropic"])
    assert len(server.asked) == 2


def test_two_requests_for_one_answer_count_together(place: Place) -> None:
    path, body = REQUESTS["anthropic"]
    price = {"input_per_million": 1.0, "output_per_million": 10.0}
    with ModelServer([Say("x", (100, 2)), Say("x", (100, 3))]) as server:
        reply = place.complete(posts("anthropic", path, body, times=2), base_url=server.urls["anthropic"], price=price)
    assert (reply.usage, reply.usd) == (Usage(input_tokens=200, output_tokens=5), 0.00025)


def test_requests_that_come_to_nothing_have_an_end(place: Place) -> None:
    path, body = REQUESTS["openai"]
    meter = Counting()
    code = f"""
    while True:
        try:
            post(ASK["model_url"] + {path!r}, json.loads({json.dumps(body)!r}))
        except Exception:
            pass
    """
    with ModelServer(lambda asked: Cut()) as server, pytest.raises(ProviderError, match="20 requests .* in a row"):
        place.turn(code, api="openai", meter=meter, base_url=server.urls["openai"])
    assert len(meter.settled) == len(server.asked) == 20


def test_an_error_of_the_model_is_passed_on_and_settled(place: Place) -> None:
    path, body = REQUESTS["anthropic"]
    meter = Counting()
    with ModelServer([Fail(529, "busy")]) as server:
        ended = place.turn(posts("anthropic", path, body), meter=meter, base_url=server.urls["anthropic"])
    status, text = json.loads(ended.text)
    assert (status, "busy" in text) == (529, True)
    ((_, answered),) = meter.settled
    assert (answered.status, answered.usage, answered.error) == (529, Usage(), "the model answered 529")


def test_a_model_that_is_not_there_is_settled_without_an_answer(place: Place) -> None:
    path, body = REQUESTS["anthropic"]
    meter = Counting()
    ended = place.turn(posts("anthropic", path, body), meter=meter, base_url="http://127.0.0.1:1")
    assert json.loads(ended.text)[0] == 502
    ((_, answered),) = meter.settled
    assert (answered.status, answered.usage) == (0, Usage())
    assert answered.error.startswith("the model at http://127.0.0.1:1 could not be reached")


def test_an_answer_cut_off_is_cut_for_the_agent_too_and_its_output_stays_unknown(place: Place) -> None:
    path, body = STREAMED["anthropic"]
    meter = Counting()
    code = "import http.client\ntry:" + posts("anthropic", path, body).replace("\n", "\n    ")
    code += "\nexcept http.client.IncompleteRead: say('cut')"
    with ModelServer([Cut()]) as server:
        ended = place.turn(code, meter=meter, base_url=server.urls["anthropic"])
    ((_, answered),) = meter.settled
    assert (ended.text, answered.status) == ("cut", 200)
    assert answered.usage == Usage(input_tokens=1, output_tokens=None)
    assert ended.notes == ("some answers of its model did not report their tokens",)


def test_an_agent_that_goes_away_before_its_answer_settles_its_request(place: Place) -> None:
    meter = Counting()
    code = """
    import threading
    threading.Thread(target=messages, daemon=True).start()
    time.sleep(1)
    say("gone")
    sys.stdout.flush()
    os._exit(0)
    """
    with ModelServer([Hang()]) as server:
        place.turn(code, meter=meter, base_url=server.urls["anthropic"])
    ((_, answered),) = meter.settled
    assert (answered.status, answered.error) == (0, "the agent disconnected before the answer")


def test_counting_tokens_is_free_and_anything_unlisted_is_closed(place: Place) -> None:
    code = """
    paths = ["/v1/messages/count_tokens", "/v1/messages/batches", "/v1/files", "/v1/messages/../files", "/responses"]
    say(json.dumps([post(ASK["model_url"] + path, {"model": "m", "messages": []}) for path in paths]))
    """
    meter = Counting()
    with ModelServer(lambda asked: Say("x", (1, 1))) as server:
        ended = place.turn(code, meter=meter, base_url=server.urls["anthropic"])
    answers = json.loads(ended.text)
    assert "is not available to agents" not in answers[0][1]
    assert ["is not available to agents" in text for status, text in answers[1:] if status == 404] == [True] * 4
    assert (meter.wanted, server.asked) == ([], [])


def test_a_packed_request_is_refused(place: Place) -> None:
    code = """
    import gzip
    packed, headers = gzip.compress(b"{}"), {"Content-Encoding": "gzip"}
    request = urllib.request.Request(ASK["model_url"] + "/v1/messages", packed, headers)
    try:
        urllib.request.urlopen(request)
    except urllib.error.HTTPError as error:
        say(str(error.code))
    """
    with ModelServer([]) as server:
        assert place.turn(code, base_url=server.urls["anthropic"]).text == "415"


def test_a_meter_that_breaks_is_heard_of(place: Place) -> None:
    class Broken(Counting):
        def admit(self, wanted: Wanted) -> Any:
            raise ZeroDivisionError("a bug")

    path, body = REQUESTS["anthropic"]
    with ModelServer([]) as server, pytest.raises(ZeroDivisionError, match="a bug"):
        place.turn(posts("anthropic", path, body), meter=Broken(), base_url=server.urls["anthropic"])


def test_a_meter_that_breaks_after_the_agent_has_ended_is_heard_of_too(place: Place) -> None:
    class Broken(Counting):
        def settle(self, ticket: str, answered: Answered) -> None:
            raise ZeroDivisionError("a bug")

    code = """
    import threading
    threading.Thread(target=messages, daemon=True).start()
    time.sleep(1)
    say("gone")
    os._exit(0)
    """
    with ModelServer([Hang()]) as server, pytest.raises(ZeroDivisionError, match="a bug"):
        place.turn(code, meter=Broken(), base_url=server.urls["anthropic"])


def test_the_key_in_an_agents_words_is_hidden(place: Place) -> None:
    path, body = REQUESTS["anthropic"]
    code = posts("anthropic", path, body) + "\nsys.stderr.write(str(answers)); sys.exit(1)"
    with (
        ModelServer([Fail(401, "bad key the-real-key")]) as server,
        pytest.raises(ProviderError, match=r"bad key \*\*\*") as caught,
    ):
        place.complete(code, base_url=server.urls["anthropic"])
    assert "the-real-key" not in str(caught.value)


def test_an_empty_answer_is_none(place: Place) -> None:
    with ModelServer([]) as server, pytest.raises(Transient, match="returned an empty answer"):
        place.complete("say('')", base_url=server.urls["anthropic"])


DODGES = [
    {"max_tokens": -1},
    {"max_tokens": 10, "max_completion_tokens": 999_999, "n": 50},
    {"max_completion_tokens": 999_999.0},
    {"model": "gpt-expensive"},
]


def test_a_request_that_would_dodge_the_limits_never_reaches_the_model(place: Place) -> None:
    base = {"model": "m", "messages": HELLO}
    code = f"""
    url = ASK["model_url"] + "/chat/completions"
    bodies = json.loads({json.dumps([{**base, **dodge} for dodge in DODGES])!r})
    answers = [post(url, body) for body in bodies]
    twice = urllib.request.Request(url, b'{{"model": "m", "max_tokens": 999999, "max_tokens": 5, "messages": []}}')
    try:
        urllib.request.urlopen(twice)
    except urllib.error.HTTPError as error:
        answers.append([error.code, ""])
    answers.append(post(url, {{**bodies[0], "max_tokens": 10, "max_completion_tokens": 9000, "background": True}}))
    say(json.dumps([status for status, _ in answers]))
    """
    meter = Counting(max_output=500)
    with ModelServer([Say("x", (1, 1))]) as server:
        ended = place.turn(code, api="openai", meter=meter, base_url=server.urls["openai"], model="m")
    assert json.loads(ended.text) == [400, 400, 400, 400, 415, 200]
    assert len(meter.wanted) == 1
    assert server.asked[0].body == {**base, "max_tokens": 10, "max_completion_tokens": 500}


def test_an_agent_that_only_sends_what_is_refused_is_ended(place: Place) -> None:
    code = """
    while True:
        post(ASK["model_url"] + "/v1/messages", {"model": "other", "max_tokens": 5, "messages": []})
    """
    said = "20 requests .* in a row .* this agent may use only the model m, not 'other'"
    with ModelServer([]) as server, pytest.raises(ProviderError, match=said):
        place.turn(code, base_url=server.urls["anthropic"], model="m")
    assert server.asked == []


@pytest.mark.parametrize("path", ["/models/../files", "/models/%2e%2e/files", "/models/..%2ffiles", "/models//x"])
def test_a_path_that_leads_elsewhere_is_closed(place: Place, path: str) -> None:
    code = f"""
    import http.client
    from urllib.parse import urlsplit
    there = urlsplit(ASK["model_url"])
    line = http.client.HTTPConnection(there.hostname, there.port)
    answers = []
    for path in ({path!r}, "/models/m"):
        line.request("GET", there.path + path)
        answer = line.getresponse()
        answers.append([answer.status, "is not available to agents" in answer.read().decode()])
    say(json.dumps(answers))
    """
    with ModelServer([]) as server:
        ended = place.turn(code, api="openai", base_url=server.urls["openai"])
    refused, free = json.loads(ended.text)
    assert (refused, free[1]) == ([404, True], False)
