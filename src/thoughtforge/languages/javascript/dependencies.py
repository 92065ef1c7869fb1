"""How JavaScript projects declare and install what they need: package.json and npm."""

from __future__ import annotations

import json
from collections.abc import Iterator

from thoughtforge.suites.declared import table_in, versions_in
from thoughtforge.suites.install import FOLDER, InstallPlan, InstallStep, ToInstall
from thoughtforge.suites.language import Dependencies, Requirement

LOCKS = ("package-lock.json", "npm-shrinkwrap.json")
"""Locks npm installs from."""
FILES = ("package.json", *LOCKS, ".npmrc")
KINDS = ("dependencies", "devDependencies", "optionalDependencies", "peerDependencies")


def in_package(text: str) -> Iterator[Requirement]:
    """Every kind of dependency that package.json knows."""
    data = json.loads(text)
    for kind in KINDS:
        yield from versions_in(table_in(data, kind))


def install(asked: ToInstall) -> InstallPlan | None:
    """What the lock names, by npm; without a lock nothing."""
    if not any(lock in asked.paths for lock in LOCKS):
        return None
    files = {f"node/{name}": asked.read(name) for name in FILES if name in asked.paths}
    # Scripts of packages would run with the network open; what needs them asks for a command of its own.
    argv = ("npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--prefix", f"{FOLDER}/node")
    step = InstallStep(argv, env={"npm_config_cache": f"{FOLDER}/.tmp/npm"}, starts=("node",))
    return InstallPlan(
        (step,),
        files,
        links={"node_modules": "node/node_modules"},
        programs=("npm",),
        bins=("node/node_modules/.bin",),
    )


DEPENDENCIES = Dependencies(
    declares={"package.json": in_package},
    install=install,
    locks=(*LOCKS, "yarn.lock", "pnpm-lock.yaml"),
    variables=(r"NPM_CONFIG_\w+", "NODE_EXTRA_CA_CERTS"),
)
