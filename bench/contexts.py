"""What models are shown where they are easily shown too little: parts and tokens, what was cut, what lay unused."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from bench.figures import Figure

ROOT = Path(__file__).parents[1]


def measure(place: Path) -> Iterator[Figure]:
    """One scripted task in each trap; a further one joins by a row of TRAPS."""
    sys.path.insert(0, str(ROOT / "tests"))
    from flows.traps import TRAPS

    for number, (name, trap) in enumerate(TRAPS.items()):
        seen = trap(place / str(number))
        calls = len(seen.contexts)
        parts: Counter[str] = Counter()
        for call in seen.contexts:
            parts.update(call["parts"])
        sys.stdout.write(
            f"{name}: {', '.join(f'{part} {tokens // calls:,}' for part, tokens in parts.items())} a call\n"
        )
        yield Figure(f"{name}: did not end well", float(seen.done.code != 0), "", 0)
        yield Figure(f"{name}: calls", calls, "")
        yield Figure(f"{name}: tokens shown", sum(call["tokens"] for call in seen.contexts), "tokens")
        yield Figure(f"{name}: something cut", sum(bool(call["cut"]) for call in seen.contexts), "calls")
        yield Figure(f"{name}: specification cut", seen.specification_cut, "calls", 0)
        yield Figure(f"{name}: unused where cut", round(100 * seen.unused, 1), "%", 15)
        yield Figure(f"{name}: what is needed out of view", float(not seen.in_view), "", 0)

    yield from _small(place / "small")


def _small(place: Path) -> Iterator[Figure]:
    """What the engine demands of a small change when every answer is right the first time."""
    from flows.code_runs import make_tally
    from flows.test_depth import calls, quick, run

    small = make_tally(place)
    run(small, quick())
    shown = sum(event["context_tokens"] for event in small.events("call_started"))
    yield Figure("a change of fewer than 50 lines: calls", len(calls(small)), "", 8)
    yield Figure("a change of fewer than 50 lines: tokens shown", shown, "tokens", 45_000)
