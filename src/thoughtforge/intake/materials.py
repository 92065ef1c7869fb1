"""What the person brought along besides words: files in resources/ and pages behind links."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import NamedTuple

from thoughtforge.agent.context import Block
from thoughtforge.agent.means import Means, Outside
from thoughtforge.deliverables.operations import write_of
from thoughtforge.intake.connecting import connect, connect_defaults, find_urls
from thoughtforge.intake.conversation import Conversation
from thoughtforge.intake.documents import project, refusal
from thoughtforge.intake.resources import read_resources
from thoughtforge.intake.talking import answer

TOLD = "materials"
"""The code of what is said about them; what stood before such a message has been looked at."""
FOLDER = "resources"


class Materials(NamedTuple):
    """What can be told to an agent of it."""

    texts: dict[str, str]
    blocks: tuple[Block, ...]
    images: tuple[Path, ...] = ()
    """Pictures, for an agent that can see."""


async def gather(means: Means, known: Conversation, *, sees: bool = False) -> Materials:
    """Read everything that can be read; what cannot is named in chat, once, and the work goes on without it."""
    if means.outside is None:
        return Materials({}, ())
    folder = project(means).root / FOLDER
    told = [m for m in known.messages if m.code == TOLD]
    said = await _pulled(means, means.outside, known, since=told[-1].seq if told else 0)
    found = await asyncio.to_thread(read_resources, folder, means.outside.resources)
    pictures = [one for one in found.resources if one.kind == "image" and one.path]
    told_of = "the agent is shown it." if sees else "it is kept, and this agent cannot see it."
    images = [f"'{one.name}' is an image; {told_of}" for one in pictures]
    before = "\n".join(m.text for m in told)
    fresh = [sentence for sentence in (*said, *found.said(), *images) if sentence not in before]
    if fresh:
        answer(means, "\n".join(fresh), code=TOLD)
    texts = {one.name: one.text for one in found.resources if one.text.strip()}
    share = means.think.context_tokens // 3 // max(1, len(texts))
    blocks = tuple(Block(f"resource {name}", text, share, untrusted=True) for name, text in texts.items())
    return Materials(texts, blocks, tuple(one.path for one in pictures if one.path) if sees else ())


async def _pulled(means: Means, outside: Outside, known: Conversation, *, since: int) -> tuple[str, ...]:
    """Pull what the person's links name, and the pages the configuration names for every task."""
    if not outside.connectors and not any(find_urls(m.text) for m in known.messages if m.role == "human"):
        return ()
    folder = project(means).root / FOLDER
    person = [m for m in known.messages if m.role == "human"]
    seen = [url for m in person if m.seq < since for url in find_urls(m.text)]
    text = "\n".join(m.text for m in person if m.seq > since)
    settings, machine = outside.connectors, outside.machine
    said: tuple[str, ...] = ()
    if not since:
        done = await connect_defaults(folder, settings=settings, machine=machine, forbids=lambda n: _forbids(means, n))
        said = done.said
    found = await connect(
        text, folder, settings=settings, machine=machine, known=seen, forbids=lambda n: _forbids(means, n)
    )
    return (*said, *found.said)


def _forbids(means: Means, name: str) -> str:
    """What comes from outside is judged like everything that is written; a connector's file never halts a task."""
    path = f"{FOLDER}/{name}"
    return refusal(means, write_of(path), path, deliverable="plan")
