"""Every key of config.yaml: whether it needs a person's trust in a repository's file, and why. A key not here does.

A setting needs trust when it can send text or keys somewhere, start a program outside a box or with the network open,
weaken the sandbox or the masking, or spend money. What only bounds or judges the work in a box needs none.
"""

from __future__ import annotations

from typing import NamedTuple


class Classified(NamedTuple):
    """One key: whether it needs trust, and why."""

    needs_trust: bool
    why: str


def _trust(why: str) -> Classified:
    return Classified(True, why)


def _free(why: str) -> Classified:
    return Classified(False, why)


_WHO = "chooses who receives your text and your money"
_MONEY = "limits what a task may spend"
_BOX = "limits what tests and commands can do to this machine"
_INSTALL = "runs during the installation of dependencies, with network access"
_NETWORK = "names servers to ask, and the variable of the token they receive"
_NUMBER = "only limits the size of the work"
_JUDGED = "only decides when work is good enough; you accept or discard the resulting branch"
_BOXED = "only sets how tests run in the sandbox"

TABLE: dict[str, Classified] = {
    "version": _free("only names the format"),
    "provider": _trust(_WHO),
    "providers": _trust("names servers that receive your text and your keys, and programs to run"),
    "roles": _trust(_WHO),
    "review.provider": _trust(_WHO),
    "fallback": _trust(_WHO),
    "limits.usd": _trust(_MONEY),
    "limits.tokens": _trust(_MONEY),
    "limits.steps": _trust(_MONEY),
    "limits.wall_seconds": _trust(_MONEY),
    "limits.stage_steps": _trust(_MONEY),
    "limits.unknown_usd": _trust(_MONEY),
    "rules.repairs": _free(_JUDGED),
    "rules.review_iterations": _free(_JUDGED),
    "clarify.confidence": _free(_JUDGED),
    "secrets.send_unmasked": _trust("sends secrets in tool output to providers"),
    "secrets.variables": _free("only hides more"),
    "setup.command": _trust(_INSTALL),
    "setup.reads": _trust(_INSTALL),
    "setup.python": _trust("names a program outside the repository to run, and its folder"),
    "setup.allow": _trust("allows packages that the repository does not declare"),
    "tests.runner": _free(_BOXED),
    "tests.allow_none": _free(_JUDGED),
    "tests.writable": _free(_BOXED),
    "tests.wall_seconds": _free(_BOXED),
    "tests.affected_seconds": _free(_BOXED),
    "sandbox.allow_weak": _trust("runs tests and commands without a sandbox"),
    "sandbox.memory_mb": _trust(_BOX),
    "sandbox.processes": _trust(_BOX),
    "sandbox.temp_mb": _trust(_BOX),
    "change.lines": _free(_JUDGED),
    "change.files_outside": _free(_JUDGED),
    "change.lines_outside": _free(_JUDGED),
    "change.file_kb": _free(_JUDGED),
    "change.coverage": _free(_JUDGED),
    "change.trivial_lines": _free(_JUDGED),
    "change.trivial_files": _free(_JUDGED),
    "change.changelog": _free("It adds a file for readers and changes no measurement."),
    "circles.repeats": _free(_JUDGED),
    "circles.without_progress": _free(_JUDGED),
    "think.minimum_words": _free(_NUMBER),
    "think.context_tokens": _trust(_MONEY),
    "think.build_failures": _free(_JUDGED),
    "phase3_completeness.plan_characters": _free(_JUDGED),
    "phase3_completeness.code_files": _free(_JUDGED),
    "phase3_completeness.code_characters": _free(_JUDGED),
    "concurrency.max_parallel_runs": _free(_NUMBER),
    "polish.critical_max": _free(_JUDGED),
    "polish.medium_max": _free(_JUDGED),
    "polish.minor_max": _free(_JUDGED),
    "polish.max_iterations": _free(_JUDGED),
    "polish.stagnation_limit": _free(_JUDGED),
    "polish.patience": _free(_JUDGED),
    "polish.growth_limit": _free(_JUDGED),
    "polish.retry_malformed_output": _free(_JUDGED),
    "polish.profile": _free(_JUDGED),
    "plan.audit_rounds": _free(_JUDGED),
    "plan.research_steps": _free(_JUDGED),
    "plan.phase_max_files": _free(_NUMBER),
    "plan.fix_rounds": _free(_JUDGED),
    "plan.auto_implement": _trust("spends money without a command of its own"),
    "resources.max_file_mb": _free(_NUMBER),
    "resources.max_text_kb": _free(_NUMBER),
    "resources.max_files": _free(_NUMBER),
    "connectors": _trust("names servers to ask for documents, and files and variables with your logins"),
    "notifications.default_channel": _trust("chooses who gets messages about your tasks"),
    "notifications.channels": _trust("names who gets messages about your tasks, and the variables of their tokens"),
    "discovery.enabled": _trust(_NETWORK),
    "discovery.seconds": _free(_NUMBER),
    "discovery.pypi": _trust(_NETWORK),
    "discovery.pypi_downloads": _trust(_NETWORK),
    "discovery.npm": _trust(_NETWORK),
    "discovery.npm_downloads": _trust(_NETWORK),
    "discovery.github": _trust(_NETWORK),
    "discovery.github_token_env": _trust(_NETWORK),
    "commands": _trust("names programs that agents may run"),
    "request_bytes": _free(_NUMBER),
    "rate_limit_seconds": _free(_NUMBER),
    "call_output_tokens": _trust(_MONEY),
}
"""Key → what was decided. One row for every key; providers, roles, connectors and channels are one row each."""


def why(key: str) -> str:
    """Why a key needs trust, or why not."""
    row = TABLE.get(key)
    return row.why if row else "is not classified, so it needs trust"


def is_free(key: str) -> bool:
    """Whether a key takes effect without trust; a key nobody has classified does not."""
    row = TABLE.get(key)
    return row is not None and not row.needs_trust


def is_section(key: str) -> bool:
    """Whether the table names keys below this one."""
    return any(name.startswith(f"{key}.") for name in TABLE)
