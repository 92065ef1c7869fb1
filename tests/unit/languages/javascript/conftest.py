"""What the tests of runners need from a registry, fetched once and kept by pytest."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

WANTED = ("vitest@4", "jest@30")


@pytest.fixture(scope="session")
def node_modules(request: pytest.FixtureRequest) -> Path:
    """A folder with the JavaScript runners; without node or a registry the test is skipped, and says so."""
    npm = shutil.which("npm")
    if npm is None or shutil.which("node", path="/usr/local/bin:/usr/bin:/bin") is None:
        pytest.skip("node is not installed for everyone")
    folder = request.config.cache.mkdir("javascript-" + "-".join(WANTED).replace("@", "-"))
    if not (folder / "complete").exists():
        argv = [npm, "install", "--no-audit", "--no-fund", "--ignore-scripts", "--prefix", str(folder), *WANTED]
        ended = subprocess.run(argv, cwd=folder, capture_output=True, text=True, timeout=300, check=False)
        if ended.returncode:
            pytest.skip(f"no registry: {ended.stderr.strip().splitlines()[-1]}")
        (folder / "complete").touch()
    return folder.resolve() / "node_modules"
