"""Roles and pipelines of a project count once they are committed; every mistake comes with its file and line."""

from __future__ import annotations

from pathlib import Path

from harness import LIBRARY, REQUEST, git, task_ids
from harness.place import Place


def commit(place: Place, name: str, text: str) -> Path:
    """Put a file of the home into the repository."""
    path = place.home / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    git("add", "-f", str(path), cwd=place.repository)
    git("commit", "-q", "-m", "An override", cwd=place.repository)
    return path


def test_every_mistake_of_a_committed_role_is_told_with_its_line(place: Place) -> None:
    text = (LIBRARY / "roles" / "software_architect.yaml").read_text()
    wrong = text.replace("contract: specification", "contract: nonsense").replace(
        "allowed: [read_file,", "allowed: [telepathy, edit_file, read_file,"
    )
    commit(place, "roles/software_architect.yaml", wrong)
    done = place.design()
    assert done.code == 2
    lines = text.splitlines()
    allowed = next(number for number, line in enumerate(lines, start=1) if "allowed:" in line)
    contract = next(number for number, line in enumerate(lines, start=1) if "contract: specification" in line)
    told = "\n".join([done.json["error"]["what"], *done.json["error"]["details"]])
    assert f"software_architect.yaml:{allowed}:" in told
    assert f"software_architect.yaml:{contract}:" in told
    assert all(word in told for word in ("telepathy", "edit_file", "nonsense"))
    assert done.json["error"]["do"]
    assert task_ids(place.repository) == []


def test_every_mistake_of_a_committed_pipeline_is_told_with_its_line(place: Place) -> None:
    text = (LIBRARY / "pipelines" / "design.yaml").read_text()
    wrong = text.replace("role: business_analyst", "role: fortune_teller").replace(
        "skip_if: [no_ambiguities]", "skip_if: [full_moon]"
    )
    commit(place, "pipelines/design.yaml", wrong)
    done = place.design()
    assert done.code == 2
    told = "\n".join([done.json["error"]["what"], *done.json["error"]["details"]])
    for word, key in (("fortune_teller", "role: business_analyst"), ("full_moon", "skip_if:")):
        number = next(n for n, line in enumerate(text.splitlines(), start=1) if key in line)
        assert any(f"design.yaml:{number}:" in line and word in line for line in told.splitlines()), told
    assert done.json["error"]["do"]
    assert task_ids(place.repository) == []


def test_an_override_counts_once_it_is_committed(place: Place) -> None:
    text = "extends: software_architect\nconstraints:\n  - Keep every sentence below twelve words.\n"
    path = place.home / "roles" / "software_architect.yaml"
    path.parent.mkdir()
    path.write_text(text)
    unused = place.design("--max-steps", "0")
    note = "ignored, because the base commit does not have this version: .thoughtforge/roles/software_architect.yaml"
    assert (unused.code, note in unused.json["warnings"]) == (4, True)
    assert note in place.run("design", REQUEST, "--max-steps", "0").err
    before = place.run("roles", "show", "software_architect", "--json").json["role"]["constraints"]
    assert len(before) == 6
    commit(place, "roles/software_architect.yaml", text)
    used = place.design("--max-steps", "0")
    assert note not in used.json["warnings"]
    after = place.run("roles", "show", "software_architect", "--json").json["role"]["constraints"]
    assert after == ["Keep every sentence below twelve words."]


def test_an_override_cannot_widen_what_the_engine_limits(place: Place) -> None:
    commit(
        place,
        "roles/software_architect.yaml",
        "extends: software_architect\ncapabilities:\n  tools:\n    allowed: [run_command]\n",
    )
    done = place.design()
    assert done.code == 2
    assert "run_command" in "\n".join([done.json["error"]["what"], *done.json["error"]["details"]])
