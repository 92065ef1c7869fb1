"""What a model is shown where it is easily shown too little; `make bench` measures every trap."""

from __future__ import annotations

from pathlib import Path

import pytest

from flows.traps import TRAPS


@pytest.mark.parametrize("trap", ["a module of 3,000 lines", "a function of 140 lines"])
def test_the_specification_is_whole_room_is_used_and_the_line_to_change_is_in_view(tmp_path: Path, trap: str) -> None:
    seen = TRAPS[trap](tmp_path)
    assert seen.done.code == 0, seen.done.out
    assert any(call["cut"] for call in seen.contexts)
    assert (seen.specification_cut, seen.in_view) == (0, True)
    assert len(seen.work) > 1
    (prefix,) = {context.partition("## current_state")[0].partition("## task_frame")[2] for context in seen.work}
    assert "### specification\n" in prefix
    assert "### analysis (goes on below)\n" in prefix
    assert seen.unused < 0.15, [(call["step"], call["left"], call["cut"]) for call in seen.contexts if call["cut"]]
