"""The commands for what tasks are made of: contracts, pipelines, roles and schema."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from thoughtforge.cli.flags import json_flag, read_text

if TYPE_CHECKING:
    from thoughtforge.service.library import Definitions


def _known() -> Definitions:
    """The definitions in force where the person stands."""
    import asyncio

    from thoughtforge.assembly import make_app
    from thoughtforge.service.definitions import known_here

    return asyncio.run(known_here(make_app()))


def _report(file: Path, problems: Sequence[Any], as_json: bool) -> None:
    """Everything wrong with a file, and the exit code."""
    from thoughtforge.cli.exit_codes import DONE, FAILED, Leave, print_value

    code = FAILED if problems else DONE
    if as_json:
        print_value({"problems": problems}, code=code)
        raise Leave(code)
    for problem in problems:
        click.echo(f"{problem.where}: {problem.what}", err=True)
    click.echo(f"{file}: {f'{len(problems)} problems' if problems else 'in order'}")
    raise Leave(code)


@click.group("contracts")
def contracts() -> None:
    """What artifacts must look like."""


@contracts.command("list")
@json_flag
def list_contracts(as_json: bool) -> None:
    """Every contract in force."""
    from thoughtforge.cli.exit_codes import print_value

    found = _known().contracts.values()
    if as_json:
        shown = ("name", "version", "description", "source")
        print_value({"contracts": [{key: getattr(contract, key) for key in shown} for contract in found]})
        return
    for contract in found:
        click.echo(f"{contract.name:<18} {contract.version}  {contract.description.split('. ')[0].strip()}")


@contracts.command("show")
@click.argument("name")
@json_flag
def show_contract(name: str, as_json: bool) -> None:
    """The fields and rules of one contract."""
    from thoughtforge.cli.exit_codes import print_value
    from thoughtforge.service.definitions import contract_outline

    known = _known()
    outline = contract_outline(known, name)
    contract = known.contracts[name]
    if as_json:
        print_value(contract)
        return
    click.echo(f"{contract.name} {contract.version} ({contract.source})\n{contract.description}\n")
    click.echo(outline)
    for rule in contract.rules:
        click.echo(f"rule: {rule}")


@contracts.command("validate")
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--contract", help="The contract; without it the file's name or shape decides.")
@json_flag
def validate_contract(file: Path, contract: str | None, as_json: bool) -> None:
    """Check FILE against a contract and list everything that is wrong."""
    from thoughtforge.cli.exit_codes import DONE, FAILED, Leave, print_value
    from thoughtforge.service.definitions import contract_problems

    found = contract_problems(_known(), file, contract)
    code = FAILED if found.problems else DONE
    if as_json:
        print_value(found, code=code)
        raise Leave(code)
    for problem in found.problems:
        click.echo(f"{file}: {problem.where}: {problem.what}", err=True)
    broken = f"breaks the contract {found.contract} in {len(found.problems)} places"
    click.echo(f"{file}: {broken if found.problems else f'meets the contract {found.contract}'}")
    raise Leave(code)


@click.group("pipelines")
def pipelines() -> None:
    """The stages of each goal; each pipeline is one file."""


@pipelines.command("list")
@json_flag
def list_pipelines(as_json: bool) -> None:
    """Every pipeline in force."""
    from thoughtforge.cli.exit_codes import print_value

    found = [item.pipeline for item in _known().pipelines.values()]
    if as_json:
        rows = [{"name": p.name, "description": p.description, "stages": [s.name for s in p.stages]} for p in found]
        print_value({"pipelines": rows})
        return
    for pipeline in found:
        click.echo(f"{pipeline.name:<10} {' → '.join(stage.name for stage in pipeline.stages)}")
        click.echo(f"           {pipeline.description}")


@pipelines.command("show")
@click.argument("name")
@json_flag
def show_pipeline(name: str, as_json: bool) -> None:
    """One pipeline with the properties of its stages."""
    from thoughtforge.cli.exit_codes import print_value
    from thoughtforge.views.yaml_text import to_yaml

    known = _known()
    known.catalog.find("pipelines", name)
    item = known.pipelines[name]
    if as_json:
        print_value({"source": item.source, "pipeline": item.pipeline})
        return
    click.echo(f"# {item.source}\n{to_yaml(item.pipeline.model_dump(mode='json'))}", nl=False)


@pipelines.command("validate")
@click.argument("file", type=click.Path(path_type=Path))
@json_flag
def validate_pipeline(file: Path, as_json: bool) -> None:
    """Check a pipeline file of your own and list everything that is wrong, with its line."""
    from thoughtforge.service.definitions import pipeline_problems

    _report(file, pipeline_problems(_known(), str(file), read_text(file)), as_json)


@click.group("roles")
def roles() -> None:
    """Who does the work: definitions with tools, limits and what they must hand over."""


@roles.command("list")
@json_flag
def list_roles(as_json: bool) -> None:
    """Every role in force."""
    from thoughtforge.cli.exit_codes import print_value

    found = _known().roles.values()
    if as_json:
        shown = ("name", "version", "stages", "reviews", "output_contract", "source")
        print_value({"roles": [{key: getattr(role, key) for key in shown} for role in found]})
        return
    for role in found:
        place = ", ".join(role.stages) or f"reviews {', '.join(role.reviews)}"
        click.echo(f"{role.name:<22} {role.version}  {place:<40} → {role.output_contract}")


@roles.command("show")
@click.argument("name")
@json_flag
def show_role(name: str, as_json: bool) -> None:
    """One role as it is in force, with overrides applied."""
    from thoughtforge.cli.exit_codes import print_value
    from thoughtforge.views.yaml_text import to_yaml

    known = _known()
    known.catalog.find("roles", name)
    data = known.roles[name].model_dump(mode="json")
    if as_json:
        print_value({"role": data})
        return
    click.echo(f"# {data['source']}\n{to_yaml(data)}", nl=False)


@roles.command("validate")
@click.argument("file", type=click.Path(path_type=Path))
@json_flag
def validate_role(file: Path, as_json: bool) -> None:
    """Check a role file of your own as if it were committed, and list everything that is wrong, with its line."""
    from thoughtforge.service.definitions import role_problems

    text = read_text(file)
    _report(file, role_problems(_known(), file.stem, text), as_json)


@click.command("schema")
@click.argument("name", required=False)
def schema(name: str | None) -> None:
    """Print the JSON Schema of NAME: a contract, `events`, `config` or `task`. Without NAME: list them."""
    from thoughtforge.cli.exit_codes import print_json
    from thoughtforge.service import definitions

    known = _known()
    if name is None:
        click.echo("\n".join(definitions.schema_names(known)))
    else:
        print_json(definitions.schema(known, name))
