"""thoughtforge roles list|show|validate."""

from __future__ import annotations

from pathlib import Path

import click

from thoughtforge.cli.flags import json_flag


@click.group("roles")
def command() -> None:
    """Who does the work: definitions with tools, limits and what they must hand over."""


@command.command("list")
@json_flag
def list_(as_json: bool) -> None:
    """Every role in force."""
    from thoughtforge.cli.ends import print_json
    from thoughtforge.cli.here import known_here

    roles = known_here().roles
    if as_json:
        shown = ("name", "version", "stages", "reviews", "output_contract", "source")
        rows = [{key: getattr(role, key) for key in shown} for role in roles.values()]
        print_json({"ok": True, "exit_code": 0, "roles": rows})
        return
    for role in roles.values():
        place = ", ".join(role.stages) or f"reviews {', '.join(role.reviews)}"
        click.echo(f"{role.name:<22} {role.version}  {place:<40} → {role.output_contract}")


@command.command("show")
@click.argument("name")
@json_flag
def show(name: str, as_json: bool) -> None:
    """One role as it is in force, overrides applied."""
    from thoughtforge.cli.ends import print_json
    from thoughtforge.cli.here import known_here
    from thoughtforge.store.viewfiles import to_yaml

    known = known_here()
    known.catalog.find("roles", name)
    data = known.roles[name].model_dump(mode="json")
    if as_json:
        print_json({"ok": True, "exit_code": 0, "role": data})
        return
    click.echo(f"# {data['source']}\n{to_yaml(data)}", nl=False)


@command.command("validate")
@click.argument("file", type=click.Path(path_type=Path))
@json_flag
def validate(file: Path, as_json: bool) -> None:
    """Check a role file of your own as if it were committed, and list everything that is wrong, with its line."""
    from thoughtforge.cli.files import read_text, report
    from thoughtforge.cli.here import known_here
    from thoughtforge.service.trial import role_problems

    report(file, role_problems(known_here(), file.stem, read_text(file)), as_json)
