"""Publishes to a topic of an ntfy server, as JSON: headers could not carry every letter."""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator, Field

from thoughtforge.integrations.http import NoAnswer, ask
from thoughtforge.integrations.notice import EventType, Notice, cut_bytes
from thoughtforge.kernel.model import Value
from thoughtforge.settings.environment import Machine
from thoughtforge.settings.outside import checked

MOST_BYTES = 4_000
"""A longer message would arrive as an attachment that says nothing."""
TITLE_BYTES = 250
LOOKS: dict[EventType, tuple[int, str]] = {
    "convergence_success": (3, "white_check_mark"),
    "milestone_complete": (2, "checkered_flag"),
    "human_needed": (4, "raising_hand"),
    "guard_triggered": (4, "warning"),
    "error": (5, "rotating_light"),
}
"""Event → priority of 1 to 5, and the tag that is shown as a picture."""


class Options(Value):
    """One channel with `kind: ntfy`."""

    url: Annotated[str, AfterValidator(checked)] = "https://ntfy.sh"
    """The server."""
    topic: str = Field(pattern=r"^[-_A-Za-z0-9]{1,64}$")
    """The topic; on a public server everyone who knows it can read the messages."""
    token_env: str | None = None
    """The variable that holds an access token, if the server needs one."""
    seconds: float = Field(default=10, gt=0, le=60)
    """The time limit."""


async def send(notice: Notice, options: Options, machine: Machine) -> str:
    """Why it did not go out; nothing when it did."""
    headers = {}
    if options.token_env:
        token = machine.secret(options.token_env)
        if token is None:
            return f"the variable {options.token_env} is not set"
        headers["Authorization"] = f"Bearer {token}"
    priority, tag = LOOKS[notice.event_type]
    body = {
        "topic": options.topic,
        "title": cut_bytes(notice.title(), TITLE_BYTES),
        "message": cut_bytes(notice.text(), MOST_BYTES),
        "priority": priority,
        "tags": [tag],
    }
    try:
        said = await ask("POST", f"{options.url.rstrip('/')}/", headers=headers, body=body, seconds=options.seconds)
    except NoAnswer as failure:
        return str(failure)
    if said.status == 200 and said.field("event") == "message":
        return ""
    code = said.field("code")
    return f"ntfy answered {said.status}{f' ({code})' if code else ''}: {said.field('error') or 'without a reason'}"
