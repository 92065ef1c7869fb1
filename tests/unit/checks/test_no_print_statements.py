"""no-print-statements lets scripts and command lines print."""

from looking import told

NAME = "no-print-statements"
PRINTS = "from pprint import pprint\n\nprint(1)\npprint(2)\n"


def test_library_code_does_not_print(tmp_path):
    assert told(tmp_path, NAME, {"shop/stock.py": PRINTS}) == [
        ("shop/stock.py", 3, "print in library code"),
        ("shop/stock.py", 4, "print in library code"),
    ]


def test_scripts_and_command_lines_do(tmp_path):
    paths = ("scripts/x.py", "shop/cli/show.py", "shop/cli.py", "shop/__main__.py", "setup.py")
    assert told(tmp_path, NAME, dict.fromkeys(paths, PRINTS)) == []


def test_a_project_may_name_other_places(tmp_path):
    files = {"shop/screen.py": PRINTS, "scripts/x.py": "print(1)\n"}
    assert [path for path, _, _ in told(tmp_path, NAME, files, options={"allowed": ["shop/screen.py"]})] == [
        "scripts/x.py"
    ]
