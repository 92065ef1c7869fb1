"""input-validation finds every door through which text becomes code."""

import pytest

from looking import findings, told

NAME = "input-validation"
DOORS = {
    "S102": "exec(x)\n",
    "S301": "import pickle\n\npickle.loads(x)\n",
    "S302": "import marshal\n\nmarshal.loads(x)\n",
    "S307": "eval(x)\n",
    "S506": "import yaml\n\nyaml.load(x)\n",
    "S602": "import subprocess\n\nsubprocess.run(x, shell=True)\n",
    "S604": "f(x, shell=True)\n",
    "S605": "import os\n\nos.system(x)\n",
    "S612": "import logging.config\n\nlogging.config.listen()\n",
}


@pytest.mark.parametrize("rule", DOORS)
def test_each_door_is_told_with_a_hint_of_its_own(rule, tmp_path):
    found = findings(tmp_path, NAME, {"a.py": DOORS[rule]})
    assert [each.rule for each in found] == [rule]
    assert found[0].hint


def test_safe_ways_are_fine(tmp_path):
    text = (
        "import ast\nimport json\nimport subprocess\n\nast.literal_eval(x)\njson.loads(x)\nsubprocess.run(['ls', x])\n"
    )
    assert told(tmp_path, NAME, {"a.py": text}) == []


def test_a_place_where_it_is_meant_can_be_named(tmp_path):
    assert told(tmp_path, NAME, {"plugins/load.py": "exec(x)\n"}, options={"allowed": ["plugins/**"]}) == []
