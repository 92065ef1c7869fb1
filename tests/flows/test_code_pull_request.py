"""A pull request is opened only when asked for, by gh, with the report as its text. gh is a stand-in here."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path

from harness import REQUEST, git
from harness.place import Place

GH = """#!/bin/sh
for part in "$@"; do printf '%s\\n' "$part"; done > "{noted}"
while [ "$1" != --body-file ]; do shift; done
cp "$2" "{noted}.body"
echo https://example.org/pull/7
"""


def with_gh(place: Place, folder: Path) -> str:
    """A PATH with a gh of ours first on it."""
    programs = folder / "programs"
    programs.mkdir()
    gh = programs / "gh"
    gh.write_text(GH.format(noted=folder / "noted"))
    gh.chmod(gh.stat().st_mode | stat.S_IXUSR)
    return f"{programs}:{os.environ['PATH']}"


def test_a_delivered_branch_is_pushed_and_opened_as_a_pull_request(place: Place, tmp_path: Path) -> None:
    remote = tmp_path / "remote.git"
    git("init", "-q", "--bare", str(remote), cwd=tmp_path)
    git("remote", "add", "origin", str(remote), cwd=place.repository)

    done = place.run("start", REQUEST, "--pr", "--json", PATH=with_gh(place, tmp_path))

    assert done.code == 0, done.out + done.err
    assert done.json["pull_request"] == "https://example.org/pull/7"
    branch = done.json["branch"]
    assert git("rev-parse", branch, cwd=remote) == git("rev-parse", branch, cwd=place.repository)
    called = (tmp_path / "noted").read_text().splitlines()
    assert called[:6] == ["pr", "create", "--head", branch, "--title", "A --json flag for the stock report"]
    body = (tmp_path / "noted.body").read_text()
    assert "## What the engine measured" in body
    assert "## Cost" in body


def test_without_gh_the_wish_is_refused_before_anything_begins(place: Place) -> None:
    bare = ":".join(part for part in os.environ["PATH"].split(":") if not (Path(part) / "gh").exists())
    done = place.run("start", REQUEST, "--pr", "--json", PATH=bare)

    assert (done.code, json.loads(done.out)["error"]["what"]) == (
        2,
        "gh is not installed, so it cannot open a pull request",
    )
    assert not (place.home / "tasks").exists() or not list((place.home / "tasks").iterdir())
