"""Finding by name: the project's file before the person's before ours; a prompt never has a hole in it."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from thoughtforge.catalog import KINDS, LIBRARY, Catalog, DataFile, Extensions, Rendered, extension, extension_names
from thoughtforge.kernel.errors import UserError


@pytest.fixture
def folders(tmp_path: Path) -> tuple[Path, Path]:
    """A person's folder and a library with a prompt of the same name."""
    for layer in ("user", "library"):
        (tmp_path / layer / "prompts").mkdir(parents=True)
        (tmp_path / layer / "prompts" / "greet.md").write_text(f"Hello from {layer}")
    (tmp_path / "library" / "prompts" / "only.md").write_text("ours")
    return tmp_path / "user", tmp_path / "library"


def catalog(folders: tuple[Path, Path], **project: str) -> Catalog:
    named = {f"prompts/{name}.md": text for name, text in project.items()}
    return Catalog(project=named, user=folders[0], library=folders[1])


def data_file(path: str, text: str, layer: str) -> DataFile:
    return DataFile("prompts", "greet", path, text, hashlib.sha256(text.encode()).hexdigest(), layer)


def test_the_projects_file_is_in_force_before_the_persons_and_ours(folders: tuple[Path, Path]) -> None:
    found = catalog(folders, greet="Hello from project").all("prompts", "greet")
    assert found == (
        data_file(".thoughtforge/prompts/greet.md", "Hello from project", "project"),
        data_file(str(folders[0] / "prompts" / "greet.md"), "Hello from user", "user"),
        data_file("library/prompts/greet.md", "Hello from library", "built-in"),
    )
    assert catalog(folders, greet="Hello from project").find("prompts", "greet") == found[0]
    assert catalog(folders).find("prompts", "greet") == found[1]
    assert Catalog(project={}, user=None, library=folders[1]).find("prompts", "greet") == found[2]


def test_the_names_of_a_kind_come_from_all_layers(folders: tuple[Path, Path]) -> None:
    assert catalog(folders, mine="x").names("prompts") == ("greet", "mine", "only")
    assert catalog(folders, mine="x").names("roles") == ()


def test_an_unknown_name_lists_those_that_exist(folders: tuple[Path, Path]) -> None:
    with pytest.raises(UserError) as mistake:
        catalog(folders).find("prompts", "grete")
    assert (mistake.value.what, mistake.value.do) == ("there is no prompt 'grete'", "Known: greet, only")
    with pytest.raises(UserError) as nothing:
        catalog(folders).find("roles", "r")
    assert nothing.value.do == "Known: none"


def test_a_prompt_is_filled_in_and_named_by_the_digest_of_its_file(folders: tuple[Path, Path]) -> None:
    text = "Dear {{ name }}, {{ name }}!\n"
    shown = catalog(folders, greet=text).render("greet", name="<Ada> & {{ x }}")
    assert shown == Rendered("Dear <Ada> & {{ x }}, <Ada> & {{ x }}!", hashlib.sha256(text.encode()).hexdigest())


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("Dear {{ nobody }}", ".thoughtforge/prompts/greet.md: 'nobody' is undefined"),
        ("Dear {{ name.first }}", ".thoughtforge/prompts/greet.md: 'str object' has no attribute 'first'"),
        (
            "Dear {{ name",
            ".thoughtforge/prompts/greet.md: unexpected end of template, expected 'end of print statement'.",
        ),
        ("{% if %}", ".thoughtforge/prompts/greet.md: Expected an expression, got 'end of statement block'"),
    ],
)
def test_a_prompt_with_a_hole_in_it_is_refused(folders: tuple[Path, Path], text: str, told: str) -> None:
    with pytest.raises(UserError) as mistake:
        catalog(folders, greet=text).render("greet", name="Ada")
    assert mistake.value.what == told
    assert mistake.value.do == "Correct the prompt, or remove it to get the built-in one."


def test_a_prompt_cannot_reach_into_the_program(folders: tuple[Path, Path]) -> None:
    with pytest.raises(UserError, match="access to attribute '__class__' of 'str' object is unsafe"):
        catalog(folders, greet="{{ name.__class__.__mro__ }}").render("greet", name="Ada")


def test_a_file_that_is_not_utf_8_is_named_with_its_line(folders: tuple[Path, Path]) -> None:
    path = folders[0] / "prompts" / "greet.md"
    path.write_bytes(b"fine\ncaf\xe9\n")
    with pytest.raises(UserError) as mistake:
        catalog(folders).find("prompts", "greet")
    assert mistake.value.what == f"{path}, line 2: not UTF-8 text"


@pytest.mark.parametrize("kind", sorted(KINDS.keys() - {"tools"}))
def test_the_library_has_files_of_every_kind_but_tools(kind: str) -> None:
    ours = Catalog(project={}, user=None)
    names = ours.names(kind)
    assert names == tuple(sorted(path.stem for path in (LIBRARY / kind).iterdir()))
    assert [ours.find(kind, name).layer for name in names] == ["built-in"] * len(names) != []


def test_only_a_repository_or_a_person_adds_tools_as_files() -> None:
    assert (KINDS["tools"], (LIBRARY / "tools").exists()) == (".yaml", False)
    added = Catalog(project={"tools/migrations.yaml": "x"}, user=None)
    assert added.names("tools") == ("migrations",)


def test_extensions_by_name_are_those_there_are() -> None:
    tools = Extensions("tools")
    assert (tuple(tools), len(tools)) == (extension_names("tools"), len(extension_names("tools")))
    assert ("read_file" in tools, "no_such_tool" in tools) == (True, False)
    assert tools["read_file"] is extension("tools", "read_file")
    with pytest.raises(KeyError):
        tools["no_such_tool"]


def test_an_extension_is_found_by_the_name_of_its_file() -> None:
    assert extension("providers", "scripted").__name__ == "thoughtforge.providers.scripted"
    assert extension("tools", "read_file").__name__ == "thoughtforge.tools.read_file"
    assert {"analyze", "clarify", "document"} <= set(extension_names("drivers"))


def test_an_unknown_extension_lists_those_that_exist() -> None:
    with pytest.raises(UserError) as mistake:
        extension("drivers", "daydream")
    assert mistake.value.what == "there is no driver 'daydream'"
    assert mistake.value.do == f"Known: {', '.join(extension_names('drivers'))}"
