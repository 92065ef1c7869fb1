"""The import graph is that of the files at hand: never of an installed copy, never an old one, never by importing."""

from pathlib import Path

from thoughtforge.gate.mirror import Mirror, PackageGraph


def mirrored(tmp_path: Path, files: dict[str, str]) -> tuple[Mirror, PackageGraph]:
    mirror = Mirror(tmp_path / "mirror")
    mirror.folder.mkdir()
    for name, text in files.items():
        mirror.put(name, text, base=None)
    return mirror, PackageGraph(mirror, folder=tmp_path / "aside")


def imports(graph: PackageGraph) -> set[tuple[str, str]]:
    built = graph.build()
    assert built is not None
    return {(module, other) for module in built.modules for other in built.find_modules_directly_imported_by(module)}


def test_a_package_this_process_runs_from_is_read_from_the_files_at_hand(tmp_path: Path) -> None:
    files = {
        "src/thoughtforge/__init__.py": "",
        "src/thoughtforge/x.py": "import thoughtforge.y\n",
        "src/thoughtforge/y.py": "",
    }
    _, graph = mirrored(tmp_path, files)
    assert imports(graph) == {("thoughtforge.x", "thoughtforge.y")}


def test_a_changed_file_is_read_again_however_quickly_it_changed(tmp_path: Path) -> None:
    mirror, graph = mirrored(tmp_path, {"shop/__init__.py": "", "shop/a.py": "", "shop/b.py": ""})
    seen = []
    for number in range(20):
        mirror.put("shop/a.py", "import shop.b\n" if number % 2 else "", base=None)
        seen.append(imports(graph))
    assert seen == [set(), {("shop.a", "shop.b")}] * 10


def test_nothing_of_the_repository_is_run(tmp_path: Path) -> None:
    trap = f"open({str(tmp_path / 'ran')!r}, 'w')\nimport shop.b\n"
    _, graph = mirrored(tmp_path, {"shop/__init__.py": trap, "shop/b.py": trap})
    assert ("shop", "shop.b") in imports(graph)
    assert not (tmp_path / "ran").exists()


def test_a_file_that_does_not_parse_does_not_hide_the_others(tmp_path: Path) -> None:
    files = {
        "shop/__init__.py": "",
        "shop/a.py": "import shop.b\n",
        "shop/b.py": "",
        "shop/template.py": "{{ name }} =\n",
    }
    _, graph = mirrored(tmp_path, files)
    assert imports(graph) == {("shop.a", "shop.b")}


def test_an_import_for_type_checking_alone_is_not_in_it(tmp_path: Path) -> None:
    text = "from typing import TYPE_CHECKING\n\nif TYPE_CHECKING:\n    import shop.b\n"
    _, graph = mirrored(tmp_path, {"shop/__init__.py": "", "shop/a.py": text, "shop/b.py": ""})
    assert imports(graph) == set()


def test_a_repository_without_packages_has_no_graph(tmp_path: Path) -> None:
    _, graph = mirrored(tmp_path, {"script.py": "import os\n"})
    assert graph.build() is None
