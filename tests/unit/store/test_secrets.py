"""Secrets are hidden in every form they travel in, and ordinary text is left alone.

The tokens are put together here so that this file holds nothing a scanner would take for a real one.
"""

from __future__ import annotations

import json
from base64 import b64encode, urlsafe_b64encode
from urllib.parse import quote

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from thoughtforge.store.secrets import SHAPES, Masker

MIX = "aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0dF"
LONG = MIX * 3
NONE = Masker.of({})
KEY = 'Tr0ub4dor&3/"quoted" ü+'
ONE = Masker.of({"DEPLOY_KEY": KEY})
BLOCK = f"-----BEGIN RSA PRIVATE KEY-----\n{LONG[:64]}\n{LONG[10:74]}\nabc=\n-----END RSA PRIVATE KEY-----"
JWT = f"eyJ{MIX}.eyJ{MIX}.{MIX}-_x"

TOKENS = [
    ("anthropic_key", f"sk-ant-api03-{MIX}_-{MIX}"),
    ("openrouter_key", f"sk-or-v1-{'0123456789abcdef' * 4}"),
    ("openai_key", f"sk-{MIX}"),
    ("openai_key", f"sk-proj-{MIX}-_{MIX}"),
    ("openai_key", f"sk-svcacct-{MIX}"),
    ("openai_key", f"sk-admin-{MIX}"),
    *(("github_token", f"{start}_{LONG[:36]}") for start in ("ghp", "gho", "ghu", "ghs", "ghr")),
    ("github_token", f"github_pat_{LONG[:22]}_{LONG[:59]}"),
    ("gitlab_token", f"glpat-{MIX[:18]}-x"),
    ("slack_token", f"xoxb-123456789012-{MIX}"),
    ("slack_token", f"xoxe.xoxp-1-{MIX}"),
    ("aws_key_id", f"AKIA{'IOSFODNN7EXAMPLE'}"),
    ("aws_key_id", f"ASIA{'IOSFODNN7EXAMPLE'}"),
    ("google_key", f"AIza{LONG[:33]}_-"),
    ("stripe_key", f"sk_live_{MIX}"),
    ("stripe_key", f"rk_live_{MIX}"),
    ("stripe_key", f"sk_test_{MIX}"),
    ("stripe_key", f"rk_test_{MIX}"),
    ("npm_token", f"npm_{LONG[:36]}"),
    ("hugging_face_token", f"hf_{LONG[:34]}"),
    ("pypi_token", f"pypi-AgEIcHlwaS5vcmc{LONG}"),
    ("jwt", JWT),
    ("private_key", BLOCK),
]

PLACED = [
    ("authorization", f"Authorization: Bearer {MIX}", "Authorization: Bearer [masked:authorization]"),
    ("authorization", f"-H 'authorization: basic {MIX}=='", "-H 'authorization: basic [masked:authorization]'"),
    ("authorization", f'"Authorization": "token {MIX}"', '"Authorization": "token [masked:authorization]"'),
    (
        "authorization",
        f'\\"Authorization\\": \\"Bearer {MIX}\\"',
        '\\"Authorization\\": \\"Bearer [masked:authorization]\\"',
    ),
    ("bearer", f'header = "Bearer {MIX}"', 'header = "Bearer [masked:bearer]"'),
    ("aws_secret", f"aws_secret_access_key = {LONG[:40]}", "aws_secret_access_key = [masked:aws_secret]"),
    ("aws_secret", f"export AWS_SECRET_ACCESS_KEY={LONG[:40]}", "export AWS_SECRET_ACCESS_KEY=[masked:aws_secret]"),
    ("aws_secret", f'{{"SecretAccessKey": "{LONG[:38]}/+"}}', '{"SecretAccessKey": "[masked:aws_secret]"}'),
    ("url_password", "postgresql://app:hunter2@db:5432/x", "postgresql://app:[masked:url_password]@db:5432/x"),
    ("url_password", "redis://:hunter2@cache/0", "redis://:[masked:url_password]@cache/0"),
    ("private_key", f"cut off:\n{BLOCK[:150]}", "cut off:\n[masked:private_key]"),
]

