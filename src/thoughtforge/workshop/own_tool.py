"""Tools a repository adds by one file, `.thoughtforge/tools/NAME.yaml`: a command with named parameters, in a box.

description: Show the migrations that are not applied yet.
params: {app: {type: string, pattern: "^[a-z_]+$"}}
argv: [python, manage.py, showmigrations, "{app}"]
"""

from __future__ import annotations

import re
from typing import Any

import yaml
from pydantic import Field, ValidationError, model_validator

from thoughtforge.catalog import Catalog, DataFile, extension_names
from thoughtforge.kernel.errors import Mistake
from thoughtforge.kernel.model import Value
from thoughtforge.workshop.command import run_named, shown
from thoughtforge.workshop.desk import Desk, Result

PLACE = re.compile(r"\{(\w+)\}")
NAME = re.compile(r"[a-z][a-z0-9_]*")


class Definition(Value):
    """What such a file holds."""

    description: str = Field(min_length=1, max_length=300)
    argv: tuple[str, ...] = Field(min_length=1)
    """Program and arguments; `{name}` stands for a parameter and stays one argument whatever it holds."""
    params: dict[str, dict[str, Any]] = Field(default_factory=dict)
    """Parameter → JSON Schema. Every one of them must be given."""

    @model_validator(mode="after")
    def _places_are_known(self) -> Definition:
        unknown = {name for part in self.argv for name in PLACE.findall(part)} - self.params.keys()
        if unknown:
            raise ValueError(f"argv uses parameters that params does not have: {', '.join(sorted(unknown))}")
        return self


class OwnTool:
    """One such tool, as the bridge uses it."""

    WRITES = False

    def __init__(self, definition: Definition) -> None:
        self.DESCRIPTION = definition.description
        self.PARAMS = {
            "type": "object",
            "properties": definition.params,
            "required": sorted(definition.params),
            "additionalProperties": False,
        }
        self.argv = definition.argv

    async def use(self, params: dict[str, Any], desk: Desk) -> Result:
        """Run the command on a throw-away copy of the files."""
        argv = [PLACE.sub(lambda found: str(params[found[1]]), part) for part in self.argv]
        ended = await run_named(desk.the_workshop(), argv)
        how = f"was ended by the limit {ended.stopped}" if ended.stopped else f"ended with {ended.code}"
        told = [how, *(text for text in (shown(ended.stdout), shown(ended.stderr)) if text)]
        return Result(ended.code == 0 and not ended.stopped, f"{argv[0]} {how}", "\n".join(told))


def own_tools(catalog: Catalog) -> dict[str, OwnTool]:
    """Every tool added by a file; one that has the name of a tool of ours is a Mistake, never its replacement."""
    taken = set(extension_names("tools"))
    return {name: OwnTool(_read(catalog.find("tools", name), taken)) for name in catalog.names("tools")}


def _read(file: DataFile, taken: set[str]) -> Definition:
    if file.name in taken or not NAME.fullmatch(file.name):
        why = "has the name of a built-in tool" if file.name in taken else "needs a name of a-z, 0-9 and _"
        raise Mistake(f"{file.path} {why}", do="Rename the file; its name is the tool's name.")
    try:
        return Definition.model_validate(yaml.safe_load(file.text) or {})
    except (yaml.YAMLError, ValidationError) as error:
        found = error.errors() if isinstance(error, ValidationError) else []
        details = tuple(f"{'.'.join(str(part) for part in one['loc']) or 'file'}: {one['msg']}" for one in found)
        raise Mistake(f"{file.path} is no tool", do="See docs/extend.md.", details=details or (str(error),)) from error
