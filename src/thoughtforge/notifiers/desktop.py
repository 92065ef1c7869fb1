"""Shows the notice on this machine's screen, by notify-send or, on macOS, osascript."""

from __future__ import annotations

import shutil
from pathlib import Path

from pydantic import Field

from thoughtforge.integrations.notice import Notice, cut_bytes
from thoughtforge.kernel.model import Value
from thoughtforge.sandbox.process import run
from thoughtforge.settings.environment import Machine

MOST_BYTES = 1_000
APPLESCRIPT = "on run argv\ndisplay notification (item 2 of argv) with title (item 1 of argv)\nend run"


class Options(Value):
    """One channel with `kind: desktop`."""

    seconds: float = Field(default=5, gt=0, le=60)
    """The time limit."""


async def send(notice: Notice, options: Options, machine: Machine) -> str:
    """Why it did not go out; nothing when it did."""
    argv = _command(notice, machine.search_path)
    if argv is None:
        return "neither notify-send nor osascript is installed"
    ended = await run(argv, cwd=Path("/"), env=machine.desktop, wall_seconds=options.seconds)
    if ended.timed_out:
        return f"{Path(argv[0]).name} did not end within {options.seconds:g} s"
    said = ended.stderr.decode("utf-8", "replace").strip().splitlines()
    return (
        ""
        if ended.code == 0
        else f"{Path(argv[0]).name} ended with {ended.code}: {said[0] if said else 'no error message'}"
    )


def _command(notice: Notice, search_path: str) -> list[str] | None:
    # Notification servers read the body as markup, so what looks like a tag is taken out of the way.
    title, text = notice.title(), cut_bytes(notice.text(), MOST_BYTES)
    urgency = "critical" if notice.event_type == "error" else "normal"
    found = shutil.which("notify-send", path=search_path)
    if found:
        safe = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
        return [found, "--app-name=ThoughtForge", f"--urgency={urgency}", "--", title, safe]
    found = shutil.which("osascript", path=search_path)
    return [found, "-e", APPLESCRIPT, title, text] if found else None
