"""Definitions are checked once for the same files, and again as soon as one of them differs."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from thoughtforge.kernel.errors import UserError
from thoughtforge.kernel.events import KINDS
from thoughtforge.kernel.stops import STOPS
from thoughtforge.rooms import load_rooms
from thoughtforge.service.library import definitions
from unit.service.in_memory import memory_app


def test_files_that_were_checked_are_not_checked_again(tmp_path: Path) -> None:
    app = memory_app(tmp_path)
    first, second = definitions(app, {}), definitions(app, {})
    assert second.roles is first.roles
    assert second.sources() == first.sources()


def test_a_file_that_comes_changes_or_goes_counts_at_once(tmp_path: Path) -> None:
    app = memory_app(tmp_path)
    plain = definitions(app, {})
    role = sorted(plain.roles)[0]
    file = app.user_folder / "roles" / f"{role}.yaml"
    file.parent.mkdir(parents=True)
    file.write_text("agent: [")
    with pytest.raises(UserError):
        definitions(app, {})
    file.unlink()
    assert definitions(app, {}).roles is plain.roles
    with pytest.raises(UserError):
        definitions(app, {f"roles/{role}.yaml": "agent: ["})


def test_a_broken_entry_that_comes_later_is_refused(tmp_path: Path) -> None:
    app = memory_app(tmp_path)
    definitions(app, {})
    file = app.user_folder / "roles" / "dangling.yaml"
    file.parent.mkdir(parents=True)
    file.symlink_to(tmp_path / "nowhere")
    with pytest.raises(UserError):
        definitions(app, {})


def test_a_new_process_publishes_the_events_and_reasons_of_every_room() -> None:
    code = "from thoughtforge.store.log import union; import json; print(json.dumps(union().json_schema()))"
    alone = json.loads(subprocess.run([sys.executable, "-c", code], capture_output=True, check=True).stdout)
    load_rooms()
    assert set(alone["discriminator"]["mapping"]) == set(KINDS)
    assert alone["$defs"]["RunnerStopped"]["properties"]["reason"]["enum"] == sorted(STOPS, key=[*STOPS].index)
