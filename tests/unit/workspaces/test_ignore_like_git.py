"""What `.thoughtforgeignore` hides is what git would ignore, whatever the patterns."""

import os
import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from thoughtforge.workspaces.patterns import parse_ignore

NAMES = ("a", "b", "A", "ab", "b a", "a.c", "*", "[a]", "a b ")
PIECES = ("a", "b", "A", "c", ".", " ", "*", "**", "?", "/", "!", "#", "\\", "[ab]", "[!a]", "[^b]", "[a-c]", "[", "]")
LINES = st.lists(st.lists(st.sampled_from(PIECES), max_size=7).map("".join), min_size=1, max_size=4)
PATHS = st.lists(st.lists(st.sampled_from(NAMES), min_size=1, max_size=4).map("/".join), min_size=1, max_size=8)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("ignored")
    subprocess.run(["git", "init", "--quiet", folder], check=True)
    return folder


def ignored_by_git(folder: Path, text: str, paths: list[str]) -> set[str]:
    (folder / ".gitignore").write_text(text, encoding="utf-8", newline="")
    argv = ["git", "-c", "core.ignoreCase=false", "check-ignore", "--no-index", "--stdin", "-z"]
    env = {"PATH": os.environ["PATH"], "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_NOSYSTEM": "1"}
    ran = subprocess.run(argv, cwd=folder, env=env, input="\0".join(paths), capture_output=True, text=True, check=False)
    assert ran.returncode in (0, 1), ran.stderr
    return {path for path in ran.stdout.split("\0") if path}


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(lines=LINES, paths=PATHS)
def test_the_same_paths_are_hidden(folder: Path, lines: list[str], paths: list[str]) -> None:
    text = "".join(f"{line}\n" for line in lines)
    ignore = parse_ignore(text)
    assert {path for path in paths if ignore.reason(path) is not None} == ignored_by_git(folder, text, paths)


@pytest.mark.parametrize(
    "text",
    [
        "*.txt\n!keep.txt\n",
        "/top\n",
        "docs/api\n",
        "**/logs\n",
        "a/**/z\n",
        "logs/**\n",
        "out/\n",
        "trailing   \n",
        "held\\ \n",
        "data/\n!data/keep.txt\n",
        "BIG.txt\n",
        "\\#a\n\\!b\n",
        "[\\[z]\n",
        "[!\\z]*p\n",
        "lo**/*\n",
        "***/z\n",
        "[/xz]\n",
        "docs\\/api\n",
        "a//\n",
    ],
)
def test_the_usual_forms_mean_what_they_mean_to_git(text: str, folder: Path) -> None:
    names = (
        "keep.txt",
        "x.txt",
        "top",
        "docs/api",
        "api",
        "logs",
        "z",
        "out",
        "trailing",
        "held ",
        "BIG.txt",
        "big.txt",
    )
    paths = [
        f"{above}{name}{below}" for above in ("", "a/", "a/b/", "data/") for name in names for below in ("", "/in")
    ]
    ignore = parse_ignore(text)
    hidden = {path for path in [*paths, "#a", "!b"] if ignore.reason(path) is not None}
    assert hidden == ignored_by_git(folder, text, [*paths, "#a", "!b"])


def test_no_pattern_of_a_repository_makes_matching_slow() -> None:
    ignore = parse_ignore(f"{'*a' * 40}b\n{'**/a/' * 40}b\n")
    assert ignore.reason("/".join(["a" * 200] * 40)) is None
