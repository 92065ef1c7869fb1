"""The form for open questions: room for answers, what was filled in, and never written over."""

from __future__ import annotations

from pathlib import Path

import pytest

from flows.thoughts import make_app_at, make_garden
from thoughtforge.kernel.errors import UserError
from thoughtforge.service.forms import answers_in, form_text, leave_form, message_in

ASKED = [{"id": "Q-1", "text": "Who\nplays?"}, {"id": "U-2", "text": "Not sure about the tent."}]


def test_a_filled_in_form_becomes_answers_by_id() -> None:
    form = form_text("t-1", Path("questions.md"), ASKED)
    assert "## Q-1: Who plays?" in form
    assert "thoughtforge say t-1 --file questions.md" in form
    filled = form.replace("plays?\n\n>", "plays?\n\n> Bo,\n> and Ann").replace("tent.\n\n>", "tent.\n\nleave it open")
    assert message_in(filled) == "Q-1: Bo, and Ann\nU-2: leave it open"


def test_an_empty_form_is_refused_and_any_other_text_is_taken_as_it_is() -> None:
    with pytest.raises(UserError, match="no answer"):
        message_in(form_text("t-1", Path("f.md"), ASKED))
    assert message_in("Just a note.\n\n## Not a question\n") == "Just a note.\n\n## Not a question\n"


def test_a_form_asks_at_most_eight_questions() -> None:
    many = [{"id": f"Q-{number}", "text": "What?"} for number in range(1, 12)]
    assert form_text("t-1", Path("f.md"), many).count("## Q-") == 8


def test_a_form_that_is_being_filled_in_stays_and_a_settled_one_goes(tmp_path: Path) -> None:
    app = make_app_at(make_garden(tmp_path))
    path = leave_form(app, "t-1", ASKED)
    assert path is not None
    path.write_text(path.read_text().replace("plays?\n\n>", "plays?\n\n> Bo"), encoding="utf-8")
    leave_form(app, "t-1", ASKED)
    assert answers_in(path.read_text()) == {"Q-1": "Bo"}
    leave_form(app, "t-1", ASKED[1:])  # Q-1 was settled meanwhile
    assert (answers_in(path.read_text()), "Q-1" in path.read_text()) == ({}, False)
    assert (leave_form(app, "t-1", ()), path.exists()) == (None, False)