ORDINARY = [
    "commit 3f2c1ab09d04e7c5b81c55e77aa1200f0c2d4e6a",
    "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    "id b1f0c2d4-77aa-4c1e-9a53-0e6f8d21c5b7",
    "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAA",
    "see src/thoughtforge/store/secrets.py:12 and /usr/share/doc/task-runner/README",
    "we use sk-learn and scikit; sk-learn-compatible-estimators are fine",
    "task-123-abc, disk-usage-of-the-large-volume-two, task-proj-management-overview-2024",
    "npm_config_registry npm_package_version hf_hub pypi-publish glpat- xoxo",
    "keyJsonSerializerFactory.createInstance.withDefaults",
    "Authorization: required for every endpoint; authorization endpoint, permissions",
    "Authorization: Bearer $TOKEN and Bearer {token} and Bearer <your-token>",
    "Bearer authentication-is-described-elsewhere",
    "http://localhost:8080/path, git@example.org:team/repo.git, https://user@example.org/",
    "https://${USER}:${PASSWORD}@example.org and https://u:{password}@h and https://u:<password>@h",
    "looks for -----BEGIN PRIVATE KEY----- at the start of a line",
    "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----",
    "aws_secret_access_key = see the vault",
]


@pytest.mark.parametrize(("name", "secret"), TOKENS)
def test_a_token_of_each_kind_is_hidden_and_the_rest_stays(name: str, secret: str) -> None:
    text = f'first line\nkey = "{secret}", next\n{secret}\nlast line'
    assert NONE.text(text) == f'first line\nkey = "[masked:{name}]", next\n[masked:{name}]\nlast line'
    assert NONE.found(text) == (name,)


@pytest.mark.parametrize(("name", "secret"), TOKENS)
def test_a_token_inside_json_is_hidden_behind_an_escape(name: str, secret: str) -> None:
    text = json.dumps({"text": f"a\n{secret}\tb"})
    assert NONE.text(text) == json.dumps({"text": f"a\n[masked:{name}]\tb"})


@pytest.mark.parametrize(("name", "text", "masked"), PLACED)
def test_a_secret_told_by_its_place_is_hidden_and_the_place_stays(name: str, text: str, masked: str) -> None:
    assert NONE.mask(text) == (masked, (name,))


@pytest.mark.parametrize("before", ["\x1b[32m", "%3D", "\\n", "_", "(", "é"])
def test_an_escape_before_a_token_does_not_save_it(before: str) -> None:
    assert NONE.text(f"{before}sk-{MIX}") == f"{before}[masked:openai_key]"


@pytest.mark.parametrize("text", ORDINARY)
def test_ordinary_text_is_left_alone(text: str) -> None:
    assert NONE.mask(text) == (text, ())


def test_every_kind_of_token_is_tested() -> None:
    assert {shape.name for shape in SHAPES} == {name for name, *_ in [*TOKENS, *PLACED]}


@pytest.mark.parametrize(
    "form",
    [
        KEY,
        json.dumps(KEY)[1:-1],
        json.dumps(KEY, ensure_ascii=False)[1:-1],
        json.dumps(json.dumps(KEY))[3:-3],
        quote(KEY, safe=""),
        b64encode(KEY.encode()).decode(),
        urlsafe_b64encode(KEY.encode()).decode(),
    ],
)
def test_a_known_value_is_hidden_in_every_form(form: str) -> None:
    assert ONE.mask(f"<{form}> twice <{form}>") == (
        "<[masked:DEPLOY_KEY]> twice <[masked:DEPLOY_KEY]>",
        ("DEPLOY_KEY",),
    )


