"""config.yaml is read strictly: every wrong key and value is named with what was expected, and nothing is loaded."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from thoughtforge.kernel.errors import UserError
from thoughtforge.settings.config import EXAMPLE, Config, LimitSettings, load, parse
from thoughtforge.settings.trust import TrustStore

STORE = TrustStore(Path("nowhere"))

CORRECT = "Correct the keys; thoughtforge config show --defaults lists them all."

WRONG: list[tuple[str, tuple[str, ...]]] = [
    ("provder: x", ("provder: unknown key",)),
    ("limits: {dollars: 5}", ("limits.dollars: unknown key",)),
    ("roles: {analyst: {provider: p, mode: m}}", ("roles.analyst.mode: unknown key",)),
    ("1: 2", ("1: keys should be strings, got 1",)),
    ("limits: {usd: '5'}", ("limits.usd: expected a valid number, got '5'",)),
    ("limits: {steps: 1.5}", ("limits.steps: expected a valid integer, got 1.5",)),
    ("version: true", ("version: expected a valid integer, got True",)),
    ("limits: null", ("limits: expected keys and values, got None",)),
    ("providers: [a]", ("providers: expected keys and values, got ['a']",)),
    ("providers: {a: b}", ("providers.a: expected keys and values, got 'b'",)),
    ("provider: 2020-01-01", ("provider: expected a valid string, got datetime.date(2020, 1, 1)",)),
    ("secrets: {send_unmasked: 'yes'}", ("secrets.send_unmasked: expected a valid boolean, got 'yes'",)),
    ("secrets: {variables: A_TOKEN}", ("secrets.variables: expected a list, got 'A_TOKEN'",)),
    ("secrets: {variables: [A, 3]}", ("secrets.variables.1: expected a valid string, got 3",)),
    ("version: 2", ("version: expected less than or equal to 1, got 2",)),
    ("limits: {usd: .inf}", ("limits.usd: expected a finite number, got inf",)),
    ("limits: {wall_seconds: .nan}", ("limits.wall_seconds: expected a finite number, got nan",)),
    ("clarify: {confidence: 1.5}", ("clarify.confidence: expected less than or equal to 1, got 1.5",)),
    ("call_output_tokens: 200000", ("call_output_tokens: expected less than or equal to 128000, got 200000",)),
    ("request_bytes: 0", ("request_bytes: expected greater than or equal to 1, got 0",)),
    (
        "limits: {usd: -1, stage_steps: 0}\nrules: {repairs: -1, review_iterations: 0}\nprovder: x",
        (
            "limits.usd: expected greater than or equal to 0, got -1",
            "limits.stage_steps: expected greater than or equal to 1, got 0",
            "rules.repairs: expected greater than or equal to 0, got -1",
            "rules.review_iterations: expected greater than or equal to 1, got 0",
            "provder: unknown key",
        ),
    ),
    ("limits: {usd: " + "x" * 80 + "}", ("limits.usd: expected a valid number, got '" + "x" * 56 + "…",)),
]


@pytest.mark.parametrize(("text", "told"), WRONG, ids=[row[0][:40] for row in WRONG])
def test_every_wrong_key_and_value_is_named_with_what_was_expected(text: str, told: tuple[str, ...]) -> None:
    with pytest.raises(UserError) as mistake:
        parse(text, source="config.yaml")
    plural = "s" if len(told) > 1 else ""
    assert mistake.value.what == f"config.yaml has {len(told)} problem{plural}"
    assert (mistake.value.details, mistake.value.do) == (told, CORRECT)


NAMES: list[tuple[str, tuple[str, ...]]] = [
    ("provider: claude", ("provider: expected an entry of providers (none), got 'claude'",)),
    ("providers: {a: {}}", ("providers.a.kind: expected the name of a provider file, got nothing",)),
    ("providers: {a: {kind: 3}}", ("providers.a.kind: expected the name of a provider file, got 3",)),
    (
        "provider: zip\nroles: {x: {provider: zap}}\nproviders: {one: {kind: http}, two: {kind: scripted}}",
        (
            "provider: expected an entry of providers (one, two), got 'zip'",
            "roles.x.provider: expected an entry of providers (one, two), got 'zap'",
        ),
    ),
]


@pytest.mark.parametrize(("text", "told"), NAMES, ids=[row[0][:40] for row in NAMES])
def test_a_name_that_leads_nowhere_is_told_with_the_names_there_are(text: str, told: tuple[str, ...]) -> None:
    with pytest.raises(UserError) as mistake:
        parse(text, source="config.yaml")
    assert mistake.value.details == told


UNREADABLE: list[tuple[str, str]] = [
    ("limits: [", "config.yaml, line 1: not valid YAML: expected the node content, but found '<stream end>'"),
    ("version: 1\nb: :\n", "config.yaml, line 2: not valid YAML: mapping values are not allowed here"),
    ("version: 1\n\nprovider: \x07", "config.yaml, line 3: not valid YAML: special characters are not allowed"),
    (
        "provider: !!python/object:os.system {}",
        "config.yaml, line 1: not valid YAML: could not determine a constructor for the tag "
        "'tag:yaml.org,2002:python/object:os.system'",
    ),
    ("[]", "config.yaml: expected keys and values, got list"),
    ("just text", "config.yaml: expected keys and values, got str"),
    ("0", "config.yaml: expected keys and values, got int"),
    ("false", "config.yaml: expected keys and values, got bool"),
]


@pytest.mark.parametrize(("text", "told"), UNREADABLE, ids=[repr(row[0][:30]) for row in UNREADABLE])
def test_what_is_no_configuration_is_told_with_its_line(text: str, told: str) -> None:
    with pytest.raises(UserError) as mistake:
        parse(text, source="config.yaml")
    assert mistake.value.what == told
    assert mistake.value.do != ""


@pytest.mark.parametrize("text", ["", "\n\n", "# only a comment\n", "{}", "null"])
def test_an_empty_file_means_every_default(text: str) -> None:
    assert parse(text, source="config.yaml") == Config()


def test_what_is_set_counts_and_the_rest_keeps_its_default() -> None:
    config = parse("limits: {usd: 7, tokens: null}\nsecrets: {variables: [A, B]}", source="config.yaml")
    assert config.limits == LimitSettings(usd=7.0, tokens=None)
    assert config.secrets.variables == ("A", "B")


def test_a_missing_configuration_is_made_from_the_example_and_says_so(tmp_path: Path) -> None:
    first = load(tmp_path, STORE)
    assert (first.created, first.path) == (True, tmp_path / "config.yaml")
    assert first.path.read_bytes() == EXAMPLE.read_bytes()
    assert load(tmp_path, STORE)[:3] == (first.config, first.path, False)


def test_the_example_shows_the_defaults_and_every_commented_line_is_valid(tmp_path: Path) -> None:
    text = EXAMPLE.read_text()
    assert parse(text, source="example") == Config()
    lines = [line.removeprefix("# ") for line in text.splitlines()]
    settings = [
        line for line in lines if line.startswith((" ", "provider", "roles")) or line.rstrip(":") in Config.model_fields
    ]
    full = parse("\n".join(settings), source="example")
    assert (full.provider, sorted(full.providers)) == ("claude", ["agent", "claude", "local", "script"])
    assert {name: choice.provider for name, choice in full.roles.items()} == {"security_architect": "local"}


def test_a_home_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    with pytest.raises(UserError) as mistake:
        load(tmp_path / "not" / "there", STORE)
    path = tmp_path / "not" / "there" / "config.yaml"
    assert mistake.value.what == f"{path} cannot be written: No such file or directory"


def test_a_file_that_is_not_utf_8_is_read_as_far_as_it_can_be(tmp_path: Path) -> None:
    (tmp_path / "config.yaml").write_bytes(b"# caf\xe9\nlimits: {usd: 1}\n")
    assert load(tmp_path, STORE).config.limits.usd == 1


def test_the_configuration_cannot_be_changed_and_can_be_written_out_again() -> None:
    config = Config()
    with pytest.raises(ValueError, match="frozen"):
        config.provider = "other"  # type: ignore[misc]
    again = yaml.safe_dump(config.model_dump(mode="json"))
    assert parse(again, source="again") == config


CODE = """
setup: {command: [make, deps], reads: ["requirements/*.txt"], allow: [orjson]}
tests: {runner: pytest, allow_none: true, wall_seconds: 30}
sandbox: {allow_weak: true}
change: {coverage: 90}
commands: [[python, -m, build], [make]]
"""


def test_what_code_stages_may_do_is_read_as_it_was_written() -> None:
    config = parse(CODE, source="c")
    assert (config.setup.command, config.setup.reads, config.setup.allow) == (
        ("make", "deps"),
        ("requirements/*.txt",),
        ("orjson",),
    )
    assert (config.tests.runner, config.tests.allow_none, config.tests.wall_seconds) == ("pytest", True, 30)
    assert config.commands == (("python", "-m", "build"), ("make",))
    assert (Config().sandbox.allow_weak, Config().commands, Config().setup.allow) == (False, (), ())


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("commands: make", "commands: expected a list, got 'make'"),
        ("commands: [make]", "commands.0: expected a list, got 'make'"),
        ("commands: [[1]]", "commands.0.0: expected a valid string, got 1"),
        ("change: {coverage: 101}", "change.coverage: expected less than or equal to 100, got 101"),
        ("circles: {repeats: 1}", "circles.repeats: expected greater than or equal to 2, got 1"),
        ("sandbox: {allow_weak: 'yes'}", "sandbox.allow_weak: expected a valid boolean, got 'yes'"),
        ("tests: {wall_seconds: 0}", "tests.wall_seconds: expected greater than 0, got 0"),
    ],
)
def test_what_is_wrong_with_settings_for_code_is_named(text: str, problem: str) -> None:
    with pytest.raises(UserError) as mistake:
        parse(text, source="c")
    assert mistake.value.details == (problem,)
