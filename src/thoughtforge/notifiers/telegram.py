"""Sends a message through a Telegram bot."""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator, Field

from thoughtforge.integrations.http import NoAnswer, ask
from thoughtforge.integrations.notice import Notice, cut_bytes
from thoughtforge.kernel.model import Value
from thoughtforge.settings.environment import Machine
from thoughtforge.settings.outside import checked

MOST_BYTES = 4_000
"""Telegram refuses more than 4,096 characters; a byte is never more than one of them."""


class Options(Value):
    """One channel with `kind: telegram`."""

    chat_id: str | int
    """The chat that gets the messages."""
    token_env: str = "TELEGRAM_BOT_TOKEN"  # noqa: S105 - the name of a variable
    """The variable that holds the bot's token."""
    base_url: Annotated[str, AfterValidator(checked)] = "https://api.telegram.org"
    """The address of the bot API."""
    seconds: float = Field(default=10, gt=0, le=60)
    """The time limit."""


async def send(notice: Notice, options: Options, machine: Machine) -> str:
    """Why it did not go out; nothing when it did."""
    token = machine.secret(options.token_env)
    if token is None:
        return f"the variable {options.token_env} is not set"
    url = f"{options.base_url.rstrip('/')}/bot{token}/sendMessage"
    text = cut_bytes(f"{notice.title()}\n{notice.text()}", MOST_BYTES)
    body = {"chat_id": options.chat_id, "text": text, "link_preview_options": {"is_disabled": True}}
    try:
        said = await ask("POST", url, body=body, seconds=options.seconds)
    except NoAnswer as failure:
        return str(failure)
    if said.status == 200 and said.field("ok") is True:
        return ""
    if said.status in (401, 404):
        return f"Telegram does not know the bot; check the token in {options.token_env}."
    return f"Telegram answered {said.status}: {said.field('description') or 'without a reason'}"
