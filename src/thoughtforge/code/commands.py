"""A command of an agent: one a person named, without a shell, in a box, on files that are thrown away afterwards."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import yaml
from pydantic import Field, ValidationError, model_validator

from thoughtforge.catalog import Catalog, DataFile, extension_names
from thoughtforge.code.tool_context import ToolContext, ToolResult
from thoughtforge.kernel.errors import UserError
from thoughtforge.kernel.model import Value
from thoughtforge.sandbox import sandbox
from thoughtforge.sandbox.box import Mount, SandboxResult, SandboxSpec

if TYPE_CHECKING:
    from thoughtforge.code.session import CodeSession


MAX_OUTPUT = 256 * 1024
SHOWN = 6_000
"""Characters of output that an agent is shown: the beginning and, mostly, the end."""


def check_allowed(argv: Sequence[str], allowed: Sequence[Sequence[str]]) -> None:
    """A command line must begin, word by word, with one that was allowed; else a UserError names those."""
    if any("\0" in part for part in argv):
        raise UserError("a command cannot hold a NUL character", do="Leave it out.")
    if any(prefix and tuple(argv[: len(prefix)]) == tuple(prefix) for prefix in allowed):
        return
    said = " ".join(argv)[:200]
    if not allowed:
        raise UserError(
            f"no command may be run in this repository, so neither may {said!r}",
            do="Use the other tools; a person can allow commands with the setting commands in config.yaml.",
        )
    raise UserError(
        f"the command {said!r} is not allowed",
        do="Begin with one of the allowed commands; a person can add to the setting commands in config.yaml.",
        details=tuple(f"allowed: {' '.join(prefix)} …" for prefix in allowed),
    )


async def run(session: CodeSession, argv: Sequence[str]) -> SandboxResult:
    """Run a command a person allowed."""
    check_allowed(argv, session.rules.commands)
    return await run_named(session, argv)


async def run_named(
    session: CodeSession, argv: Sequence[str], *, more: Mapping[str, str] | None = None
) -> SandboxResult:
    """Run a command on a fresh copy of the files as they are now; what it writes is gone. `more` are variables."""
    environment = session.environment
    search = ":".join([*map(str, environment.path), sandbox.SEARCH_PATH])
    tree = await session.workspace.tree()
    async with session.checkout(tree) as root:
        box = SandboxSpec(
            cwd=root,
            mounts=(Mount(root, writable=True), *environment.mounts),
            env={"PATH": search, "TZ": "UTC", "TERM": "dumb", "NO_COLOR": "1", **(more or {})},
            limits=session.rules.limits,
        )
        return await sandbox.run(session.sandbox, box, argv, max_output=MAX_OUTPUT)


CODES = re.compile(
    r"\x1b(?:\[[0-?]*[ -/]*[@-~]|[\]PX^_].*?(?:\x07|\x1b\\)|[ -/]*[0-~])|[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]", re.DOTALL
)
"""What steers a terminal: colours, titles, the cursor; and every other control character but white space."""


def text_of(raw: bytes) -> str:
    """Output as text that people and agents can read."""
    return CODES.sub("", raw.decode("utf-8", "replace"))


def shown(raw: bytes, limit: int = SHOWN) -> str:
    """Output as text, its middle left out when it is long."""
    text = text_of(raw).strip()
    if len(text) <= limit:
        return text
    head, tail = text[: limit // 4], text[-(limit - limit // 4) :]
    return f"{head}\n[… {len(text) - limit:,} characters left out …]\n{tail}"


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

    async def use(self, params: dict[str, Any], context: ToolContext) -> ToolResult:
        """Run the command on a throw-away copy of the files."""
        argv = [PLACE.sub(lambda found: str(params[found[1]]), part) for part in self.argv]
        ended = await run_named(context.the_session(), argv)
        how = f"was ended by the limit {ended.stopped}" if ended.stopped else f"ended with {ended.code}"
        told = [how, *(text for text in (shown(ended.stdout), shown(ended.stderr)) if text)]
        return ToolResult(ended.code == 0 and not ended.stopped, f"{argv[0]} {how}", "\n".join(told))


def own_tools(catalog: Catalog) -> dict[str, OwnTool]:
    """Every tool added by a file; one that has the name of a tool of ours is a UserError, never its replacement."""
    taken = set(extension_names("tools"))
    return {name: OwnTool(_read(catalog.find("tools", name), taken)) for name in catalog.names("tools")}


def _read(file: DataFile, taken: set[str]) -> Definition:
    if file.name in taken or not NAME.fullmatch(file.name):
        why = "has the name of a built-in tool" if file.name in taken else "needs a name of a-z, 0-9 and _"
        raise UserError(f"{file.path} {why}", do="Rename the file; its name is the tool's name.")
    try:
        return Definition.model_validate(yaml.safe_load(file.text) or {})
    except (yaml.YAMLError, ValidationError) as error:
        found = error.errors() if isinstance(error, ValidationError) else []
        details = tuple(f"{'.'.join(str(part) for part in one['loc']) or 'file'}: {one['msg']}" for one in found)
        raise UserError(
            f"{file.path} is no tool", do="See docs/extend.md.", details=details or (str(error),)
        ) from error
