"""The real agents with their own tools left on: then only the cage holds them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

from model_server import Use
from thoughtforge.agent_runtime.cli import Ask, Cli, Launch, Output, TurnOutput
from thoughtforge.providers.claude_cli import Claude
from thoughtforge.providers.codex_cli import Codex, native
from thoughtforge.providers.gemini_cli import Gemini
from thoughtforge.providers.opencode_cli import Opencode

NAMES = ("claude", "codex", "gemini", "opencode")
MODELS = {"claude": "stub-model", "codex": "stub-model", "gemini": "gemini-2.5-pro", "opencode": "stub/stub-model"}


class Own(NamedTuple):
    """How an agent calls its own tools."""

    shell: str
    command: str
    write: str = ""
    path: str = "file_path"
    refused: str = "[Rr]ead-only file system|EROFS"
    """What it says when the kernel refuses the write."""

    def runs(self, command: str) -> Use:
        return Use(self.shell, {self.command: command, "description": "Look around"}, usage=(100, 50))

    def writes(self, path: Path) -> Use:
        if not self.write:
            return self.runs(f"echo planted > {path}")
        return Use(self.write, {self.path: str(path), "content": "planted\n"}, usage=(100, 50))


OWN = {
    "claude": Own("Bash", "command", "Write"),
    "codex": Own("exec_command", "cmd"),
    "gemini": Own("run_shell_command", "command", "write_file"),
    "opencode": Own("bash", "command", "write", "filePath", r"FileSystem\.writeFile"),
}


def cli_of(name: str, programs: Path) -> Cli:
    """The agent as its provider file starts it."""
    found = str(programs / ".bin" / name)
    if name == "opencode":
        return Opencode(found, vendor="stub")
    if name == "codex":
        return Codex(str(native(Path(found))))
    return Claude(found) if name == "claude" else Gemini(found)


class Loose:
    """An agent that is allowed everything by its own configuration."""

    def __init__(self, name: str, cli: Cli) -> None:
        self.name = name
        self.cli = cli
        self.program, self.api, self.endpoint = cli.program, cli.api, cli.endpoint
        self.parts, self.moved, self.images = cli.parts, cli.moved, cli.images
        self.login, self.hosts, self.install, self.log_in = cli.login, cli.hosts, cli.install, cli.log_in

    def launch(self, ask: Ask) -> Launch:
        launch = self.cli.launch(ask)
        loosened: Launch = getattr(self, f"_{self.name}")(launch)
        return loosened

    def read(self, ask: Ask, output: Output) -> TurnOutput:
        return self.cli.read(ask, output)

    def progress(self, line: bytes) -> str:
        return self.cli.progress(line)

    def _claude(self, launch: Launch) -> Launch:
        argv = [word for word in launch.argv if word != "--bare"]
        argv[argv.index("--tools") + 1] = "Bash,Write"
        argv[argv.index("--allowedTools") + 1] += ",Bash,Write"
        return launch._replace(argv=tuple(argv))

    def _codex(self, launch: Launch) -> Launch:
        argv = ["danger-full-access" if word == "read-only" else word for word in launch.argv]
        for feature in ("shell_tool", "unified_exec"):
            argv[1:1] = ["--enable", feature]
        name, catalogue = _file(launch, "models.json")
        for model in catalogue["models"]:
            model["shell_type"] = "unified_exec"
        return launch._replace(argv=tuple(argv), files={**launch.files, name: json.dumps(catalogue)})

    def _gemini(self, launch: Launch) -> Launch:
        argv = list(launch.argv)
        at = argv.index("--policy")
        del argv[at : at + 2]
        name, settings = _file(launch, "settings.json")
        del settings["tools"]
        return launch._replace(argv=(*argv, "-y"), files={**launch.files, name: json.dumps(settings)})

    def _opencode(self, launch: Launch) -> Launch:
        name, config = _file(launch, "opencode.json")
        (agent,) = config["agent"].values()
        agent["permission"] = config["permission"] = {"*": "allow"}
        return launch._replace(files={**launch.files, name: json.dumps(config)})


def _file(launch: Launch, name: str) -> tuple[str, dict[str, Any]]:
    """A file of the private home by the end of its path."""
    (path,) = (path for path in launch.files if path.endswith(name))
    return path, json.loads(launch.files[path])
