"""What JavaScript's tools obey: comments that silence them, files and keys that configure them."""

from __future__ import annotations

import json
import re
from typing import Any

from thoughtforge.suites.language import Tools

FILES = (
    *(
        r"\.eslintrc.*",
        r"eslint\.config\..*",
        r"\.eslintignore",
        r"biome\.jsonc?",
        r"\.prettierrc.*",
        r"\.oxlintrc\.json",
    ),
    *(r"[tj]sconfig.*\.json", r"jest\.config\..*", r"vitest\.(?:config|workspace)\..*", r"vite\.config\..*"),
    *(r"\.mocharc.*", r"\.nycrc.*", r"babel\.config\..*", r"\.babelrc.*", r"\.npmrc"),
)
PACKAGE_KEYS = ("ava", "babel", "c8", "eslintConfig", "jest", "mocha", "nyc", "prettier", "stylelint", "vitest", "xo")


def in_package(text: str) -> dict[str, Any]:
    """The keys of package.json that configure tools, and the scripts that test and lint."""
    read = json.loads(text or "{}")
    if not isinstance(read, dict):
        return {"(unreadable)": text}
    scripts = read.get("scripts", {})
    tests = {f"scripts.{key}": value for key, value in scripts.items() if re.match(r"(?:pre|post)?(?:test|lint)", key)}
    return tests | {key: read[key] for key in PACKAGE_KEYS if key in read}


TOOLS = Tools(
    silencing={
        "eslint-disable": r"eslint-disable|(?:biome|oxlint|tslint|jshint|stylelint)[- :]*(?:ignore|disable)",
        "ts-ignore": r"@ts-(?:ignore|nocheck|expect-error)",
        "no coverage": r"(?:istanbul|v8|c8)\s+ignore|coverage:\s*ignore",
    },
    files=FILES,
    settings={"package.json": in_package},
)
