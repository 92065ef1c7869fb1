"""What an agent is told of its work: the system prompt of its role, and the form of what it hands in."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable
from typing import Any, NamedTuple

from thoughtforge.agent.tokens import estimate
from thoughtforge.catalog import Catalog
from thoughtforge.code.write_policy import TESTS
from thoughtforge.contracts.measures import MEASURES
from thoughtforge.definitions.role import Role
from thoughtforge.kernel.errors import UserError
from thoughtforge.kernel.model import Digest, Stage


def outline(schema: dict[str, Any], *, indent: int = 0) -> str:
    """One line per field: name, whether it is needed, what it holds."""
    lines: list[str] = []
    needed = set(schema.get("required", ()))
    for name, field in schema.get("properties", {}).items():
        lines += _field(name, field, needed=name in needed, indent=indent)
    return "\n".join(lines)


def _field(name: str, field: dict[str, Any], *, needed: bool, indent: int) -> list[str]:
    pad = "  " * indent
    mark = "" if needed else "?"
    hint = f" — {field['description']}" if field.get("description") and indent < 2 else ""
    if field.get("type") == "array":
        items = field.get("items", {})
        least = f", at least {field['minItems']}" if field.get("minItems") else ""
        if "properties" in items:
            return [f"{pad}{name}{mark}: list{least}, each:{hint}", outline(items, indent=indent + 1)]
        return [f"{pad}{name}{mark}: list of {_kind(items)}{least}{hint}"]
    if "properties" in field:
        return [f"{pad}{name}{mark}:{hint}", outline(field, indent=indent + 1)]
    return [f"{pad}{name}{mark}: {_kind(field)}{hint}"]


def _kind(field: dict[str, Any]) -> str:
    if "const" in field:
        return json.dumps(field["const"])
    if "enum" in field:
        return " | ".join(str(value) for value in field["enum"])
    options = field.get("oneOf") or field.get("anyOf")
    if options:
        return " or ".join(_kind(option) for option in options)
    kind = field.get("type", "any")
    text = " or ".join(kind) if isinstance(kind, list) else str(kind)
    for key, word in (("pattern", "like"), ("format", "as")):
        if key in field:
            text += f" {word} {field[key]}"
    if field.get("minLength", 0) > 1:
        text += f" of at least {field['minLength']} characters"
    return text + (f" of at most {field['maxLength']} characters" if "maxLength" in field else "")


BUDGET = 1_500
"""Estimated tokens a system prompt may have."""

GOAL_LENGTH = 200

PERSON = "the person who made the request"

REVIEWS = "Somebody else did its work; you review what came of it."


class SystemPrompt(NamedTuple):
    """The text, its estimated size and the digest of every prompt file it was made from."""

    text: str
    tokens: int
    prompts: dict[str, Digest]


def system_prompt(
    role: Role, *, stage: Stage, tools: Collection[str], catalog: Catalog, contract: str = ""
) -> SystemPrompt:
    """The prompt of `role` for work at `stage`, or for its review; what `tools` do is told with the actions.

    `contract` is the one of what is handed in where the engine completes it to the stage's artifact.
    """
    reviews = role.name in stage.reviewers
    # a role that serves several stages declares its checks for one contract; at the others the contract alone counts
    made = stage.output_contract if role.name == stage.role else role.output_contract
    rendered = catalog.render(
        "system",
        role=role.name,
        display_name=role.display_name,
        description=role.description.strip(),
        expertise=_bullets(role.expertise),
        thinking_style=role.thinking_style.strip(),
        constraints=_bullets(role.constraints),
        allowed=", ".join(f"`{name}`" for name in role.allowed if name in tools),
        forbidden=", ".join(f"`{name}`" for name in role.forbidden) or "none",
        path_limits=_path_limits(role, stage),
        contract=contract or made,
        checks=_bullets((f"`{contract or made}`: every field and rule of the contract", *_checks(role, made))),
        stage=stage.name,
        purpose=f"{REVIEWS} What was asked of it: {stage.purpose}" if reviews else stage.purpose,
        receives_from=stage.role if reviews else ", ".join(role.receives_from) or PERSON,
        hands_off_to=stage.role if reviews else ", ".join(role.hands_off_to) or PERSON,
    )
    tokens = estimate(rendered.text)
    if tokens > BUDGET:
        raise UserError(
            f"role {role.name} refused: its system prompt for stage {stage.name} has about {tokens:,} tokens, "
            f"the limit is {BUDGET:,}",
            do=f"shorten the description, expertise, thinking style or constraints in {role.source}",
        )
    return SystemPrompt(rendered.text, tokens, {"system": rendered.digest})


def shorten(goal: str) -> str:
    """The goal on one line: as it is up to 200 characters, else its first sentence or as much of it as fits, with …"""
    line = " ".join(goal.split())
    if len(line) <= GOAL_LENGTH:
        return line
    sentence = re.match(rf".{{1,{GOAL_LENGTH - 2}}}?[.!?](?= )", line)
    if sentence and len(sentence[0]) <= GOAL_LENGTH - 2:
        return f"{sentence[0]} …"
    head = line[: GOAL_LENGTH - 1]
    return f"{head.rsplit(' ', 1)[0] if ' ' in head else head}…"


def _checks(role: Role, contract: str) -> Iterable[str]:
    if contract != role.output_contract:
        return
    for key, wanted in role.must_verify.items():
        level = "" if wanted is True else f" Wanted: {wanted}."
        yield f"`{key}`: {MEASURES[key].text}{level}"


def _path_limits(role: Role, stage: Stage) -> str:
    by_paths: dict[str, list[str]] = {}
    for tool, paths in role.path_constraints.items():
        by_paths.setdefault(paths, []).append(f"`{tool}`")
    limits = [f"{', '.join(tools)} {_where(paths)}" for paths, tools in by_paths.items()]
    if stage.write_paths:
        limits.append(f"writing at this stage {_where(stage.write_paths)}")
    return f"Paths (`!` excludes): {'; '.join(limits) or 'no limit beyond the repository'}."


def _where(paths: str) -> str:
    """A constraint in words; the pattern for tests stands for the files the repository's runner takes for tests."""
    if paths in TESTS:
        return "only for test files, named and placed as this repository's test runner finds them"
    if paths.startswith("!") and paths.removeprefix("!") in TESTS:
        return "for every file but tests, wherever this repository keeps them"
    return f"only where `{paths}` allows"


def _bullets(lines: Iterable[str], *, none: str = "none") -> str:
    return "\n".join(f"- {line.strip()}" for line in lines) or f"- {none}"
