"""Rules on tests and the report of what was delivered: test_suite and delivery_report."""

from __future__ import annotations

from collections.abc import Iterator

from thoughtforge.contracts.given import Given
from thoughtforge.contracts.shape import WHOLE, objects, place, text, texts, words
from thoughtforge.kernel.model import JsonObject, Problem


def wanted_requirements(given: Given) -> dict[str, JsonObject] | None:
    """The requirements of the specification by id, without those it says will not be met; None without one."""
    specification = given.artifacts.get("specification")
    if specification is None:
        return None
    found = (entry.value for entry in objects(specification, "requirements[]"))
    return {text(entry, "id"): entry for entry in found if text(entry, "id") and entry.get("priority") != "wont"}


def tested_requirements(specification: JsonObject) -> dict[str, JsonObject]:
    """The requirements a test must prove, by id: wanted, and not left to inspection, analysis or demonstration."""
    wanted = wanted_requirements(Given(artifacts={"specification": specification})) or {}
    return {id: entry for id, entry in wanted.items() if entry.get("verification_method") == "test"}


def requirements_tested(artifact: JsonObject, given: Given) -> Iterator[Problem]:
    """Every requirement has a test, by the test's own reference or by the coverage mapping."""
    names = _test_names(artifact)
    mapping = artifact.get("coverage_mapping")
    mapped = mapping if isinstance(mapping, dict) else {}
    tested = set(words(artifact, "test_files[].tests[].requirement_ref"))
    tested |= {requirement for requirement in mapped if words(mapped[requirement], "[]") & names}
    specification = given.artifacts.get("specification")
    for requirement in tested_requirements(specification) if specification else ():
        if requirement not in tested:
            yield Problem(where="test_files", what=f"no test for {requirement}")


def tested_requirements_known(artifact: JsonObject, given: Given) -> Iterator[Problem]:
    """Tests and mapping speak only of requirements the specification has."""
    if "specification" not in given.artifacts:
        return
    known = words(given.artifacts["specification"], "requirements[].id")
    for where, reference in texts(artifact, "test_files[].tests[].requirement_ref"):
        if reference not in known:
            yield Problem(where=where, what=f"the specification has no requirement {reference[:80]!r}")
    mapping = artifact.get("coverage_mapping")
    for requirement in mapping if isinstance(mapping, dict) else ():
        if requirement not in known:
            where = place("coverage_mapping", requirement)
            yield Problem(where=where, what=f"the specification has no requirement {requirement[:80]!r}")


def mapped_tests_listed(artifact: JsonObject, given: Given) -> Iterator[Problem]:
    """The coverage mapping names only tests that are listed, as `name` or `path::name`."""
    names = _test_names(artifact)
    for where, name in texts(artifact, "coverage_mapping.*[]"):
        if name not in names:
            yield Problem(where=where, what=f"no listed test is named {name[:80]!r}")


def _test_names(artifact: JsonObject) -> frozenset[str]:
    names = set(words(artifact, "test_files[].tests[].name"))
    for _, file in objects(artifact, "test_files[]"):
        names |= {f"{text(file, 'path')}::{name}" for name in words(file, "tests[].name")}
    return frozenset(names)


def requirements_reported(artifact: JsonObject, given: Given) -> Iterator[Problem]:
    """The report speaks of every requirement of the specification."""
    reported = words(artifact, "requirements[].id")
    for requirement in wanted_requirements(given) or {}:
        if requirement not in reported:
            yield Problem(where=WHOLE, what=f"the report says nothing about {requirement}")


def delivered_means_proven(artifact: JsonObject, given: Given) -> Iterator[Problem]:
    """A requirement counts as delivered only with a test, and only when all of its tests passed."""
    for where, requirement in objects(artifact, "requirements[]"):
        if requirement.get("status") != "delivered":
            continue
        results = [found.value for found in texts(requirement, "tests[].result")]
        if not results or any(result != "passed" for result in results):
            yield Problem(
                where=f"{where}.status", what="delivered needs at least one test and no test that did not pass"
            )


def ready_means_checked(artifact: JsonObject, given: Given) -> Iterator[Problem]:
    """Nothing is ready to deploy while a check failed or could not run."""
    deployment = artifact.get("deployment")
    ready = isinstance(deployment, dict) and deployment.get("ready") is True
    checks = [entry.value for entry in objects(artifact, "checks[]")]
    bad = [text(check, "name") for check in checks if check.get("outcome") in ("fail", "broken")]
    if ready and bad:
        yield Problem(where="deployment.ready", what=f"not ready: {', '.join(bad)[:200]} did not pass")
