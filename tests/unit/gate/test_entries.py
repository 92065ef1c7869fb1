"""Which files are command lines that may print."""

from __future__ import annotations

from thoughtforge.gate.entries import entry_lines

MODULE = """import sys


def table(rows):
    print(rows)


def main():
    table([])


def helper():
    print("x")


if __name__ == "__main__":
    sys.exit(main())
"""


def test_a_command_line_is_its_block_and_what_it_calls() -> None:
    lines = MODULE.splitlines()
    assert {lines[number - 1].strip() for number in entry_lines(MODULE)} == {
        *("def table(rows):", "print(rows)", "def main():", "table([])"),
        *('if __name__ == "__main__":', "sys.exit(main())"),
    }


def test_a_library_has_none() -> None:
    assert entry_lines(MODULE.partition("if __name__")[0]) == frozenset()
    assert entry_lines("def broken(:") == frozenset()
