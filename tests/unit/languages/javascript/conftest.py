"""What the tests of runners need from a registry; `make` fetches it once."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[4] / ".make" / "javascript"


@pytest.fixture(scope="session")
def node_modules() -> Path:
    """A folder with the JavaScript runners; without node or a registry the test is skipped, and says so."""
    if shutil.which("npm") is None or shutil.which("node", path="/usr/local/bin:/usr/bin:/bin") is None:
        pytest.skip("node is not installed for everyone")
    if not (FOLDER / "complete").exists():
        if os.environ.get("CI"):
            pytest.fail(f"{FOLDER} is missing although npm is here: make .make/javascript/complete")
        pytest.skip("jest and vitest are not installed: make .make/javascript/complete (needs a registry)")
    return FOLDER / "node_modules"