def test_a_known_value_inside_other_base64_is_hidden_wherever_it_begins() -> None:
    masker = Masker.of({"PASSWORD": "correct horse battery"})
    texts = [b64encode(f"{'u' * length}:correct horse battery".encode()).decode() for length in (1, 2, 3)]
    assert [masker.text(text) for text in texts] == [
        "dTp[masked:PASSWORD]k=",
        "dXU6[masked:PASSWORD]",
        "dXV1Om[masked:PASSWORD]Q==",
    ]


def test_the_longest_known_value_wins_and_short_ones_are_ignored() -> None:
    masker = Masker.of({"SHORT": "passwor", "PART": "password", "WHOLE": "password-and-more", "SAME": "password"})
    assert masker.text("passwor password password-and-more") == "passwor [masked:PART] [masked:WHOLE]"


def test_a_known_value_of_several_lines_or_with_a_newline_after_it_is_hidden() -> None:
    masker = Masker.of({"NOTE": "first part\nsecond part", "FILE": "from-a-file\n"})
    assert masker.text("first part\nsecond part; from-a-file;") == "[masked:NOTE]; [masked:FILE];"
    assert masker.text('"first part\\nsecond part"') == '"[masked:NOTE]"'


def test_a_known_token_is_called_by_its_name_and_not_by_its_kind() -> None:
    secret = f"sk-ant-{MIX}!tail"
    assert Masker.of({"MINE": secret}).text(f"Authorization: Bearer {secret}") == "Authorization: Bearer [masked:MINE]"


def test_a_name_cannot_break_the_mark_and_a_value_cannot_break_a_name() -> None:
    masker = Masker.of({"my key]": "openai_key", "other": "my_key__"})
    assert masker.text(f"sk-{MIX} openai_key my_key__") == "[masked:openai_key] [masked:my_key_] [masked:other]"


def test_a_password_with_a_token_in_it_is_hidden_whole() -> None:
    assert NONE.text(f"https://{JWT}:{JWT}!rest@h/") == "https://[masked:jwt]:[masked:url_password]@h/"


def test_all_strings_of_a_tree_are_masked_and_nothing_else_changes() -> None:
    secret = f"sk-{MIX}"
    tree = {"a": [secret, 1, None, True, 2.5], secret: (f"x {secret}", b"raw"), "deep": {"er": {"list": [[secret]]}}}
    masked = "[masked:openai_key]"
    assert NONE.tree(tree) == {
        "a": [masked, 1, None, True, 2.5],
        masked: (f"x {masked}", b"raw"),
        "deep": {"er": {"list": [[masked]]}},
    }


def test_keys_that_become_alike_are_numbered() -> None:
    first, second = f"sk-{MIX}", f"sk-{MIX[::-1]}"
    masked = NONE.tree({first: 1, second: 2, "[masked:openai_key]#2": 3, 4: 5})
    assert masked == {"[masked:openai_key]": 1, "[masked:openai_key]#3": 2, "[masked:openai_key]#2": 3, 4: 5}


def test_a_tree_without_secrets_is_the_same_object() -> None:
    tree = {"a": ["b", ("c", {"d": 1})], "e": "f"}
    assert NONE.tree(tree) is tree


PIECES = st.sampled_from(
    [secret for _, secret in TOKENS]
    + [text for _, text, _ in PLACED]
    + [
        KEY,
        quote(KEY, safe=""),
        "[masked:jwt]",
        "[masked:",
        "]",
        "://",
        "@",
        ":",
        "Bearer ",
        "a",
        "é",
        "\n",
        "\\n",
        " ",
        "sk-",
    ]
)


@settings(deadline=None)
@given(st.lists(st.one_of(PIECES, st.text(max_size=3)), max_size=8).map("".join))
@example(f"{KEY}sk-{MIX}")
@example(f"://u:{KEY}@")
@example(f"a{BLOCK}{BLOCK}sk-{MIX}")
def test_masking_again_changes_nothing(text: str) -> None:
    masked = ONE.text(text)
    assert ONE.mask(masked) == (masked, ())
    assert KEY not in masked
