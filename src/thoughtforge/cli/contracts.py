"""thoughtforge contracts list|show|validate."""

from __future__ import annotations

from pathlib import Path

import click

from thoughtforge.cli.flags import json_flag


@click.group("contracts")
def command() -> None:
    """What artifacts must look like."""


@command.command("list")
@json_flag
def list_(as_json: bool) -> None:
    """Every contract in force."""
    from thoughtforge.cli.ends import print_json
    from thoughtforge.cli.here import known_here

    contracts = known_here().contracts
    if as_json:
        shown = ("name", "version", "description", "source")
        rows = [{key: getattr(contract, key) for key in shown} for contract in contracts.values()]
        print_json({"ok": True, "exit_code": 0, "contracts": rows})
        return
    for contract in contracts.values():
        click.echo(f"{contract.name:<18} {contract.version}  {contract.description.split('. ')[0].strip()}")


@command.command("show")
@click.argument("name")
@json_flag
def show(name: str, as_json: bool) -> None:
    """The fields and rules of one contract."""
    from thoughtforge.agent.outline import outline
    from thoughtforge.cli.ends import print_json
    from thoughtforge.cli.here import known_here

    known = known_here()
    known.catalog.find("contracts", name)
    contract = known.contracts[name]
    if as_json:
        print_json({"ok": True, "exit_code": 0, **contract._asdict()})
        return
    click.echo(f"{contract.name} {contract.version} ({contract.source})\n{contract.description}\n")
    click.echo(outline(contract.schema))
    for rule in contract.rules:
        click.echo(f"rule: {rule}")


@command.command("validate")
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--contract", help="The contract; without it the file's name or shape decides.")
@json_flag
def validate(file: Path, contract: str | None, as_json: bool) -> None:
    """Hold FILE against a contract and list everything that is wrong."""
    from thoughtforge.cli.ends import DONE, FAILED, Leave, print_json
    from thoughtforge.cli.here import known_here
    from thoughtforge.contracts.validate import check
    from thoughtforge.service.fitting import fitting_contract, given_for
    from thoughtforge.service.submit import read_artifact

    known = known_here()
    data = read_artifact(file)
    name = fitting_contract(known, file, data, contract)
    problems = check(data, known.contracts[name], given_for(known))
    code = FAILED if problems else DONE
    if as_json:
        rows = [problem.model_dump() for problem in problems]
        print_json({"ok": not problems, "exit_code": code, "contract": name, "problems": rows})
        raise Leave(code)
    for problem in problems:
        click.echo(f"{file}: {problem.where}: {problem.what}", err=True)
    word = f"breaks the contract {name} in {len(problems)} places" if problems else f"keeps the contract {name}"
    click.echo(f"{file}: {word}")
    raise Leave(code)
