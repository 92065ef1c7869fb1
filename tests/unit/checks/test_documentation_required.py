"""documentation-required names each public thing without a docstring."""

from looking import findings, told

NAME = "documentation-required"
FILES = {
    "pkg/__init__.py": "x = 1\n",
    "pkg/empty/__init__.py": "\n",
    "pkg/a.py": "class Shop:\n    def open(self):\n        pass\n\n\nasync def sell():\n    pass\n",
}


def test_classes_methods_and_functions_are_told_by_name(tmp_path):
    assert told(tmp_path, NAME, FILES) == [
        ("pkg/a.py", 1, "the class Shop has no docstring"),
        ("pkg/a.py", 2, "the method open has no docstring"),
        ("pkg/a.py", 6, "the function sell has no docstring"),
    ]


def test_modules_and_packages_only_when_asked(tmp_path):
    found = told(tmp_path, NAME, FILES, options={"modules": True})
    assert ("pkg/a.py", 1, "the module has no docstring") in found
    assert ("pkg/__init__.py", 1, "the package has no docstring") in found
    assert [path for path, _, _ in found if "empty" in path] == []


def test_what_is_explained_elsewhere_needs_none(tmp_path):
    options = {"allowed": ["op*", "sell"], "exclude": ["pkg/b.py"]}
    files = {**FILES, "pkg/b.py": "def buy():\n    pass\n"}
    assert told(tmp_path, NAME, files, options=options) == [("pkg/a.py", 1, "the class Shop has no docstring")]


def test_private_things_need_none(tmp_path):
    assert told(tmp_path, NAME, {"a.py": "def _f():\n    pass\n\n\nclass _A:\n    pass\n"}) == []


def test_another_signature_does_not_make_an_old_gap_a_new_one(tmp_path):
    first = findings(tmp_path / "1", NAME, {"a.py": "def f(x):\n    pass\n"})
    second = findings(tmp_path / "2", NAME, {"a.py": "def f(x, y):\n    pass\n"})
    assert [each.id for each in first] == [each.id for each in second]
