"""With -v the program tells on stderr what its edges do, without a secret; without it nothing."""

from pathlib import Path

from harness import REQUEST, sample_repository, thoughtforge

TOKEN = "correct-horse-battery-staple-9137"


def test_no_secret_is_told(tmp_path: Path, person: Path) -> None:
    place = tmp_path / f"shelf-{TOKEN}"  # git is called with this path
    place.mkdir()
    sample_repository(place)
    plain = thoughtforge("-vv", "roles", "list", cwd=place, home=person)
    masked = thoughtforge("-vv", "roles", "list", cwd=place, home=person, DEPLOY_TOKEN=TOKEN)
    assert (plain.code, TOKEN in plain.err, masked.code, TOKEN in masked.err) == (0, True, 0, False)


def test_the_edges_tell_what_they_do(shelf: Path, person: Path) -> None:
    told = thoughtforge("-vv", "design", REQUEST, "--json", cwd=shelf, home=person)
    assert (told.code, told.json["ok"]) == (0, True)
    for line in ("thoughtforge.sandbox.process: start ", "thoughtforge.workspaces.git: git ", "takes the task "):
        assert line in told.err


def test_once_leaves_out_how_things_were_asked_for(shelf: Path, person: Path) -> None:
    told = thoughtforge("-v", "design", REQUEST, "--json", cwd=shelf, home=person)
    assert ("process: git ended with 0" in told.err, "process: start " in told.err) == (True, False)


def test_without_it_nothing_is_told(shelf: Path, person: Path) -> None:
    assert "thoughtforge." not in thoughtforge("design", REQUEST, "--json", cwd=shelf, home=person).err
