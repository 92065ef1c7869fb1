"""A private home holds the login and nothing else of the person; a renewed login comes back, nothing else does."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from caged import Place
from model_server import ModelServer, Say
from thoughtforge.agent_runtime import login
from thoughtforge.calls.port import ProviderError
from thoughtforge.kernel.errors import UserError

NAME = ".script/login.json"
OLD, NEW = b'{"token": "old"}', b'{"token": "new"}'


@pytest.fixture
def person(tmp_path: Path) -> Path:
    place = tmp_path / "person"
    (place / ".script").mkdir(parents=True)
    (place / NAME).write_bytes(OLD)
    (place / ".script" / "history").write_text("private")
    return place


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return login.made(tmp_path / "homes", "one")


def at(person: Path, *names: str) -> dict[str, Path]:
    return {name: person / name for name in names or (NAME,)}


def files(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if not path.is_dir())


def test_only_the_login_is_brought_and_only_for_its_owner(person: Path, home: Path) -> None:
    assert list(login.brought(at(person, NAME, ".script/other"), home)) == [NAME]
    assert files(home) == [NAME]
    assert (home / NAME).read_bytes() == OLD
    modes = {path.stat().st_mode & 0o777 for path in (home, home / ".script", home / NAME)}
    assert modes == {0o700, 0o600}


def test_a_login_that_is_gone_or_not_wanted_is_taken_away(person: Path, home: Path) -> None:
    login.brought(at(person), home)
    assert login.brought(at(person), home, wanted=False) == {}
    assert files(home) == []
    login.brought(at(person), home)
    (person / NAME).unlink()
    assert login.brought(at(person), home) == {}
    assert files(home) == []


def test_a_renewed_login_comes_back_for_its_owner_alone(person: Path, home: Path) -> None:
    brought = login.brought(at(person), home)
    (home / NAME).write_bytes(NEW)
    assert login.taken_back(home, brought) == ((NAME,), ())
    assert (person / NAME).read_bytes() == NEW
    assert (person / NAME).stat().st_mode & 0o777 == 0o600
    assert files(person) == [".script/history", NAME]


def test_a_login_the_person_has_changed_meanwhile_is_left_alone(person: Path, home: Path) -> None:
    brought = login.brought(at(person), home)
    (home / NAME).write_bytes(NEW)
    (person / NAME).write_bytes(b'{"token": "by hand"}')
    assert login.taken_back(home, brought) == ((), ())
    assert (person / NAME).read_bytes() == b'{"token": "by hand"}'


def test_a_login_the_person_has_removed_stays_removed(person: Path, home: Path) -> None:
    brought = login.brought(at(person), home)
    (home / NAME).write_bytes(NEW)
    (person / NAME).unlink()
    assert login.taken_back(home, brought) == ((), ())
    assert files(person) == [".script/history"]


def test_a_login_kept_elsewhere_stays_a_link(person: Path, home: Path, tmp_path: Path) -> None:
    (person / NAME).rename(tmp_path / "vault.json")
    (person / NAME).symlink_to(tmp_path / "vault.json")
    brought = login.brought(at(person), home)
    (home / NAME).write_bytes(NEW)
    assert login.taken_back(home, brought) == ((NAME,), ())
    assert (person / NAME).is_symlink()
    assert (tmp_path / "vault.json").read_bytes() == NEW


@pytest.mark.parametrize("left", [b"", b"not json", b" " * 2_000_000, b'"' + b"x" * 1_100_000 + b'"'])
def test_what_cannot_be_a_login_does_not_come_back(person: Path, home: Path, left: bytes) -> None:
    brought = login.brought(at(person), home)
    (home / NAME).write_bytes(left)
    assert login.taken_back(home, brought).renewed == ()
    assert (person / NAME).read_bytes() == OLD


@pytest.mark.parametrize("folder", [False, True])
def test_a_link_an_agent_made_is_neither_read_nor_written_through(
    person: Path, home: Path, tmp_path: Path, folder: bool
) -> None:
    brought = login.brought(at(person), home)
    secret = tmp_path / "secret"
    secret.mkdir()
    (secret / "login.json").write_bytes(b'{"other": "secret"}')
    (home / NAME).unlink()
    if folder:
        (home / ".script").rmdir()
        (home / ".script").symlink_to(secret)
    else:
        (home / NAME).symlink_to(secret / "login.json")
    assert login.taken_back(home, brought) == ((), ())
    assert (person / NAME).read_bytes() == OLD
    login.brought(at(person), home)
    login.filled(home, {NAME: "mine", ".script/config.toml": "x"})
    assert files(secret) == ["login.json"]
    assert (secret / "login.json").read_bytes() == b'{"other": "secret"}'
    assert (home / NAME).read_text() == "mine"


@pytest.mark.parametrize("name", ["", "a/b", "..", "."])
def test_a_home_has_a_plain_name(tmp_path: Path, name: str) -> None:
    with pytest.raises(ValueError, match="name of a home"):
        login.made(tmp_path, name)


@pytest.mark.parametrize("name", ["", "/etc/x", "a/../../x"])
def test_a_file_of_a_home_is_below_it(home: Path, name: str) -> None:
    with pytest.raises(ValueError, match="not a path inside a home folder"):
        login.filled(home, {name: "x"})


def test_the_login_is_the_one_sent_and_its_renewal_comes_back(place: Place) -> None:
    (place.person / ".script").mkdir()
    (place.person / NAME).write_bytes(OLD)
    (place.person / "diary").write_text("private")
    code = """
    path = os.environ["HOME"] + "/.script/login.json"
    token = json.load(open(path))["token"]
    body = {"model": "m", "max_tokens": 5, "messages": [{"role": "user", "content": "x"}]}
    status, _ = post(ASK["model_url"] + "/v1/messages", body, Authorization="Bearer " + token)
    open(path, "w").write('{"token": "new"}')
    say(json.dumps([status, ASK["key"], sorted(os.listdir(os.environ["HOME"]))]))
    """
    with ModelServer([Say("x", (1, 1))]) as server:
        ended = place.turn(code, key_env="", base_url=server.urls["anthropic"])
    assert json.loads(ended.text) == [200, "", [".script", "ask.json"]]
    assert server.asked[0].headers["authorization"] == "Bearer old"
    assert (place.person / NAME).read_bytes() == NEW


def test_a_renewed_login_comes_back_also_from_a_turn_that_fails(place: Place) -> None:
    (place.person / ".script").mkdir()
    (place.person / NAME).write_bytes(OLD)
    code = """
    open(os.environ["HOME"] + "/.script/login.json", "w").write('{"token": "new"}')
    sys.exit(1)
    """
    with pytest.raises(Exception, match="ended with 1"):
        place.turn(code, key_env="")
    assert (place.person / NAME).read_bytes() == NEW


def test_neither_key_nor_login_is_a_mistake_that_says_how_to_log_in(place: Place) -> None:
    with pytest.raises(UserError, match="is not logged in") as caught:
        place.turn("say('x')", key_env="")
    assert caught.value.do == ("Log in: script login. Or name the variable that holds an API key as key_env.")


def test_a_key_that_is_not_set_is_named(place: Place) -> None:
    with pytest.raises(UserError, match="the variable OTHER_KEY is not set"):
        place.turn("say('x')", key_env="OTHER_KEY")


def test_a_model_on_this_machine_needs_neither(place: Place) -> None:
    with ModelServer([Say("x", (1, 1))]) as server:
        place.turn("messages()\nsay('x')", key_env="", base_url=server.urls["anthropic"])
    assert server.asked[0].headers["x-api-key"] == "none"


MANY = {
    "openai": {"type": "oauth", "access": "a", "refresh": "r", "expires": 1},
    "github-copilot": {"type": "oauth", "refresh": "ghu_other"},
}


def test_only_the_entry_that_is_needed_goes_in_and_only_its_tokens_come_out(person: Path, home: Path) -> None:
    (person / NAME).write_text(json.dumps(MANY))
    brought = login.brought(at(person), home, parts=("openai",))
    assert json.loads((home / NAME).read_bytes()) == {"openai": MANY["openai"]}
    new = {**MANY["openai"], "access": "b", "refresh": "s", "expires": 2}
    (home / NAME).write_text(json.dumps({"openai": new}))
    assert login.taken_back(home, brought) == ((NAME,), ())
    assert json.loads((person / NAME).read_bytes()) == {**MANY, "openai": new}


def test_a_file_without_the_entry_that_is_needed_is_no_login(person: Path, home: Path) -> None:
    (person / NAME).write_text(json.dumps(MANY))
    assert login.brought(at(person), home, parts=("google",)) == {}
    assert files(home) == []


@pytest.mark.parametrize(
    ("text", "parts", "there"),
    [
        ("{}", (), False),
        ('{"tokens": {"access_token": ""}}', (), False),
        ('{"active": "me@example.org", "old": []}', (), False),
        ("not json", (), False),
        ('{"tokens": {"access_token": "t"}}', (), True),
        ('{"OPENAI_API_KEY": "k"}', (), True),
        (json.dumps(MANY), ("openai",), True),
        (json.dumps(MANY), ("google",), False),
    ],
)
def test_a_login_is_a_file_with_a_token_in_it(person: Path, text: str, parts: tuple[str, ...], there: bool) -> None:
    (person / NAME).write_text(text)
    assert login.there(at(person), parts) is there


def test_a_login_in_a_format_of_its_own_is_used_and_never_overwritten(person: Path, home: Path) -> None:
    (person / ".script" / "login.toml").write_text("token = 'old'")
    places = at(person, ".script/login.toml")
    brought = login.brought(places, home)
    (home / ".script/login.toml").write_text("token = 'new'")
    assert (login.there(places), login.taken_back(home, brought).renewed) == (True, ())
    assert (person / ".script" / "login.toml").read_text() == "token = 'old'"


EVIL = """
path = os.environ["HOME"] + "/.script/login.json"
open(path, "w").write('{"token": "new", "https://evil.example": {"type": "wellknown", "key": "X", "token": "y"}}')
"""
REFUSED = (
    "its login .script/login.json came back as a different login; the engine did not copy it back: "
    "https://evil.example is new"
)


def test_a_login_an_agent_made_up_stays_in_the_cage_and_the_turn_says_so(place: Place) -> None:
    (place.person / ".script").mkdir()
    (place.person / NAME).write_bytes(OLD)
    ended = place.turn(f"{EVIL}say('x')", key_env="")
    assert (place.person / NAME).read_bytes() == OLD
    assert ended.notes == (REFUSED,)


def test_a_turn_that_fails_says_it_too(place: Place) -> None:
    (place.person / ".script").mkdir()
    (place.person / NAME).write_bytes(OLD)
    with pytest.raises(ProviderError, match="ended with 1") as caught:
        place.turn(f"{EVIL}sys.exit(1)", key_env="")
    assert (place.person / NAME).read_bytes() == OLD
    assert caught.value.reply is not None
    assert caught.value.reply.notes == (REFUSED,)


def test_a_login_the_person_keeps_elsewhere_is_found_and_renewed_there(place: Place) -> None:
    (place.root / "elsewhere").mkdir()
    (place.root / "elsewhere" / "login.json").write_bytes(OLD)
    place.secrets["SCRIPT_HOME"] = str(place.root / "elsewhere")
    code = """
    path = os.environ["HOME"] + "/.script/login.json"
    old = open(path).read()
    open(path, "w").write('{"token": "new"}')
    say(old)
    """
    ended = place.turn(code, key_env="", cli={"moved": ("SCRIPT_HOME", ".script")})
    assert ended.text == OLD.decode()
    assert (place.root / "elsewhere" / "login.json").read_bytes() == NEW
