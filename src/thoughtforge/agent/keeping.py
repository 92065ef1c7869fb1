"""How command-line agents were kept, over the whole task: behind walls or not, and which hosts they reached."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from thoughtforge.agent.means import Agent, Means
from thoughtforge.kernel.events import Measured
from thoughtforge.kernel.state import State

WHAT = "agents"
KEPT = "kept in a cage"
WITHOUT_WALLS = "without walls"
"""In the note of an agent that was not (cages/cage.py)."""


def keep(means: Means, agent: Agent, notes: Sequence[str]) -> None:
    """Put on record how a command-line agent was kept; what is known already is not said again."""
    if not hasattr(agent.model, "acts"):  # a model over HTTP, by rules or by script needs no cage
        return
    known = means.journal.state.measured.get(WHAT)
    facts = dict(known.facts) if known else {}
    said = str(facts[agent.provider]).splitlines() if agent.provider in facts else []
    how = [] if any(WITHOUT_WALLS in note for note in notes) else [KEPT]
    told = list(dict.fromkeys([*said, *how, *notes]))
    if told == said:
        return
    facts[agent.provider] = "\n".join(told)
    summary = f"{agent.provider}: {'; '.join(told)}"[:500]
    step = means.journal.state.used.steps
    means.journal.append(Measured(what=WHAT, step=step, outcome="pass", summary=summary, facts=facts))


def kept(state: State) -> Iterator[str]:
    """A sentence for each thing a person should know of each agent of the task."""
    known = state.measured.get(WHAT)
    for provider, told in known.facts.items() if known else ():
        yield from (f"{provider}: {line}" for line in str(told).splitlines())
