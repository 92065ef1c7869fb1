"""An agent in its cage answers and acts; whatever goes wrong is said."""

from __future__ import annotations

from caged import ASKS, Counting, Place
from model_server import ModelServer, Say
from thoughtforge.kernel.model import Reply, Usage

PRICE = {"input_per_million": 1.0, "output_per_million": 2.0}


def test_a_completion_is_one_answer_with_what_it_used_and_its_price(place: Place) -> None:
    with ModelServer([Say("It is a ü.", (1000, 50))]) as server:
        reply = place.complete(ASKS, base_url=server.urls["anthropic"], price=PRICE)
    assert reply == Reply(text="It is a ü.", model="m", usage=Usage(input_tokens=1000, output_tokens=50), usd=0.0011)
    (asked,) = server.asked
    assert (asked.headers["x-api-key"], asked.body["max_tokens"]) == ("the-real-key", 100)


def test_a_turn_reaches_our_tools_and_its_model(place: Place) -> None:
    code = """
    door = ASK["door"]
    say("calls a tool")
    status, told = post(door[0], {"n": 1}, Authorization="Bearer " + door[1])
    status, answer = messages()
    say(f"{told} {json.loads(answer)['content'][0]['text']}")
    """
    heard: list[str] = []
    meter = Counting()
    with ModelServer([Say("done", (20, 6))]) as server:
        ended = place.turn(code, meter=meter, turn={"progress": heard.append}, base_url=server.urls["anthropic"])
    assert ended == ('{"path": "/mcp", "body": {"n": 1}} done', "s1", ())
    assert heard == ["calls a tool", ended.text]
    assert [(wanted.model, wanted.max_output) for wanted in meter.wanted] == [("m", 9000)]
    assert [(ticket, answered.usage, answered.error) for ticket, answered in meter.settled] == [
        ("t1", Usage(input_tokens=20, output_tokens=6), "")
    ]
