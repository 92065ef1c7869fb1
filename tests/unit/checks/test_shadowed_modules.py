"""shadowed-modules finds new files that would be imported instead of the language's or the test tools' own."""

import pytest

from looking import told

NAME = "shadowed-modules"
BASE = {"src/shop/__init__.py": "", "tests/test_shop.py": "", "conftest.py": ""}


@pytest.mark.parametrize(
    "path",
    [
        "json.py",
        "pytest.py",
        "_pytest/__init__.py",
        "src/pluggy.py",
        "tests/random.py",
        "tests/coverage/__init__.py",
        "typing.pyi",
        "unittest/case.py",
        "math.so",
    ],
)
def test_a_new_file_with_a_taken_name_where_imports_begin_is_told(path, tmp_path):
    (found,) = told(tmp_path, NAME, {**BASE, path: "x = 1\n"}, base=BASE)
    assert (found[0], found[1]) == (path, 1)
    assert "would be imported instead of" in found[2]


@pytest.mark.parametrize(
    "path", ["src/shop/json.py", "shop_json.py", "tests/test_json.py", "docs/json.md", "test/a.py"]
)
def test_a_name_that_takes_nothing_is_fine(path, tmp_path):
    assert told(tmp_path, NAME, {**BASE, path: "x = 1\n"}, base=BASE) == []


def test_a_new_stub_beside_a_module_is_told(tmp_path):
    base = {**BASE, "src/shop/price.py": "x = 1\n"}
    now = {**base, "src/shop/price.pyi": "x: str\n", "src/shop/native.pyi": "x: str\n"}
    assert told(tmp_path, NAME, now, base=base) == [
        ("src/shop/price.pyi", 1, "type checkers would read src/shop/price.pyi instead of src/shop/price.py")
    ]


def test_what_the_base_commit_has_already_is_fine(tmp_path):
    base = {**BASE, "types.py": "", "calendar/__init__.py": ""}
    now = {**base, "types.py": "x = 1\n", "calendar/more.py": "x = 1\n"}
    assert told(tmp_path, NAME, now, base=base) == []


def test_names_the_project_has_to_use_are_fine(tmp_path):
    assert told(tmp_path, NAME, {**BASE, "mock.py": ""}, base=BASE, options={"allowed": ["mock"]}) == []
