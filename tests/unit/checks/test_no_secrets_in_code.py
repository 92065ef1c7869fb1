"""no-secrets-in-code finds keys and passwords in what changed, in files of every kind, and does not repeat them."""

import pytest

from looking import findings, told

NAME = "no-secrets-in-code"
KEY = "AKIAIOSFODNN7EXAMPLZ"
TOKEN = "ghp_" + "a1B2c3D4e5" * 3 + "f6G7h8"


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("a.py", f"key = '{KEY}'"),
        ("a.py", "password = 'hunter2hunter'"),
        ("a.py", f"send('{TOKEN}')"),
        ("a.js", f'const key = "{KEY}";'),
        ("deploy.yaml", f"aws_key: {KEY}"),
        ("key.pem", "-----BEGIN RSA PRIVATE KEY-----"),
        (".env", f"AWS={KEY}"),
        ("a.py", "url = 'https://me:s3cretw0rd@example.org/'"),
    ],
)
def test_a_planted_secret_is_found_and_not_repeated(path, line, tmp_path):
    (found,) = findings(tmp_path, NAME, {path: f"\n{line}\n"})
    assert (found.path, found.line) == (path, 2)
    assert not any(secret in found.message for secret in (KEY, TOKEN, "hunter2hunter", "s3cretw0rd"))


@pytest.mark.parametrize(
    "text",
    [
        "def f():\n    return 3\n",
        "password = read('password')\n",
        "password = ''\n",
        "digest = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'\n",
        "token = os.environ['TOKEN']\n",
        "api = 'https://example.org/'\n",
    ],
)
def test_ordinary_lines_are_none(text, tmp_path):
    assert told(tmp_path, NAME, {"a.py": text}) == []


@pytest.mark.parametrize("comment", ["# pragma: allowlist secret", "# noqa: S105", "# nosec"])
def test_a_comment_allows_no_secret(comment, tmp_path):
    assert len(told(tmp_path, NAME, {"a.py": f"key = '{KEY}'  {comment}\n"})) == 1


def test_only_lines_that_changed_are_scanned_and_a_copy_is_new(tmp_path):
    line = f"key = '{KEY}'\n"
    base = {"a.py": line}
    moved = findings(tmp_path / "1", NAME, {"a.py": f"import os\n\nprint(os)\n{line}"}, base=base)
    assert moved == ()
    copied = findings(tmp_path / "2", NAME, {"a.py": f"{line}\nother()\n{line}"}, base=base)
    assert [each.line for each in copied] == [1, 4]
    assert len({each.id for each in copied}) == 2


def test_files_full_of_digests_are_left_out(tmp_path):
    assert told(tmp_path, NAME, {"poetry.lock": f"key = '{KEY}'\n"}) == []
