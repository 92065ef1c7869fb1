"""How Ruby projects declare and install what they need: Gemfile, gemspec and bundler."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator

from thoughtforge.testing.install import FOLDER, InstallPlan, InstallStep, ToInstall
from thoughtforge.testing.language import Dependencies, PlainNeeds, Requirement

GEM = re.compile(r"^\s*gem\s*\(?\s*[\"']([\w.-]+)[\"']((?:\s*,\s*[\"'][^\"']+[\"'])*)", re.M)
NEEDED = re.compile(
    r"\.add(?:_runtime|_development)?_dependency\s*\(?\s*[\"']([\w.-]+)[\"']((?:\s*,\s*[\"'][^\"']+[\"'])*)"
)
OWN = re.compile(r"^\s*gemspec\b|\bpath:\s|:path\s*=>", re.M)
FILES = ("Gemfile", "Gemfile.lock", ".ruby-version")
OWN_NOTE = (
    "the Gemfile takes gems from the repository itself, so the engine installs nothing; set your own command as "
    "`setup.command` if the tests need gems"
)


def in_gemfile(text: str) -> Iterator[Requirement]:
    """The gems a Gemfile names."""
    return _pairs(GEM, text)


def in_gemspec(text: str) -> Iterator[Requirement]:
    """The gems a gemspec names, those for development too."""
    return _pairs(NEEDED, text)


def _pairs(pattern: re.Pattern[str], text: str) -> Iterator[Requirement]:
    for found in pattern.finditer(text):
        yield found[1], ", ".join(re.findall(r"[\"']([^\"']+)[\"']", found[2]))


def install(asked: ToInstall) -> InstallPlan | None:
    """The gems of the Gemfile, by bundler, into a folder of the environment's own."""
    if "Gemfile" not in asked.paths:
        return None
    if OWN.search(asked.read("Gemfile")):
        return InstallPlan((), notes=(OWN_NOTE,))
    files = {f"ruby/{name}": asked.read(name) for name in FILES if name in asked.paths}
    env = {
        "BUNDLE_GEMFILE": f"{FOLDER}/ruby/Gemfile",
        "BUNDLE_PATH": f"{FOLDER}/ruby/gems",
        "BUNDLE_APP_CONFIG": f"{FOLDER}/ruby/.bundle",
        "BUNDLE_USER_HOME": f"{FOLDER}/.tmp/bundle",
        "LANG": "C.UTF-8",
    }
    env |= {"BUNDLE_FROZEN": "true"} if "Gemfile.lock" in asked.paths else {}
    step = InstallStep(("bundle", "install"), env=env, starts=("ruby",))
    return InstallPlan((step,), files, programs=("bundle",))


NAMED = r"[\"'][\w.-]+[\"']"
VERSION = r"[\"'][\w.<>=~! -]+[\"']"
PLAIN = re.compile(
    rf"""(?:
    source \s* \(?\s* [\"']https://rubygems\.org/?[\"'] \s*\)?
    | ruby \s+ {VERSION}
    | gem \s* \(?\s* {NAMED} (?: \s*,\s* {VERSION} )* (?: \s*,\s* (?:require|group): \s* (?:false|:\w+) )* \s*\)?
    | group \s+ :\w+ (?: \s*,\s* :\w+ )* \s+ do
    | end
    )? \s* (?:\#.*)?""",
    re.X,
)
"""One line of a Gemfile that is data and nothing else; bundler runs a Gemfile as a program."""
SECTIONS = {"GEM", "PLATFORMS", "DEPENDENCIES", "CHECKSUMS", "RUBY VERSION", "BUNDLED WITH"}
"""Parts of a lock that name no other place."""


def plain(paths: Collection[str], read: Callable[[str], str]) -> PlainNeeds:
    """The gems of the Gemfile, and every line of it and of its lock that is more than a name and a version."""
    texts = {name: read(name) for name in FILES[:2] if name in paths}
    lines = texts.get("Gemfile", "").splitlines()
    refused = [f"Gemfile: {line.strip()}" for line in lines if not PLAIN.fullmatch(line.strip())]
    for line in texts.get("Gemfile.lock", "").splitlines():
        elsewhere = line.strip().startswith("remote:") and line.split()[1:] != ["https://rubygems.org/"]
        if elsewhere or (line[:1].strip() and line.strip() not in SECTIONS):
            refused.append(f"Gemfile.lock: {line.strip()}")
    told = tuple(f"{line}: only names and versions of gems are installed" for line in refused)
    return PlainNeeds(tuple(name for name, _ in in_gemfile(texts.get("Gemfile", ""))), told)


DEPENDENCIES = Dependencies(
    declares={"Gemfile": in_gemfile, "*.gemspec": in_gemspec},
    install=install,
    plain=plain,
    locks=("Gemfile.lock",),
    variables=(r"BUNDLE_\w+",),
    own_places=(
        *("BUNDLE_PATH", "BUNDLE_GEMFILE", "BUNDLE_APP_CONFIG", "BUNDLE_BIN", "BUNDLE_FROZEN"),
        *("BUNDLE_USER_HOME", "BUNDLE_USER_CONFIG", "BUNDLE_USER_CACHE", "BUNDLE_USER_PLUGIN"),
    ),
)
