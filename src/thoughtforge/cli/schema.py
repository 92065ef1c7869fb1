"""thoughtforge schema NAME."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click


@click.command("schema")
@click.argument("name", required=False)
def command(name: str | None) -> None:
    """Print the JSON Schema of NAME: a contract, `events`, `config` or `task`. Without NAME: list them."""
    from thoughtforge.cli.ends import print_json
    from thoughtforge.cli.here import known_here
    from thoughtforge.kernel.errors import Mistake
    from thoughtforge.kernel.model import Task
    from thoughtforge.settings.config import Config
    from thoughtforge.store.reading import union

    contracts = known_here().contracts
    makers: dict[str, Callable[[], dict[str, Any]]] = {
        "events": lambda: union().json_schema(),
        "config": lambda: Config.model_json_schema(),
        "task": lambda: Task.model_json_schema(),
    }
    if name is None:
        click.echo("\n".join([*contracts, *makers]))
    elif name in contracts:
        print_json(contracts[name].schema)
    elif name in makers:
        print_json(makers[name]())
    else:
        raise Mistake(f"there is no schema {name!r}", do=f"Known: {', '.join([*contracts, *makers])}")
