"""How Rust crates declare and fetch what they need: Cargo.toml and cargo's home."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any

from thoughtforge.testing.imports import table_in, versions_in
from thoughtforge.testing.install import FOLDER, InstallPlan, InstallStep, ToInstall
from thoughtforge.testing.language import Dependencies, PlainNeeds, Requirement


def in_crate(text: str) -> Iterator[Requirement]:
    """The dependencies of the crate, of its workspace and of each target."""
    for table in _tables(tomllib.loads(text)):
        yield from versions_in(table)


def _tables(data: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    for place in (data, table_in(data, "workspace"), *table_in(data, "target").values()):
        for kind in ("dependencies", "dev-dependencies", "build-dependencies"):
            yield table_in(place, kind)


PLAIN = {"version", "features", "optional", "default-features", "package", "workspace"}
CRATES = "registry+https://github.com/rust-lang/crates.io-index"


def plain(paths: Collection[str], read: Callable[[str], str]) -> PlainNeeds:
    """The crates of Cargo.toml, and everything there and in the lock that names another place than the usual one."""
    try:
        data, lock = (tomllib.loads(read(name)) if name in paths else {} for name in ("Cargo.toml", "Cargo.lock"))
    except tomllib.TOMLDecodeError as error:
        return PlainNeeds(refused=(f"Cargo.toml or Cargo.lock cannot be read: {error}",))
    found = [(name, value) for table in _tables(data) for name, value in table.items()]
    refused = [
        f"Cargo.toml: {name}" for name, value in found if isinstance(value, Mapping) and not value.keys() <= PLAIN
    ]
    refused += [f"Cargo.toml: {key}" for key in ("patch", "replace", "cargo-features") if key in data]
    packages = lock.get("package", []) if isinstance(lock.get("package", []), list) else []
    refused += [f"Cargo.lock: {each.get('name')}" for each in packages if each.get("source", CRATES) != CRATES]
    names = [str(value.get("package", name)) if isinstance(value, Mapping) else name for name, value in found]
    return PlainNeeds(tuple(names), tuple(f"{line}: only names and versions of crates are fetched" for line in refused))


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
    plain=plain,
    locks=("Cargo.lock",),
    variables=(r"(CARGO_REGISTRIES|CARGO_NET|CARGO_HTTP)_\w+",),
)
