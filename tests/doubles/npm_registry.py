"""A registry of npm packages on loopback: what `make` fetched, packed again when it is asked for."""

from __future__ import annotations

import base64
import hashlib
import io
import json
import tarfile
from functools import cache
from pathlib import Path
from typing import Any

from doubles.server import Asked, Said


class NpmRegistry:
    """Every package below a node_modules folder, at the version that lies there; the rest is 404."""

    def __init__(self, modules: Path) -> None:
        self.found: dict[str, dict[str, Path]] = {}
        for place in sorted(modules.rglob("package.json")):
            above = place.parent.parent
            folder = above.parent if above.name.startswith("@") else above
            if folder.name == "node_modules":
                data = json.loads(place.read_text())
                if "name" in data and "version" in data:
                    self.found.setdefault(data["name"], {})[data["version"]] = place.parent

    def __call__(self, asked: Asked) -> Said:
        name, _, file = asked.path.strip("/").partition("/-/")
        versions = self.found.get(name)
        if versions is None:
            return Said(404, {"error": "Not found"})
        if file:
            return Said(200, packed(versions[file.removesuffix(".tgz")]))
        host = f"http://{asked.headers['host']}"
        told = {version: self._told(host, name, folder) for version, folder in versions.items()}
        return Said(200, {"name": name, "dist-tags": {"latest": max(versions)}, "versions": told})

    def _told(self, host: str, name: str, folder: Path) -> dict[str, Any]:
        data: dict[str, Any] = json.loads((folder / "package.json").read_text())
        digest = base64.b64encode(hashlib.sha512(packed(folder)).digest()).decode()
        dist = {"tarball": f"{host}/{name}/-/{data['version']}.tgz", "integrity": f"sha512-{digest}"}
        # what is built for other machines was not fetched and is not there
        optional = {n: v for n, v in data.get("optionalDependencies", {}).items() if n in self.found}
        more = {"optionalDependencies": optional, "scripts": {}, "devDependencies": {}}
        return {**data, **more, "dist": dist}


@cache
def packed(folder: Path) -> bytes:
    """The folder as npm packs one, always the same bytes."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz", compresslevel=1) as archive:
        for path in sorted(folder.rglob("*")):
            inside = path.relative_to(folder)
            if path.is_file() and inside.parts[0] != "node_modules":
                archive.add(path, f"package/{inside}", filter=_plain)
    data = bytearray(out.getvalue())
    data[4:8] = bytes(4)  # the time of packing
    return bytes(data)


def _plain(entry: tarfile.TarInfo) -> tarfile.TarInfo:
    entry.mtime, entry.uid, entry.gid, entry.uname, entry.gname = 0, 0, 0, "", ""
    return entry
