"""The modules a task is to make, by the words that announce them: they are the project's own before they exist."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable

FILE = re.compile(r"(?<![\w./-])((?:[\w-]+/)*\w+)\.py\b")
COMMAND = re.compile(r"\bpython3? -m (\w+)")
TARGET = re.compile(r"([A-Za-z_]\w*)(?:\.\w+)*:[A-Za-z_]\w*")
FOLDERS = ("src", "lib", "tests", "test", "docs", "resources")
"""Folders that hold modules and are none."""
RUNNERS = ("pytest", "unittest", "pip", "venv", "build")
"""What `python -m` runs besides."""


def announced(*, texts: Iterable[str] = (), targets: Iterable[str] = ()) -> frozenset[str]:
    """The top-level names in what is said of files and commands, and in targets such as `shop.prices:total`."""
    found = {match[1] for each in targets if (match := TARGET.match(each.strip()))}
    for text in texts:
        for path in FILE.findall(text):
            found.update([part for part in path.split("/") if part not in FOLDERS][:1])
        found.update(COMMAND.findall(text))
    known = {*RUNNERS, *sys.stdlib_module_names}
    return frozenset(name for name in found if name.isidentifier() and name not in known)
