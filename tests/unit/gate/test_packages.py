"""Own packages are found from paths, in every layout people use."""

from thoughtforge.gate.mirror import Package, oldest_python, packages, roots


def test_packages_are_found_at_the_top_below_src_and_inside_folders() -> None:
    paths = ["shop/__init__.py", "shop/inner/__init__.py", "src/tools/a.py", "libs/x/core/__init__.py", "setup.py"]
    assert packages(paths) == (
        Package("core", "libs/x/core"),
        Package("shop", "shop"),
        Package("tools", "src/tools"),
    )
    assert roots(paths) == (".", "libs/x", "src")


def test_of_two_packages_of_one_name_the_shallower_counts() -> None:
    paths = ["examples/one/shop/__init__.py", "shop/__init__.py"]
    assert packages(paths) == (Package("shop", "shop"),)


def test_a_folder_named_src_that_is_a_package_is_one() -> None:
    assert packages(["src/__init__.py", "src/inner/__init__.py"]) == (Package("src", "src"),)


def test_a_repository_without_packages_has_its_root() -> None:
    assert (packages(["script.py", "doc/conf.py"]), roots(["script.py"])) == ((), (".",))


def test_the_oldest_python_is_what_the_project_says_within_what_tools_know() -> None:
    said = [oldest_python(f'requires-python = "{text}"') for text in (">=3.11", ">= 3.6,<4", ">=3.99", "~=3.9")]
    assert said == ["3.11", "3.8", "3.14", ""]
