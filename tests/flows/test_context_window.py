"""What a model takes in bounds every step; where even the fixed parts do not fit nothing is asked."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from harness import Done
from harness.place import Place, from_demo, make_place
from model_server import ModelServer

FILES = {f"shelf/parts/a_module_with_a_long_name_{number}.py": "" for number in range(400)}
OUTPUT = 512


def designed(folder: Path, **options: Any) -> tuple[Done, Place]:
    """The specification of a repository whose list of files is longer than a step."""
    place = make_place(folder, FILES)
    with ModelServer(from_demo(folder)) as server:
        place.serve(server, config={"call_output_tokens": OUTPUT}, **options)
        return place.design("--through", "analyze"), place


def largest(place: Place) -> int:
    return max(e["context_tokens"] for e in place.events("call_started"))


def test_a_step_is_no_larger_than_the_window_of_its_model_leaves(tmp_path: Path) -> None:
    window = 4_500
    done, wide = designed(tmp_path / "wide")
    assert (done.code, largest(wide) > window - OUTPUT) == (0, True), largest(wide)
    done, narrow = designed(tmp_path / "narrow", context_window=window)
    assert (done.code, largest(narrow) <= window - OUTPUT) == (0, True), done.out


def test_a_window_without_room_for_the_fixed_parts_is_named_and_nothing_is_asked(tmp_path: Path) -> None:
    done, place = designed(tmp_path, context_window=1_500)
    assert (done.code, done.json["reason"], place.events("call_started")) == (2, "configuration", [])
    assert done.json["detail"].startswith(
        "wire takes 1,500 tokens in total (context_window), 375 of them for the answer, "
    )
    assert "Raise context_window if the model takes more" in done.json["detail"]
