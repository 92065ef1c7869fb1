"""Python code whose functions only fail: it is imported as before, and no test takes its error for one it expects."""

from __future__ import annotations

import pytest

from thoughtforge.languages.python.proofs import idle, stubbed

CODE = '''"""Doc."""
from __future__ import annotations

SIZE = 3


class Shelf:
    def __len__(self) -> int:
        return SIZE


def numbers():
    yield SIZE


async def later():
    return 1


async def more():
    yield 1


class Book:
    def __init__(self):
        self.pages = 1
'''


def test_a_stubbed_module_is_imported_and_every_call_fails() -> None:
    names: dict[str, object] = {}
    exec(compile(stubbed(CODE, "gone"), "code.py", "exec"), names)
    assert names["SIZE"] == 3
    for call in ("len(Shelf())", "next(numbers())", "later().send(None)"):
        with pytest.raises(BaseException, match="gone") as failed:
            eval(call, names)
        assert not isinstance(failed.value, Exception)


def test_what_is_no_python_cannot_be_stubbed() -> None:
    assert stubbed("def broken(:", "gone") == ""
    assert idle("def broken(:") == ()


def test_idle_functions_return_a_value_and_do_nothing() -> None:
    found = []
    for text in idle(CODE + "\n\ndef plain():\n    raise OSError\n"):
        names: dict[str, object] = {}
        exec(compile(text, "code.py", "exec"), names)
        assert eval("list(numbers())", names) == []
        eval("(Book(), more())", names)
        found.append(eval("plain()", names))
    assert (found[0], type(found[1])) == (None, object)
