"""command-query-separation finds methods that change something and answer something."""

import pytest

from looking import told

NAME = "command-query-separation"


def method(body: str, *, name: str = "act", head: str = "") -> dict[str, str]:
    lines = "".join(f"        {line}\n" for line in body.split("\n"))
    return {"a.py": f"class A:\n    {head}def {name}(self, x):\n{lines}"}


@pytest.mark.parametrize(
    "body",
    [
        "self.x = 1\nreturn x",
        "self.x += 1\nreturn x",
        "self.items[0] = x\nreturn x",
        "self.items.append(x)\nreturn x",
        "del self.x\nreturn x",
        "a, self.x = 1, 2\nreturn a",
        "if x:\n    self.x = 1\nreturn x",
        "global count\ncount = x\nreturn x",
        "self.x: int = 1\nreturn x",
    ],
)
def test_doing_both_is_told_once(body, tmp_path):
    (found,) = told(tmp_path, NAME, method(body))
    assert found[:2] == ("a.py", 2)
    assert found[2].startswith("A.act changes ")


@pytest.mark.parametrize(
    "body",
    [
        "self.x = 1",
        "return self.x",
        "self.x = 1\nreturn self",
        "self.x = 1\nreturn None",
        "y = []\ny.append(x)\nreturn y",
        "self._known = x\nreturn x",
        "def inner():\n    self.x = 1\nreturn inner",
    ],
)
def test_doing_one_of_them_is_fine(body, tmp_path):
    assert told(tmp_path, NAME, method(body)) == []


def test_known_exceptions_are_fine_and_private_attributes_count_when_asked(tmp_path):
    assert told(tmp_path / "1", NAME, method("self.x = 1\nreturn x", name="pop_one")) == []
    assert told(tmp_path / "2", NAME, method("self.x = 1\nreturn x", name="__next__")) == []
    private = method("self._known = x\nreturn x")
    assert len(told(tmp_path / "3", NAME, private, options={"private": True})) == 1
