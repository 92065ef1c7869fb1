"""Posts the five fields as JSON to an address of your own; also what Slack and Discord take."""

from __future__ import annotations

from typing import Annotated, Self

from pydantic import AfterValidator, Field, model_validator

from thoughtforge.integrations.http import NoAnswer, ask
from thoughtforge.integrations.notice import Notice, cut_bytes
from thoughtforge.kernel.model import Value
from thoughtforge.settings.environment import Machine
from thoughtforge.settings.outside import checked

TEXT_BYTES = 1_900
"""Discord refuses a message of more than 2,000 characters."""


class Options(Value):
    """One channel with `kind: webhook`."""

    url: Annotated[str, AfterValidator(checked)] | None = None
    """The URL to post to."""
    url_env: str | None = None
    """The variable that holds the address, when the address itself is a secret."""
    token_env: str | None = None
    """The variable that holds a token, sent as `Authorization: Bearer`."""
    text_key: str | None = None
    """Post the whole text under this one key instead of the five fields: `text` for Slack, `content` for Discord."""
    seconds: float = Field(default=10, gt=0, le=60)
    """The time limit."""

    @model_validator(mode="after")
    def _one_address(self) -> Self:
        if (self.url is None) == (self.url_env is None):
            raise ValueError("give one of url and url_env")
        return self


async def send(notice: Notice, options: Options, machine: Machine) -> str:
    """Why it did not go out; nothing when it did."""
    wanted = {name: machine.secret(name) for name in (options.url_env, options.token_env) if name}
    missing = [name for name, value in wanted.items() if value is None]
    if missing:
        return f"the variable {missing[0]} is not set"
    url = options.url or wanted[options.url_env or ""] or ""
    headers = {"Authorization": f"Bearer {wanted[options.token_env]}"} if options.token_env else {}
    body: dict[str, str] = notice.model_dump()
    if options.text_key:
        body = {options.text_key: cut_bytes(f"{notice.title()}\n{notice.text()}", TEXT_BYTES)}
    try:
        said = await ask("POST", url, headers=headers, body=body, seconds=options.seconds)
    except NoAnswer as failure:
        return str(failure)
    return "" if 200 <= said.status < 300 else f"the webhook answered {said.status}"
