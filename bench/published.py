"""Somebody else's project as it was published, committed: about 52,000 lines of Python, its tests among them."""

from __future__ import annotations

import subprocess
import sys
import tarfile
from pathlib import Path

SOURCE = "prompt_toolkit==3.0.53"
"""Taken from the package registry as source."""


def published(place: Path) -> Path:
    """The folder of a repository with one commit."""
    download = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"]
    subprocess.run([*download, "--no-binary", ":all:", "--dest", str(place), SOURCE], check=True)
    (archive,) = place.glob("*.tar.gz")
    with tarfile.open(archive) as packed:
        packed.extractall(place / "source", filter="data")
    (repository,) = (place / "source").iterdir()
    person = ("-c", "user.name=Bench", "-c", "user.email=bench@example.org", "-c", "commit.gpgSign=false")
    for args in (("init", "-q", "-b", "main"), ("add", "--all"), (*person, "commit", "-q", "-m", "As published")):
        subprocess.run(["git", *args], cwd=repository, check=True)
    return repository
