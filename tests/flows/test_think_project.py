"""What a person does in a thought's project with their own editor and git: nothing of it is lost or mixed up."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from flows.thoughts import NOTE, Garden, agreed, built, make_app_at, make_garden, polished
from thoughtforge.service.thoughts import Thought, begin


@pytest.fixture
def garden(tmp_path: Path) -> Garden:
    """A thought that waits for its first confirmation."""
    found = make_garden(tmp_path)
    found.script(*agreed(), *built(), *polished())
    asyncio.run(begin(make_app_at(found), Thought(text=NOTE)))
    assert found.json("resume", "last")["phase"] == "human_review"
    return found


def test_documents_a_person_wrote_before_confirming_are_kept_as_theirs(garden: Garden) -> None:
    (garden.project / "docs" / "intent.md").write_text("MY INTENT\n")
    (garden.project / "docs" / "spec.md").write_text("MY SPEC\n")
    assert garden.json("confirm", "last")["phase"] == "spec_building"
    assert garden.log() == ["Intent", "Edits by a person", "Begin"]
    assert garden.git("show", "HEAD~1:docs/intent.md") == "MY INTENT\n"
    assert garden.git("show", "HEAD:docs/spec.md") == "MY SPEC\n"


def test_on_another_branch_it_waits_and_then_goes_on(garden: Garden) -> None:
    garden.git("checkout", "--quiet", "-b", "mine")
    told = garden.json("confirm", "last")
    assert (told["phase"], told["halt_reason"]) == ("halted", "project_busy")
    assert f"git -C {garden.project} checkout main" in told["detail"]
    assert garden.log() == ["Begin"]
    garden.git("checkout", "--quiet", "main")
    assert garden.json("continue", "last")["phase"] == "spec_building"
    assert garden.log() == ["Intent", "Begin"]


def test_a_link_in_the_place_of_a_document_stays_until_the_person_moves_it(garden: Garden) -> None:
    place, mine = garden.project / "docs" / "intent.md", garden.folder / "mine.md"
    mine.write_text("MY INTENT\n")
    place.symlink_to(mine)
    told = garden.json("confirm", "last")
    why = f"{place} is a symbolic link, and the work puts docs/intent.md there; move it away, then continue"
    assert (told["halt_reason"], told["detail"]) == ("file_system_error", why)
    assert (place.readlink(), mine.read_text()) == (mine, "MY INTENT\n")
    place.rename(garden.folder / "moved.md")
    assert garden.json("continue", "last")["phase"] == "spec_building"
    assert garden.log() == ["Intent", "Edits by a person", "Edits by a person", "Begin"]
    assert mine.read_text() == "MY INTENT\n"
