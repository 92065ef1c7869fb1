"""Code under review: tested first, shown whole when it fits, fixed file by file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from thoughtforge.agent.asking import Job, ask
from thoughtforge.agent.context import Block
from thoughtforge.agent.means import Means
from thoughtforge.agent.tokens import estimate
from thoughtforge.drivers.polish.deliverable import Fix, Seen, digest, listed, warn_of_cut
from thoughtforge.intake.code_files import is_code, refused, sources, uncovered
from thoughtforge.intake.code_gate import gate_findings
from thoughtforge.intake.constraints_block import constraints_block
from thoughtforge.intake.documents import allow, project
from thoughtforge.kernel.errors import Stop
from thoughtforge.kernel.model import Stage
from thoughtforge.kernel.stops import StopReason
from thoughtforge.review.finding import Finding, Ran
from thoughtforge.review.locations import files_named, in_code
from thoughtforge.suites.result import Report

RUNS = 2
"""A test run that breaks off is tried once more."""


class CodeDeliverable:
    """The code of one task."""

    type = "code"
    path = "."
    review_prompt = "code-review"
    review_contract = "code_review"

    def __init__(self, means: Means, stage: Stage) -> None:
        self.means = means
        self.stage = stage

    async def look(self, since: str) -> Seen:
        """Run the tests, then show the source: all of it, or a list with what changed since the last review."""
        files = sources(project(self.means).root)
        report = await self._tests()
        ran, measured = _counted(report), self._against(report, files)
        gate = measured + [f"- {name}: {words}" for name, words in await gate_findings(self.means)]
        whole = _whole(files)
        budget = self.means.think.context_tokens * 3 // 4
        exists = in_code({path: len(text.splitlines()) for path, text in files.items()})
        if estimate(whole) <= budget:
            blocks = [Block("source", whole, budget, floor=budget, untrusted=True)]
            return Seen(digest(whole), len(whole), exists, blocks, full=True, tests=ran, gate=gate)
        changed = await project(self.means).changed_since(since) if since else tuple(files)
        listing = "\n".join(f"{path} ({len(text)} characters)" for path, text in files.items())
        part = "\n\n".join(f"# {path}\n{files[path]}" for path in changed if path in files)
        blocks = [
            Block("all files", listing, budget // 4, floor=budget // 8, untrusted=True),
            Block("changed files", part, budget, floor=budget // 2, untrusted=True),
        ]
        return Seen(digest(whole), len(whole), exists, blocks, full=False, tests=ran, gate=gate)

    async def _tests(self) -> Report:
        allow(self.means, "test_exec", deliverable=self.type)
        if self.means.test is None:
            raise Stop(StopReason.bug, "this task has nothing to run tests with")
        language = self.means.accepted()["proposal"]["language"]
        broken = ""
        for _ in range(RUNS):
            report = await self.means.test(project(self.means).root, language)
            if not report.broken:
                return report
            broken = report.broken
        raise Stop(StopReason.check_broken, f"the tests could not be run, twice: {broken[:300]}")

    def _against(self, report: Report, files: dict[str, str]) -> list[str]:
        """Tests that do not pass, and criteria no passing test carries: none of them may be lost while polishing."""
        bad = [f"- {name}: {one.error[:300]}" for name, one in report.results.items() if one.outcome != "passed"]
        bad += [f"- {item.path}: {item.error[:300]}" for item in report.unreadable]
        passing = [name for name, one in report.results.items() if one.outcome == "passed"]
        ids = [row["id"] for row in self.means.accepted()["proposal"].get("criteria") or ()]
        lacking = uncovered(ids, passing, files)
        return bad + [f"- {one}: no collected test that passes carries this id" for one in lacking]

    async def fix(self, findings: Sequence[Finding], *, constraints: str, measured: Sequence[str], key: str) -> Fix:
        """Files after the fix; those a review names are shown, missing ones said to be missing."""
        allow(self.means, "agent_code", deliverable=self.type)
        files = sources(project(self.means).root)
        named = dict.fromkeys(path for one in findings for path in files_named(one.location))
        budget = self.means.think.context_tokens
        texts = sorted(((path, files.get(path)) for path in named), key=lambda pair: len(pair[1] or ""))
        # the smallest come first and whole; what does not fit is cut from the largest
        shown = [
            Block(f"file {path}", "Referenced file not found." if text is None else text, budget, untrusted=True)
            for path, text in texts
        ]
        job = Job(
            name="fix",
            prompt="code-fix",
            contract="code_change",
            key=key,
            blocks=[
                Block("findings to fix", listed(findings), budget // 4, floor=budget // 8, untrusted=True),
                constraints_block("constraints", constraints, budget=budget // 4),
                Block("what was measured", "\n".join(measured), 2_000, floor=500, untrusted=True),
                *shown,
            ],
        )
        answer = await ask(self.means, self.stage, job, role="fixer")
        warn_of_cut(self.means, "fix", answer.cut)
        change = answer.data
        found: dict[str, str | None] = {row["path"]: row["content"] for row in change["files"]}
        found |= dict.fromkeys(change["removed"])
        why = change["reason"] if change["stuck"] else "; ".join(refused(change, project(self.means).root))
        return Fix(found, why, ", ".join(one.id for one in findings))

    def hash(self) -> str:
        """Of all files together."""
        return digest(_whole(sources(project(self.means).root)))

    def belongs(self, path: str) -> bool:
        """Everything that is not ours."""
        return is_code(path)


def _whole(files: Mapping[str, str]) -> str:
    return "\n\n".join(f"# {path}\n{text}" for path, text in files.items())


def _counted(report: Report) -> Ran:
    """How many tests there are and pass; a file that cannot be read is a test that does not."""
    passed = sum(one.outcome == "passed" for one in report.results.values())
    total = len(report.results) + len(report.unreadable)
    return Ran(total, passed, total - passed)
