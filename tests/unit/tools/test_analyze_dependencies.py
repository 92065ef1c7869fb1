"""analyze_dependencies shows the whole graph or the neighbours of one module."""

from thoughtforge.code.tool_context import ToolResult
from thoughtforge.tools import analyze_dependencies

FILES = {
    "requirements.txt": "flask>=3\n",
    "app/__init__.py": "",
    "app/a.py": "from app import b\n",
    "app/b.py": "from app import a, c\n",
    "app/c.py": "",
    "app/bad.py": "def\n",
}


def test_the_whole_graph_is_shown(use):
    assert use(analyze_dependencies, {}, FILES) == ToolResult(
        True,
        "4 modules, 3 imports between them, 1 cycles, 1 declared packages",
        """4 modules, 3 imports between them, 1 cycles, 1 declared packages
Imports:
  app.a → app.b
  app.b → app.a, app.c
Circles:
  app.a ⇄ app.b
Declared packages:
  flask >=3 (requirements.txt)
Left out:
  app/bad.py: line 1: invalid syntax""",
    )


def test_one_module_is_shown_with_everything_a_change_can_reach(use):
    by_name = use(analyze_dependencies, {"module": "app.c"}, FILES)
    by_file = use(analyze_dependencies, {"module": "app/c.py"}, FILES | {"x": ""})
    assert by_name == by_file
    assert by_name == ToolResult(
        True,
        "app.c imports 0 modules and is imported by 1",
        """app.c (app/c.py)
Imports:
  none
Imported by:
  app.b
A change can reach:
  app.a
  app.b
Circles:
  none""",
    )


def test_an_unknown_module_is_an_error_that_names_near_ones(use):
    said = "there is no module app.d; near it: app.bad, app.c, app.b"
    assert use(analyze_dependencies, {"module": "app.d"}, FILES) == ToolResult(False, said, said)


def test_a_module_that_could_not_be_parsed_says_so(use):
    said = "app/bad.py: line 1: invalid syntax"
    assert use(analyze_dependencies, {"module": "app.bad"}, FILES) == ToolResult(False, said, said)
