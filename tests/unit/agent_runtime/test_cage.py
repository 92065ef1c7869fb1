"""From inside a cage there is the workspace to read, a home to write, our socket, and nothing else."""

from __future__ import annotations

import asyncio
import json
import os
import socket
import subprocess
from collections.abc import Iterator

import pytest

from caged import Counting, Place
from model_server import Hang, ModelServer, Say
from thoughtforge.agent_runtime.turn import TurnEnded
from thoughtforge.calls.port import ProviderError, Transient
from thoughtforge.kernel.errors import UserError


def found(place: Place, expression: str, **more: object) -> object:
    """What a Python expression is inside the cage."""
    return json.loads(place.turn(f"say(json.dumps({expression}))", **more).text)


@pytest.fixture
def port() -> Iterator[int]:
    """A port of this machine at which somebody listens."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        yield listening.getsockname()[1]


def test_the_workspace_can_be_read_and_not_written(place: Place) -> None:
    (place.folder / "code.py").write_text("x = 1\n")
    assert found(place, "open('code.py').read()") == "x = 1\n"
    assert found(place, "tried(lambda: open('code.py', 'w'))") == "OSError 30"
    assert found(place, "tried(lambda: open('new.py', 'w'))") == "OSError 30"
    assert found(place, "tried(lambda: os.remove('code.py'))") == "OSError 30"
    assert sorted(path.name for path in place.folder.iterdir()) == ["code.py"]


def test_the_home_is_private_writable_and_kept_for_the_next_turn(place: Place) -> None:
    found(place, "open(os.environ['HOME'] + '/note', 'w').write('kept')")
    assert found(place, "open(os.environ['HOME'] + '/note').read()") == "kept"
    assert (place.root / "homes" / "t1").stat().st_mode & 0o777 == 0o700
    other = found(place, "tried(lambda: open(os.environ['HOME'] + '/note'))", turn={"home": "t2"})
    assert other == "FileNotFoundError 2"


def test_no_other_port_of_this_machine_is_reached(place: Place, port: int) -> None:
    assert found(place, f"tried(lambda: socket.create_connection(('127.0.0.1', {port})))").startswith("Connection")
    address = "192.0.2.1"
    assert found(place, f"tried(lambda: socket.create_connection(('{address}', 80), 5))") == "OSError 101"


def test_neither_the_store_nor_the_person_is_there(place: Place) -> None:
    (place.root / "store").mkdir()
    (place.root / "store" / "held-back").write_text("secret")
    (place.person / "diary").write_text("secret")
    for path in (place.root / "store" / "held-back", place.person / "diary", place.root / "homes"):
        assert found(place, f"tried(lambda: os.stat({str(path)!r}))") == "FileNotFoundError 2"
    assert found(place, f"sorted(os.listdir({str(place.root)!r}))") == ["script", "workspace"]


def test_nothing_of_our_environment_is_there(place: Place) -> None:
    env = found(place, "dict(os.environ)")
    assert isinstance(env, dict)
    assert sorted(env) == ["HOME", "LANG", "LOGNAME", "OWN", "PATH", "PWD", "SHELL", "TMPDIR", "USER"]
    assert (env["HOME"], env["OWN"], env["TMPDIR"]) == ("/home/" + "agent", "yes", "/tmp")
    everyone = "[open(f'/proc/{pid}/environ').read() for pid in os.listdir('/proc') if pid.isdigit()]"
    assert "THOUGHTFORGE" not in json.dumps(found(place, everyone))
    assert found(place, "open('/proc/1/environ').read()") == ""


def test_the_key_is_nowhere_in_the_cage(place: Place) -> None:
    seen = found(
        place,
        "[open(f'/proc/{pid}/{name}').read() for pid in os.listdir('/proc') if pid.isdigit()"
        " for name in ('environ', 'cmdline')] + [str(ASK)]",
    )
    assert "the-real-key" not in json.dumps(seen)
    assert b"the-real-key" not in (place.root / "homes" / "t1" / "ask.json").read_bytes()


def test_what_must_not_be_seen_of_the_workspace_looks_empty(place: Place) -> None:
    (place.folder / ".claude").mkdir()
    (place.folder / ".claude" / "settings.json").write_text('{"hooks": {}}')
    (place.folder / ".mcp.json").write_text('{"mcpServers": {"evil": {}}}')
    (place.folder / "CLAUDE.md").write_text("Obey.")
    (place.folder / "linked").symlink_to(".claude")
    hidden = (".claude", ".mcp.json", "CLAUDE.md", ".codex", "linked/settings.json")
    reads = "[os.listdir('.claude'), os.listdir('linked'), open('.mcp.json').read(), open('CLAUDE.md').read()]"
    assert found(place, reads, turn={"hidden": hidden}) == [[], [], "{}\n", ""]
    assert (place.folder / "CLAUDE.md").read_text() == "Obey."


def test_what_a_hidden_link_leads_to_is_empty_too(place: Place) -> None:
    (place.folder / "agentconf").mkdir()
    (place.folder / "agentconf" / "settings.json").write_text('{"hooks": 1}')
    (place.folder / "shared").symlink_to("agentconf")
    (place.folder / ".gemini").symlink_to("shared")
    (place.folder / "rules.md").write_text("obey")
    (place.folder / "CLAUDE.md").symlink_to("rules.md")
    reads = "[os.listdir('.gemini'), os.listdir('agentconf'), open('CLAUDE.md').read(), open('rules.md').read()]"
    assert found(place, reads, turn={"hidden": (".gemini", "CLAUDE.md")}) == [[], [], "", ""]


@pytest.mark.parametrize("target", [".", "sub/..", "/proc/self/cwd/agentconf"])
def test_an_agent_does_not_start_where_a_hidden_link_cannot_be_covered(place: Place, target: str) -> None:
    (place.folder / "sub").mkdir()
    (place.folder / ".gemini").symlink_to(target)
    with pytest.raises(UserError, match="the link .gemini of the repository points to"):
        place.turn("say('x')", turn={"hidden": (".gemini",)})


def test_a_completion_starts_in_an_empty_folder_without_the_workspace(place: Place) -> None:
    with ModelServer([Say("x", (1, 1))]) as server:
        code = f"""
        messages()
        say(json.dumps([os.listdir("."), tried(lambda: open("x", "w")), os.path.exists({str(place.folder)!r})]))
        """
        reply = place.complete(code, base_url=server.urls["anthropic"])
    assert json.loads(reply.text) == [[], "OSError 30", False]
    assert list((place.root / "homes").iterdir()) == []


def test_the_prompt_comes_on_stdin_and_ends(place: Place) -> None:
    assert found(place, "sys.stdin.read()") == "Build it."


def test_only_with_both_tokens_our_tools_answer(place: Place) -> None:
    code = """
    url, token, tools = ASK["door"]
    root = url.split("/")[0] + "//" + url.split("/")[2]
    say(json.dumps([
        post(url, {}, Authorization="Bearer " + token)[0],
        post(url, {}, Authorization="Bearer other")[0],
        post(url, {})[0],
        post(root + "/mcp", {}, Authorization="Bearer " + token)[0],
        post(root + "/other/mcp", {}, Authorization="Bearer " + token)[0],
        post(root + "/" + url.split("/")[3] + "/other", {})[0],
        post(root + "/", {})[0],
    ]))
    """
    assert json.loads(place.turn(code).text) == [200, 401, 401, 404, 404, 404, 404]


def test_a_silent_agent_is_ended(place: Place) -> None:
    with pytest.raises(Transient, match="script and its model sent nothing for 1 seconds") as caught:
        place.turn("time.sleep(600)", idle_seconds=1)
    assert caught.value.kind == "timeout"


def test_a_silent_model_ends_the_agent_too(place: Place) -> None:
    meter = Counting()
    with ModelServer([Hang()]) as server, pytest.raises(Transient, match="sent nothing for"):
        place.turn("messages()", meter=meter, idle_seconds=1, base_url=server.urls["anthropic"])
    assert [(ticket, answered.status) for ticket, answered in meter.settled] == [("t1", 0)]


def test_an_agent_whose_model_talks_is_not_silent(place: Place) -> None:
    answers = [Say("x", (1, 1), delay=1.2) for _ in range(3)]
    with ModelServer(answers) as server:
        ended = place.turn(
            "for _ in range(3): messages()\nsay('done')", idle_seconds=3, base_url=server.urls["anthropic"]
        )
    assert ended.text == "done"


def test_an_agent_that_waits_for_our_tools_is_not_silent(place: Place) -> None:
    code = """
    url, token, tools = ASK["door"]
    say(post(url, {"wait": 4}, Authorization="Bearer " + token)[1])
    """
    ended = place.turn(code, idle_seconds=3)
    assert json.loads(ended.text) == {"path": "/mcp", "body": {"wait": 4}}


def test_an_agent_that_takes_too_long_is_ended(place: Place) -> None:
    with pytest.raises(Transient, match="did not finish within 1 seconds"):
        place.turn("while True: print('{}', flush=True); time.sleep(0.05)", turn_seconds=1)


def test_a_child_in_a_session_of_its_own_is_ended_with_the_agent(place: Place) -> None:
    code = """
    import subprocess
    subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)", "left-behind-1"], start_new_session=True)
    say("done")
    """
    assert place.turn(code).text == "done"
    assert left("left-behind-1") == []


def test_a_cancelled_turn_leaves_no_process(place: Place) -> None:
    agent = place.agent("""
    import subprocess
    child = "import time; print('{\\"text\\": \\"up\\"}', flush=True); time.sleep(600)"
    subprocess.run([sys.executable, "-c", child, "left-behind-2"])
    """)

    async def cancelled() -> None:
        up = asyncio.Event()
        turn = place.asked(progress=lambda words: up.set())
        running = asyncio.ensure_future(agent.turn(turn))
        await asyncio.wait_for(up.wait(), 30)
        assert left("left-behind-2") != []
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running

    asyncio.run(cancelled())
    assert left("left-behind-2") == []


def left(word: str) -> list[str]:
    """Command lines of living processes with a word in them."""
    listed = subprocess.run(["ps", "axww", "-o", "pid=,args="], capture_output=True, text=True, check=True).stdout
    return [line for line in listed.splitlines() if word in line and str(os.getpid()) not in line.split()[:1]]


def test_a_failing_agent_is_what_its_file_says(place: Place) -> None:
    with pytest.raises(ProviderError, match="ended with 7: no"):
        place.turn("sys.stderr.write('no'); sys.exit(7)")
    with pytest.raises(ProviderError, match="ended with 139"):
        place.turn("os.kill(os.getpid(), 11)")


def test_a_program_that_is_not_there_is_named_with_its_installation(place: Place) -> None:
    with pytest.raises(UserError, match="nothing-of-this-name is not installed or not on PATH") as caught:
        place.turn("", command="nothing-of-this-name")
    assert caught.value.do == "Install it: npm install -g script"


def test_without_bubblewrap_it_refuses(place: Place) -> None:
    place.search_path = "/nowhere"
    with pytest.raises(UserError, match="bubblewrap is not installed"):
        place.turn("say('x')")


def test_without_bubblewrap_and_allowed_it_runs_and_says_so(place: Place) -> None:
    place.search_path = "/nowhere"
    place.allow_weak = True
    (place.folder / ".mcp.json").write_text("{}")
    meter = Counting()
    code = """
    url, token, tools = ASK["door"]
    told = post(url, {"n": 1}, Authorization="Bearer " + token)[0]
    say(json.dumps([told, messages()[0], os.environ["HOME"], os.getcwd()]))
    """
    with ModelServer([Say("x", (3, 4))]) as server:
        ended = place.turn(code, meter=meter, turn={"hidden": (".mcp.json",)}, base_url=server.urls["anthropic"])
    home, folder = place.root / "homes" / "t1", place.folder
    assert ended == TurnEnded(json.dumps([200, 200, str(home), str(folder)]), "s1", ended.notes)
    assert ended.notes[0].startswith(
        "script runs without isolation: the engine only compares the files after each turn"
    )
    assert ended.notes[1:] == (".mcp.json of the repository could not be hidden from the agent",)
    assert len(meter.settled) == 1
