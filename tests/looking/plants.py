"""For every check one violation, planted in files that are otherwise clean."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

BLOCK = "".join(f"    value = value * {number} + {number}\n" for number in range(2, 11))
SHOP = {"shop/__init__.py": "", "shop/orders/__init__.py": "", "shop/stock/__init__.py": "", "shop/stock/inner.py": ""}


class Plant(NamedTuple):
    """Files with one violation, and the same files without it."""

    path: str
    """The file the violation is in."""
    wrong: str
    right: str
    base: Mapping[str, str] = {}
    """What the base commit has."""
    options: Mapping[str, Any] = {}
    lost: bool = False
    """Whether the file with the violation is new by its mere presence, so that the clean twin has none of it."""

    def files(self, text: str) -> dict[str, str]:
        """All files, with this text where the violation is."""
        return {**self.base, **({} if self.lost and text == self.right else {self.path: text})}


PLANTS: dict[str, Plant] = {
    "auth-required": Plant(
        "api.py",
        "@app.get('/x')\ndef show():\n    return 1\n",
        "@app.get('/x')\n@login_required\ndef show():\n    return 1\n",
        options={"decorators": ["login_required"]},
    ),
    "bounded-contexts": Plant(
        "shop/orders/main.py",
        "import shop.stock.inner\n",
        "import shop.orders\n",
        SHOP,
        options={"contexts": {"orders": "shop.orders", "stock": "shop.stock"}},
    ),
    "command-query-separation": Plant(
        "a.py",
        "class A:\n    def both(self):\n        self.x = 1\n        return 2\n",
        "class A:\n    def one(self):\n        self.x = 1\n\n    def other(self):\n        return 2\n",
    ),
    "dependency-injection": Plant(
        "a.py", "def f():\n    return MailService()\n", "def f(mail: MailService):\n    return mail\n"
    ),
    "documentation-required": Plant("a.py", "def f():\n    return 1\n", 'def f():\n    """One."""\n    return 1\n'),
    "error-handling": Plant(
        "a.py",
        "try:\n    f()\nexcept Exception:\n    pass\n",
        "try:\n    f()\nexcept KeyError:\n    g()\n",
    ),
    "escape-sequences": Plant("a.py", "x = '\\d+'\n", "x = r'\\d+'\n"),
    "import-order": Plant("a.py", "import sys\nimport os\n", "import os\nimport sys\n"),
    "input-validation": Plant("a.py", "def f(x):\n    return eval(x)\n", "def f(x):\n    return int(x)\n"),
    "interface-segregation": Plant(
        "shop/orders/main.py",
        "import shop.stock.inner\n",
        "import shop.stock\n",
        SHOP,
        options={"public": {"shop.stock": ["shop.stock"]}},
    ),
    "layer-dependencies": Plant(
        "shop/stock/main.py",
        "import shop.orders\n",
        "import shop.stock.inner\n",
        SHOP,
        options={"layers": ["orders", "stock"], "within": "shop"},
    ),
    "line-length": Plant("a.py", f"x = '{'y y ' * 30}'\n", "x = 'y'\n"),
    "max-complexity": Plant(
        "a.py",
        "def f(x):\n" + "".join(f"    if x == {number}:\n        return {number}\n" for number in range(11)),
        "def f(x):\n    return x\n",
    ),
    "max-file-length": Plant("a.py", "x = 1\n" * 501, "x = 1\n" * 50),
    "max-function-length": Plant("a.py", "def f():\n" + "    x()\n" * 60, "def f():\n" + "    x()\n" * 50),
    "naming-conventions": Plant("a.py", "class thing:\n    pass\n", "class Thing:\n    pass\n"),
    "new-suppressions": Plant("a.py", "import os  # noqa\n", "import os\n", base={"b.py": "import os  # noqa\n"}),
    "no-circular-imports": Plant(
        "shop/stock/main.py",
        "import shop.orders\n",
        "import os\n",
        {**SHOP, "shop/orders/__init__.py": "import shop.stock.main"},
    ),
    "no-duplicate-code": Plant(
        "a.py", f"def f(value):\n{BLOCK}", "def f(value):\n    return value\n", {"b.py": f"def g(value):\n{BLOCK}"}
    ),
    "no-print-statements": Plant("a.py", "print('x')\n", "log('x')\n"),
    "no-secrets-in-code": Plant("a.py", "key = 'AKIAIOSFODNN7EXAMPLZ'\n", "key = load('key')\n"),
    "repository-pattern": Plant("a.py", "db.execute('SELECT 1')\n", "repository.one()\n"),
    "shadowed-modules": Plant("json.py", "x = 1\n", "", base={"shop.py": ""}, lost=True),
    "sql-injection": Plant(
        "a.py", "db.execute(f'SELECT * FROM t WHERE id = {x}')\n", "db.execute('SELECT * FROM t WHERE id = ?', (x,))\n"
    ),
    "syntax": Plant("a.py", "def f(:\n", "def f():\n    pass\n"),
    "tool-configuration": Plant(
        "shop/ruff.toml", "lint.select = []\n", "", base={"pyproject.toml": "[project]\nname = 'shop'\n"}, lost=True
    ),
    "types": Plant("a.py", "x: int = 'one'\n", "x: int = 1\n"),
}
"""A new check needs one."""
