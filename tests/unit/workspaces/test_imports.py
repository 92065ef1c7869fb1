"""The import graph knows the project's own modules, in every usual layout."""

from thoughtforge.languages.python.modules import module_files
from thoughtforge.testing.imports import Declared, SuiteImports, circles, dependency_graph


def test_a_project_in_src_layout_gives_its_whole_graph(repo):
    repo.commit(
        {
            "pyproject.toml": '[project]\ndependencies = ["click"]\n',
            "src/app/__init__.py": "",
            "src/app/main.py": "import os\nimport click\nfrom app import store\nfrom .views import show\n",
            "src/app/store.py": "import app.main\n",
            "src/app/views/__init__.py": "from . import parts\nfrom ..store import *\n",
            "src/app/views/parts.py": "def late():\n    from app.store import save\n",
            "src/app/broken.py": "def (:\n",
            "tests/test_main.py": "from app.main import x\n",
        }
    )
    assert repo.with_tree(dependency_graph) == SuiteImports(
        internal={
            "app": (),
            "app.main": ("app.store", "app.views"),
            "app.store": ("app.main",),
            "app.views": ("app.store", "app.views.parts"),
            "app.views.parts": ("app.store",),
            "tests.test_main": ("app.main",),
        },
        external=(Declared("click", "", "pyproject.toml"),),
        cycles=(("app.main", "app.store", "app.views", "app.views.parts"),),
        skipped=("src/app/broken.py: line 1: invalid syntax",),
        files={
            "app": "src/app/__init__.py",
            "app.broken": "src/app/broken.py",
            "app.main": "src/app/main.py",
            "app.store": "src/app/store.py",
            "app.views": "src/app/views/__init__.py",
            "app.views.parts": "src/app/views/parts.py",
            "tests.test_main": "tests/test_main.py",
        },
    )


def test_module_names_follow_the_layout():
    paths = [
        "flat/__init__.py",
        "flat/inner/x.py",
        "libs/one/pkg/__init__.py",
        "libs/one/pkg/a.py",
        "libs/two/src/ns/b.py",
        "scripts/run.py",
        "top.py",
        "a/same/__init__.py",
        "b/same/__init__.py",
    ]
    assert module_files(paths) == {
        "a.same": "a/same/__init__.py",
        "b.same": "b/same/__init__.py",
        "flat": "flat/__init__.py",
        "flat.inner.x": "flat/inner/x.py",
        "pkg": "libs/one/pkg/__init__.py",
        "pkg.a": "libs/one/pkg/a.py",
        "ns.b": "libs/two/src/ns/b.py",
        "scripts.run": "scripts/run.py",
        "top": "top.py",
    }


def test_a_src_folder_that_is_itself_a_package_keeps_its_name():
    assert module_files(["src/__init__.py", "src/a.py"]) == {"src": "src/__init__.py", "src.a": "src/a.py"}


def test_a_package_in_a_plain_folder_can_be_imported_by_its_whole_path(repo):
    repo.commit({"ns/pkg/__init__.py": "", "ns/pkg/a.py": "", "use.py": "import ns.pkg.a\n"})
    graph = repo.with_tree(dependency_graph)
    assert graph.internal == {"pkg": (), "pkg.a": (), "use": ("pkg.a",)}


def test_relative_imports_above_the_top_lead_nowhere(repo):
    repo.commit({"p/__init__.py": "", "p/a.py": "from .... import b\nfrom . import b\n", "p/b.py": ""})
    assert repo.with_tree(dependency_graph).internal == {"p": (), "p.a": ("p.b",), "p.b": ()}


def test_files_that_cannot_be_parsed_are_named_with_the_reason(repo):
    repo.commit(
        {"deep.py": "(" * 5000, "binary.py": b"\0\1", "odd.py": "x = '\\d'\n", "bom.py": b"\xef\xbb\xbfimport odd\n"}
    )
    graph = repo.with_tree(dependency_graph)
    assert graph.internal == {"bom": ("odd",), "odd": ()}
    assert [problem.partition(":")[0] for problem in graph.skipped] == ["binary.py", "deep.py"]


def test_the_graph_is_computed_once_per_tree(repo):
    repo.commit({"a.py": ""})

    async def twice(tree):
        return await dependency_graph(tree) is await dependency_graph(tree)

    assert repo.with_tree(twice)


def test_circles_are_groups_that_reach_each_other():
    graph = {"a": ("b",), "b": ("c",), "c": ("a",), "d": ("a",), "e": ("f",), "f": ("e",), "g": ("missing",)}
    assert circles(graph) == (("a", "b", "c"), ("e", "f"))
    assert circles({"a": ("b",), "b": ("c",), "c": ()}) == ()


def test_a_chain_of_thousands_is_walked_without_recursion():
    chain = {str(number): (str(number + 1),) for number in range(20_000)} | {"20000": ("0",)}
    assert [len(circle) for circle in circles(chain)] == [20_001]
