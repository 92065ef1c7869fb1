"""import-order wants groups, each sorted, and knows the project's own packages."""

from looking import findings, told

NAME = "import-order"
WRONG = [("a.py", 1, "these imports are not grouped and sorted")]


def test_unsorted_imports_are_told_once(tmp_path):
    assert told(tmp_path, NAME, {"a.py": "import sys\nimport os\nimport ast\n"}) == WRONG


def test_the_projects_own_packages_come_last(tmp_path):
    own = {"shop/__init__.py": "", "a.py": "import shop\nimport yaml\n"}
    assert told(tmp_path, NAME, own) == WRONG


def test_a_package_that_is_not_here_can_be_named_as_own(tmp_path):
    files = {"a.py": "import yaml\n\nimport aaa\n"}
    assert told(tmp_path / "1", NAME, files) == WRONG
    assert told(tmp_path / "2", NAME, files, options={"own": ["aaa"]}) == []


def test_another_import_in_an_unsorted_block_is_the_same_finding(tmp_path):
    first = findings(tmp_path / "1", NAME, {"a.py": "import sys\nimport os\n"})
    second = findings(tmp_path / "2", NAME, {"a.py": "import ast\nimport sys\nimport os\n"})
    assert [each.id for each in first] == [each.id for each in second]
