"""How Rust crates declare and fetch what they need: Cargo.toml and cargo's home."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator

from thoughtforge.testing.imports import table_in, versions_in
from thoughtforge.testing.install import FOLDER, InstallPlan, InstallStep, ToInstall
from thoughtforge.testing.language import Dependencies, Requirement


def in_crate(text: str) -> Iterator[Requirement]:
    """The dependencies of the crate, of its workspace and of each target."""
    data = tomllib.loads(text)
    places = [data, table_in(data, "workspace"), *table_in(data, "target").values()]
    for place in places:
        for kind in ("dependencies", "dev-dependencies", "build-dependencies"):
            yield from versions_in(table_in(place, kind))


def install(asked: ToInstall) -> InstallPlan | None:
    """The crates that Cargo.toml names, into a home of the environment's own."""
    if "Cargo.toml" not in asked.paths:
        return None
    files = {f"cargo/{name}": asked.read(name) for name in ("Cargo.toml", "Cargo.lock") if name in asked.paths}
    # cargo wants the crate whose dependencies it fetches to have a source
    files |= {"cargo/src/lib.rs": "", "cargo/src/main.rs": "fn main() {}\n"}
    argv = ("cargo", "fetch", "--manifest-path", f"{FOLDER}/cargo/Cargo.toml")
    step = InstallStep(argv, env={"CARGO_HOME": f"{FOLDER}/cargo/home"})
    return InstallPlan((step,), files, programs=("cargo",))


DEPENDENCIES = Dependencies(
    declares={"Cargo.toml": in_crate},
    install=install,
    locks=("Cargo.lock",),
    variables=(r"(CARGO_REGISTRIES|CARGO_NET|CARGO_HTTP)_\w+",),
)
