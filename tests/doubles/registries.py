"""PyPI, npm, their download figures and GitHub, on one server: each answers in its own form below its own folder."""

from __future__ import annotations

from typing import Any

from doubles.server import Asked, Said


class Registries:
    """Answers by path; what is not there is 404. `slow` waits before every answer of one service."""

    def __init__(self, answers: dict[str, Any], slow: str = "") -> None:
        self.answers, self.slow = answers, slow

    def __call__(self, asked: Asked) -> Said:
        state = asked.query.get("q", "").rpartition("state:")[2]
        found = self.answers.get(f"{asked.path} {state}".strip())
        wait = 5.0 if self.slow and asked.path.startswith(self.slow) else 0.0
        return Said(404, {"message": "Not Found"}, wait) if found is None else Said(200, found, wait)


def python_package(name: str, releases: dict[str, str], **info: Any) -> dict[str, Any]:
    """What PyPI and its figures say of a package: version → day of its upload."""
    uploads = {
        version: [{"upload_time_iso_8601": f"{day}T10:00:00.000000Z"}] if day else []
        for version, day in releases.items()
    }
    return {f"/pypi/pypi/{name}/json": {"info": {"name": name, **info}, "releases": uploads}}


def downloads(name: str, week: int) -> dict[str, Any]:
    """The figures of a Python package."""
    return {f"/stats/api/packages/{name}/recent": {"data": {"last_week": week}, "type": "recent_downloads"}}


def repository(name: str, *, stars: int, opened: int, closed: int, people: int, **about: Any) -> dict[str, Any]:
    """What GitHub says of a repository."""
    return {
        f"/github/repos/{name}": {"full_name": name, "stargazers_count": stars, **about},
        f"/github/repos/{name}/contributors": [{"login": f"person-{number}"} for number in range(people)],
        "/github/search/issues open": {"total_count": opened},
        "/github/search/issues closed": {"total_count": closed},
    }


def npm_package(name: str, times: dict[str, str], week: int, **about: Any) -> dict[str, Any]:
    """What npm and its figures say of a package."""
    days = {version: f"{day}T10:00:00.000Z" for version, day in times.items()}
    return {
        f"/npm/{name}": {"name": name, "time": {"created": "2011-01-01T00:00:00.000Z", **days}, **about},
        f"/figures/downloads/point/last-week/{name}": {"downloads": week, "package": name},
    }
