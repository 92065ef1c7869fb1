"""Which template a plan uses: the project's own, the person's, ours; generic with a warning; or an error."""

from pathlib import Path

import pytest

from thoughtforge.catalog import LIBRARY, Catalog
from thoughtforge.deliverables.plan.template import choose, outlines
from thoughtforge.kernel.errors import UserError

OWN = "## Sails\n{# What drives it. #}\n\n| Objective | Plan | Assessment |\n|---|---|---|\n"
OWN += "| {{ sails_objective }} | {{ sails_plan }} | {{ sails_assessment }} |\n"


def test_a_kind_has_its_template() -> None:
    chosen = choose(Catalog(project={}, user=None), "wedding")
    assert (chosen.template.kind, chosen.template.path, chosen.warning) == (
        "wedding",
        "library/templates/wedding.md",
        "",
    )


@pytest.mark.parametrize(
    ("kind", "warning"),
    [
        ("boat", "there is no plan template 'boat'; the generic one is used"),
        ("generic", ""),
        (None, ""),
        ("", ""),
        ("../prompts/spec", "there is no plan template '../prompts/spec'; the generic one is used"),
    ],
)
def test_an_unknown_kind_gets_the_generic_one(kind: str | None, warning: str) -> None:
    chosen = choose(Catalog(project={}, user=None), kind)
    assert (chosen.template.kind, chosen.warning) == ("generic", warning)


def test_a_person_and_a_project_bring_their_own(tmp_path: Path) -> None:
    (tmp_path / "templates").mkdir()
    (tmp_path / "templates" / "boat.md").write_text(OWN)
    assert choose(Catalog(project={}, user=tmp_path), "boat").template.sections[0].heading == "Sails"
    project = {"templates/boat.md": OWN.replace("Sails", "Masts")}
    catalog = Catalog(project=project, user=tmp_path)
    assert choose(catalog, "boat").template.sections[0].heading == "Masts"
    assert outlines(catalog)["boat"] == [{"name": "Masts", "purpose": "What drives it."}]
    own = {"templates/boat.md": OWN.replace("{# What", "{# required, actions: What")}
    marked = {"name": "Sails", "purpose": "What drives it.", "required": True, "holds": ["actions"]}
    assert outlines(Catalog(project=own, user=None))["boat"] == [marked]
    assert sorted(outlines(catalog)) == ["boat", "engineering", "generic", "strategy", "wedding"]


def test_no_template_at_all_names_the_folder(tmp_path: Path) -> None:
    with pytest.raises(UserError) as refused:
        choose(Catalog(project={}, user=None, library=tmp_path), "wedding")
    assert refused.value.what == f"no plan template can be used: {tmp_path / 'templates'} has none"
    assert refused.value.do == "Put generic.md there, or install the program again."


def test_no_generic_template_names_the_folder_and_what_is_missing(tmp_path: Path) -> None:
    (tmp_path / "templates").mkdir()
    (tmp_path / "templates" / "boat.md").write_text(OWN)
    catalog = Catalog(project={}, user=None, library=tmp_path)
    assert choose(catalog, "boat").template.kind == "boat"
    with pytest.raises(UserError) as refused:
        choose(catalog, "wedding")
    assert refused.value.what == f"no plan template can be used: {tmp_path / 'templates'} has no generic.md"


def test_a_broken_template_is_an_error_and_never_replaced_by_another() -> None:
    catalog = Catalog(project={"templates/wedding.md": "{{ oops"}, user=None, library=LIBRARY)
    with pytest.raises(UserError, match=r"^\.thoughtforge/templates/wedding\.md, line 1: "):
        choose(catalog, "wedding")
    assert "wedding" not in outlines(catalog)
