"""Facts about a component as registries tell them: PyPI, npm, and GitHub where a repository is known."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Any, NamedTuple
from urllib.parse import quote

from thoughtforge.integrations.http import Fetch, NoAnswer
from thoughtforge.settings.outside import Discovery

PYPI_NAME = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]{0,100}[A-Za-z0-9])?")
NPM_NAME = re.compile(r"(?:@[a-z0-9~-][a-z0-9._~-]*/)?[a-z0-9~-][a-z0-9._~-]*")
REPOSITORY = re.compile(r"github\.com[/:]([A-Za-z0-9-]+/[A-Za-z0-9._-]+?)(?:\.git)?(?:[/#?].*)?$")
COPYLEFT = re.compile(r"\b[AL]?GPL|GNU (?:Affero |Lesser |Library )?General Public|\bSSPL|\bBUSL|Business Source", re.I)
PERMISSIVE = re.compile(
    r"\b(?:MIT|Apache|BSD|0BSD|ISC|PSF|Python Software Foundation|Python-2\.0|Unlicense|Zlib|BSL-1\.0|MPL"
    r"|Mozilla Public|CC0|HPND)",
    re.I,
)
LICENCE_LENGTH = 60


class Version(NamedTuple):
    """As far as a version's number tells."""

    text: str
    major: int
    stable: bool


@dataclass(frozen=True)
class Facts:
    """What is known; None is unknown."""

    releases: Mapping[Version, date] = field(default_factory=dict)
    licence: str = ""
    permissive: bool | None = None
    weekly_downloads: int | None = None
    maintainers: int | None = None
    repository: str = ""
    """owner/name at GitHub, when the registry names one."""
    stars: int | None = None
    pushed: date | None = None
    open_issues: int | None = None
    closed_issues: int | None = None


async def pypi_facts(name: str, settings: Discovery, fetch: Fetch) -> Facts:
    """From the package index and its download figures."""
    if not PYPI_NAME.fullmatch(name):
        return Facts()
    place, figures = (
        f"{settings.pypi.rstrip('/')}/pypi/{name}/json",
        f"{settings.pypi_downloads.rstrip('/')}/api/packages/{name.lower()}/recent",
    )
    data, recent = await asyncio.gather(_json(fetch, place), _json(fetch, figures))
    info = _table(data.get("info"))
    days = {}
    for version, files in _table(data.get("releases")).items():
        uploads = [day for one in files or () if (day := _day(_table(one).get("upload_time_iso_8601")))]
        if uploads:
            days[version_of(version)] = min(uploads)
    links = [*_table(info.get("project_urls")).values(), info.get("home_page")]
    return Facts(
        releases=days,
        weekly_downloads=_count(_table(recent.get("data")).get("last_week")),
        repository=_repository(links),
        **_licence(_pypi_licence(info)),
    )


def _pypi_licence(info: Mapping[str, Any]) -> str:
    classified = [str(one) for one in info.get("classifiers") or () if str(one).startswith("License :: ")]
    words = [info.get("license_expression"), *(one.rpartition(" :: ")[2] for one in classified), info.get("license")]
    return next((str(word) for word in words if word), "")


async def npm_facts(name: str, settings: Discovery, fetch: Fetch) -> Facts:
    """From the registry and its download figures."""
    if not NPM_NAME.fullmatch(name):
        return Facts()
    data, recent = await asyncio.gather(
        _json(fetch, f"{settings.npm.rstrip('/')}/{quote(name, safe='@')}"),
        _json(fetch, f"{settings.npm_downloads.rstrip('/')}/downloads/point/last-week/{name}"),
    )
    times = _table(data.get("time"))
    days = {
        version_of(version): day
        for version, time in times.items()
        if version not in ("created", "modified") and (day := _day(time))
    }
    repository = data.get("repository")
    link = _table(repository).get("url") if isinstance(repository, dict) else repository
    licence = data.get("license")
    people = data.get("maintainers")
    return Facts(
        releases=days,
        weekly_downloads=_count(recent.get("downloads")),
        maintainers=len(people) if isinstance(people, list) else None,
        repository=_repository([link]),
        **_licence(str(_table(licence).get("type") if isinstance(licence, dict) else licence or "")),
    )


async def github_facts(facts: Facts, settings: Discovery, fetch: Fetch) -> Facts:
    """The same facts with what the repository adds."""
    root, name = settings.github.rstrip("/"), facts.repository
    search = f"{root}/search/issues?per_page=1&q={quote(f'repo:{name} type:issue state:')}"
    about, opened, closed, people = await asyncio.gather(
        _json(fetch, f"{root}/repos/{name}"),
        _json(fetch, f"{search}open"),
        _json(fetch, f"{search}closed"),
        _json(fetch, f"{root}/repos/{name}/contributors?per_page=100"),
    )
    listed = people.get("")
    found = replace(
        facts,
        stars=_count(about.get("stargazers_count")),
        pushed=_day(about.get("pushed_at")),
        open_issues=_count(opened.get("total_count")),
        closed_issues=_count(closed.get("total_count")),
        maintainers=len(listed) if isinstance(listed, list) and listed else facts.maintainers,
    )
    if found.permissive is None:
        found = replace(found, **_licence(str(_table(about.get("license")).get("spdx_id") or "")))
    return found


def version_of(text: str) -> Version:
    """The number before the first dot, and whether nothing but numbers follows."""
    found = re.match(r"v?(\d+)", text)
    return Version(text, int(found[1]) if found else 0, re.fullmatch(r"v?\d+(\.\d+)*(\.post\d+)?", text) is not None)


async def _json(fetch: Fetch, url: str) -> Mapping[str, Any]:
    """A JSON object, empty when there is none to be had; a list stands under an empty name."""
    if url.startswith("/"):  # no address is set
        return {}
    try:
        said = await fetch(url)
    except NoAnswer:
        return {}
    data = said.data() if said.status == 200 else None
    return data if isinstance(data, dict) else {"": data} if isinstance(data, list) else {}


def _licence(words: str) -> dict[str, Any]:
    """The licence as it is shown, and whether it is one of those that may be shipped without care."""
    shown = " ".join(words.split())[:LICENCE_LENGTH]
    if not shown or shown == "NOASSERTION":
        return {"licence": "", "permissive": None}
    offered = re.split(r"\bOR\b", words[:2000])  # whoever may choose takes the easier one
    free = [one for one in offered if not COPYLEFT.search(one)]
    return {"licence": shown, "permissive": True if any(map(PERMISSIVE.search, free)) else None if free else False}


def _repository(links: list[Any]) -> str:
    for link in links:
        found = REPOSITORY.search(str(link or ""))
        if found and not found[1].startswith("sponsors/"):
            return found[1]
    return ""


def _table(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _count(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def _day(value: Any) -> date | None:
    try:
        return date.fromisoformat(str(value)[:10])
    except ValueError:
        return None
