"""no-circular-imports tells each import that closes a circle, with the way back."""

from looking import findings, told

NAME = "no-circular-imports"
SHOP = {f"shop/{name}.py": "" for name in ("__init__", "a", "b", "c")}


def shop(**texts):
    return SHOP | {f"shop/{name}.py": text for name, text in texts.items()}


def test_every_import_of_the_circle_is_told_with_the_shortest_way_back(tmp_path):
    files = shop(a="import shop.b\n", b="import os\nimport shop.c\n", c="from shop import a\n")
    assert told(tmp_path, NAME, files) == [
        ("shop/a.py", 1, "circular import: shop.a → shop.b → shop.c → shop.a"),
        ("shop/b.py", 2, "circular import: shop.b → shop.c → shop.a → shop.b"),
        ("shop/c.py", 1, "circular import: shop.c → shop.a → shop.b → shop.c"),
    ]


def test_an_import_for_type_checking_alone_closes_no_circle(tmp_path):
    quiet = "from typing import TYPE_CHECKING\n\nif TYPE_CHECKING:\n    import shop.a\n"
    assert told(tmp_path, NAME, shop(a="import shop.b\n", b=quiet)) == []


def test_an_import_inside_a_function_does(tmp_path):
    late = "def f():\n    import shop.a\n"
    assert [line for _, line, _ in told(tmp_path, NAME, shop(a="import shop.b\n", b=late))] == [1, 2]


def test_only_the_import_that_came_is_new_in_a_circle_that_was_always_there(tmp_path):
    old = shop(a="import shop.b\n", b="import shop.a\n")
    new = old | {"shop/b.py": "import shop.a\nimport shop.c\n", "shop/c.py": "import shop.a\n"}
    before = {each.id for each in findings(tmp_path / "old", NAME, old)}
    added = [each for each in findings(tmp_path / "new", NAME, new) if each.id not in before]
    assert [(each.path, each.line) for each in added] == [("shop/b.py", 2), ("shop/c.py", 1)]


def test_a_module_that_only_gathers_names_can_be_left_out(tmp_path):
    files = shop(__init__="from shop.a import x\n", a="import shop\n\nx = 1\n")
    assert len(told(tmp_path / "1", NAME, files)) == 2
    assert told(tmp_path / "2", NAME, files, options={"ignore": ["shop"]}) == []


def test_an_import_that_leads_from_one_circle_to_another_is_part_of_none(tmp_path):
    files = shop(a="import shop.b\n", b="import shop.a\nimport shop.c\n", c="import shop.d\n", d="import shop.c\n")
    assert [(path, line) for path, line, _ in told(tmp_path, NAME, files)] == [
        ("shop/a.py", 1),
        ("shop/b.py", 1),
        ("shop/c.py", 1),
        ("shop/d.py", 1),
    ]


def test_a_package_that_imports_a_name_of_its_own_is_no_circle(tmp_path):
    assert (
        told(tmp_path, NAME, shop(__init__="try:\n    from . import fast\nexcept ImportError:\n    fast = None\n"))
        == []
    )
