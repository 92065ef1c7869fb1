"""The system prompt of a role at a stage, built from its definition and never longer than its budget."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from thoughtforge.agent.role import Role
from thoughtforge.agent.tokens import estimate
from thoughtforge.catalog import Catalog
from thoughtforge.contracts.measures import MEASURES
from thoughtforge.kernel.errors import Mistake
from thoughtforge.kernel.model import Digest, Stage

BUDGET = 1_500
"""Estimated tokens a system prompt may have."""

GOAL_LENGTH = 200

PERSON = "the person who made the request"


class SystemPrompt(NamedTuple):
    """The text, its estimated size and the digest of every prompt file it was made from."""

    text: str
    tokens: int
    prompts: dict[str, Digest]


def system_prompt(role: Role, *, stage: Stage, goal: str, tools: Mapping[str, str], catalog: Catalog) -> SystemPrompt:
    """What `role` is told before it works at `stage`, or reviews it; `tools` maps those on hand to one line each."""
    reviews = role.name != stage.role
    # a role that serves several stages declares its checks for one contract; at the others the contract alone counts
    contract = role.output_contract if reviews else stage.output_contract
    rendered = catalog.render(
        "system",
        role=role.name,
        display_name=role.display_name,
        description=role.description.strip(),
        expertise=_bullets(role.expertise),
        thinking_style=role.thinking_style.strip(),
        constraints=_bullets(role.constraints),
        allowed=_bullets((f"`{name}`: {tools[name]}" for name in role.allowed if name in tools), none="no tools here"),
        forbidden=", ".join(f"`{name}`" for name in role.forbidden) or "none",
        path_limits=_path_limits(role, stage),
        contract=contract,
        checks=_bullets((f"`{contract}`: every field and rule of the contract", *_checks(role, contract))),
        stage=stage.name,
        purpose=f"You review its result. {stage.purpose}" if reviews else stage.purpose,
        goal=shorten(goal),
        receives_from=stage.role if reviews else ", ".join(role.receives_from) or PERSON,
        hands_off_to=stage.role if reviews else ", ".join(role.hands_off_to) or PERSON,
    )
    tokens = estimate(rendered.text)
    if tokens > BUDGET:
        raise Mistake(
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
    limits = [f"{', '.join(tools)} only where `{paths}` allows" for paths, tools in by_paths.items()]
    if stage.write_paths:
        limits.append(f"writing at this stage only where `{stage.write_paths}` allows")
    return f"Paths (`!` excludes): {'; '.join(limits) or 'no limit beyond the repository'}."


def _bullets(lines: Iterable[str], *, none: str = "none") -> str:
    return "\n".join(f"- {line.strip()}" for line in lines) or f"- {none}"
