"""thoughtforge pipelines list|show|validate."""

from __future__ import annotations

from pathlib import Path

import click

from thoughtforge.cli.flags import json_flag


@click.group("pipelines")
def command() -> None:
    """The stages of each goal; one file per pipeline and no other table."""


@command.command("list")
@json_flag
def list_(as_json: bool) -> None:
    """Every pipeline in force."""
    from thoughtforge.cli.ends import print_json
    from thoughtforge.cli.here import known_here

    found = [item.pipeline for item in known_here().pipelines.values()]
    if as_json:
        rows = [{"name": p.name, "description": p.description, "stages": [s.name for s in p.stages]} for p in found]
        print_json({"ok": True, "exit_code": 0, "pipelines": rows})
        return
    for pipeline in found:
        click.echo(f"{pipeline.name:<10} {' → '.join(stage.name for stage in pipeline.stages)}")
        click.echo(f"           {pipeline.description}")


@command.command("show")
@click.argument("name")
@json_flag
def show(name: str, as_json: bool) -> None:
    """One pipeline with the properties of its stages."""
    from thoughtforge.cli.ends import print_json
    from thoughtforge.cli.here import known_here
    from thoughtforge.store.viewfiles import to_yaml

    known = known_here()
    known.catalog.find("pipelines", name)
    item = known.pipelines[name]
    data = item.pipeline.model_dump(mode="json")
    if as_json:
        print_json({"ok": True, "exit_code": 0, "source": item.source, "pipeline": data})
        return
    click.echo(f"# {item.source}\n{to_yaml(data)}", nl=False)


@command.command("validate")
@click.argument("file", type=click.Path(path_type=Path))
@json_flag
def validate(file: Path, as_json: bool) -> None:
    """Check a pipeline file of your own and list everything that is wrong, with its line."""
    from thoughtforge.catalog import extension_names
    from thoughtforge.cli.files import read_text, report
    from thoughtforge.cli.here import known_here
    from thoughtforge.intake.pipelines import Names, check_file

    known = known_here()
    names = Names(
        contracts=frozenset(known.contracts),
        roles=frozenset(known.roles),
        drivers=frozenset(extension_names("drivers")) | {"code", "deliver"},
        pipelines=frozenset(known.pipelines),
    )
    report(file, check_file(read_text(file), str(file), catalog=known.catalog, known=names), as_json)
