"""How Go modules declare and fetch what they need: go.mod and the module cache."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator

from thoughtforge.testing.install import FOLDER, InstallPlan, InstallStep, ToInstall
from thoughtforge.testing.language import Dependencies, PlainNeeds, Requirement


def in_module(text: str) -> Iterator[Requirement]:
    """Both spellings: `require a v1` and a block in brackets."""
    inside = False
    for raw in text.splitlines():
        words = raw.partition("//")[0].split()
        if inside and words[:1] == [")"]:
            inside = False
        elif inside and len(words) >= 2:
            yield words[0], words[1]
        elif words[:1] == ["require"]:
            inside = words[1:2] == ["("]
            if len(words) >= 3:
                yield words[1], words[2]


def install(asked: ToInstall) -> InstallPlan | None:
    """The modules that go.mod names, into a cache of the environment's own."""
    if "go.mod" not in asked.paths:
        return None
    files = {f"go/{name}": asked.read(name) for name in ("go.mod", "go.sum") if name in asked.paths}
    env = {"GOMODCACHE": f"{FOLDER}/go/modules", "GOPATH": f"{FOLDER}/go/path", "GOFLAGS": "-modcacherw"}
    step = InstallStep(("go", "mod", "download", "-C", f"{FOLDER}/go"), env=env)
    return InstallPlan((step,), files, programs=("go",))


def plain(paths: Collection[str], read: Callable[[str], str]) -> PlainNeeds:
    """The modules that go.mod requires; lines that put another place or tool chain in their stead are refused."""
    text = read("go.mod") if "go.mod" in paths else ""
    words = [raw.partition("//")[0].split() for raw in text.splitlines()]
    refused = [" ".join(line) for line in words if line[:1] in (["replace"], ["toolchain"], ["tool"]) or "=>" in line]
    told = tuple(f"go.mod: {line}: only names and versions of modules are fetched" for line in refused)
    return PlainNeeds(tuple(name for name, _ in in_module(text)), told)


DEPENDENCIES = Dependencies(
    declares={"go.mod": in_module},
    install=install,
    plain=plain,
    locks=("go.sum",),
    variables=(r"GO(PROXY|SUMDB|NOSUMDB|PRIVATE|NOPROXY)",),
)
