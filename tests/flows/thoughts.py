"""Thoughts for whole runs: a garden plan with scripted replies, the installed command, and what came of it."""

from __future__ import annotations

import asyncio
import json
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from harness import Done, spawn
from harness.environments import warm
from harness.forked import thoughtforge
from thoughtforge.assembly import make_app
from thoughtforge.catalog import Catalog
from thoughtforge.deliverables.plan import choose, render
from thoughtforge.deliverables.plan.markdown import parts
from thoughtforge.service.app import App
from thoughtforge.service.thoughts import Thought, begin
from thoughtforge.store.file_store import FileStore
from thoughtforge.store.home import Home

NOTE = "I want a plan for a small herb garden on the balcony. Budget is 80 euros. Not sure which pots to buy."
INTENT: dict[str, Any] = {
    "title": "Herb garden",
    "deliverable_type": "plan",
    "type_reason": "The note asks for a plan.",
    "objective": ["I want a plan for a small herb garden on the balcony."],
    "assumptions": [],
    "constraints": ["Budget is 80 euros."],
    "unknowns": [{"id": "U-1", "text": "Not sure which pots to buy."}],
    "open_questions": [{"id": "Q-1", "text": "Which herbs?"}],
    "context": [],
}
PROPOSAL: dict[str, Any] = {
    "plan_kind": "generic",
    "language": None,
    "overview": "A plan for herbs on a balcony.",
    "structure": [
        {"name": "Aim", "purpose": "What shall grow."},
        {"name": "Scope", "purpose": "Which herbs."},
        {"name": "Steps", "purpose": "Who does what.", "holds": ["actions"]},
        {"name": "Time", "purpose": "When."},
        {"name": "Money and means", "purpose": "What it costs.", "holds": ["figures"]},
        {"name": "Risks", "purpose": "What can go wrong."},
    ],
    "decisions": [{"id": "D-1", "title": "Pots", "decision": "Clay pots", "reason": "They breathe."}],
    "challenges": [],
    "resolved": [
        {"id": "U-1", "resolution": "Clay pots", "by": "ai"},
        {"id": "Q-1", "resolution": "Basil and thyme", "by": "ai"},
    ],
    "open": [],
    "dependencies": [],
    "scope": {"in": ["herbs"], "out": ["trees"]},
    "priorities": ["cheap"],
    "exclusions": [],
    "severity": {"critical": "It cannot be done.", "medium": "It is unclear.", "minor": "A matter of words."},
    "criteria": [{"id": "AC-1", "text": "Every herb has a pot."}],
    "traced": [{"id": "OBJ-1", "in": ["overview"]}, {"id": "CON-1", "in": ["AC-1", "priorities"]}],
    "components": [],
}
SECTIONS = ("aim", "scope", "steps", "time", "money", "risks")
FINDING = {
    "severity": "medium",
    "title": "Watering",
    "description": "Nobody says who waters the herbs.",
    "location": "Steps",
    "recommendation": "Name a person.",
}
Rule = dict[str, Any]


TASKS = "| What | Who | By when | Depends on |\n|---|---|---|---|\n| Buy pots | Ann | April | – |"


def contents(name: str) -> dict[str, str]:
    """What a section gets: its frame and, below it, the content; steps have a tasks table."""
    cells = {f"{name}_{column}": f"{name} {column} of the herbs" for column in ("objective", "plan", "assessment")}
    return {**cells, f"{name}_body": TASKS if name == "steps" else f"{name} body of the herbs"}


def section(name: str, **more: Any) -> Rule:
    """The content of one section."""
    content = contents(name)
    when = {"context": f"- {name}_objective:"}
    return {"when": when, "reply": {"stuck": False, "content": content}, **more}


def review(*issues: dict[str, Any], **more: Any) -> dict[str, Any]:
    """A review whose stated counts are right."""
    counts = {level: sum(i["severity"] == level for i in issues) for level in ("critical", "medium", "minor")}
    return {**counts, "issues": list(issues), **more}


class Garden(NamedTuple):
    """A folder outside any repository, with a home of its own."""

    folder: Path
    person: Path

    @property
    def home(self) -> Path:
        """Where tasks and projects live."""
        return self.person / ".local" / "state" / "thoughtforge"

    def run(self, *args: str, stdin: str = "", **env: str) -> Done:
        """Run the command to its end."""
        return thoughtforge(*args, cwd=self.folder, home=self.person, stdin=stdin, **env)

    def spawn(self, *args: str, **env: str) -> subprocess.Popen[str]:
        """Start the installed command and leave it running."""
        return spawn(*args, cwd=self.folder, home=self.person, **env)

    def json(self, *args: str, stdin: str = "", **env: str) -> dict[str, Any]:
        """The one object a command prints."""
        found: dict[str, Any] = self.run(*args, "--json", stdin=stdin, **env).json
        return found

    def note(self, text: str = NOTE, name: str = "notes.md") -> str:
        """A file with a brain dump."""
        (self.folder / name).write_text(text, encoding="utf-8")
        return name

    def script(self, *rules: Rule, **config: Any) -> None:
        """Configure these replies; a thought that becomes code finds its environment made."""
        self.home.mkdir(parents=True, exist_ok=True)
        text = json.dumps({"rules": list(rules)})
        (self.home / "playbook.yaml").write_text(text)
        if '"deliverable_type": "code"' in text:
            warm(self.home)
        entry = {"kind": "scripted", "playbook": "playbook.yaml"}
        data = {"version": 1, "provider": "script", "providers": {"script": entry}, **config}
        (self.home / "config.yaml").write_text(yaml.safe_dump(data))

    @property
    def task(self) -> str:
        """The only thought there is."""
        (found,) = [path.name for path in (self.home / "tasks").iterdir() if not path.name.startswith(".")]
        return found

    @property
    def record(self) -> Path:
        """The folder of its record."""
        return self.home / "tasks" / self.task

    @property
    def project(self) -> Path:
        """Its repository."""
        return self.home / "projects" / self.task

    def doc(self, name: str) -> str:
        """A document of it."""
        return (self.project / "docs" / name).read_text(encoding="utf-8")

    def view(self, name: str) -> Any:
        """A view of it."""
        return json.loads((self.record / name).read_text(encoding="utf-8"))

    def events(self, kind: str = "") -> list[dict[str, Any]]:
        """Its record, or what is in it of one kind."""
        lines = (self.record / "events.jsonl").read_text(encoding="utf-8").splitlines()
        found = [json.loads(line) for line in lines]
        return [event for event in found if not kind or event["type"] == kind]

    def contexts(self, stage: str = "") -> list[str]:
        """What agents were told, oldest first."""
        blobs = self.record / "blobs"
        return [(blobs / e["context"]).read_text() for e in self.events("call_started") if stage in ("", e["stage"])]

    def git(self, *args: str) -> str:
        """What git says about its repository."""
        return subprocess.run(["git", *args], cwd=self.project, capture_output=True, text=True, check=True).stdout

    def log(self) -> list[str]:
        """The subjects of its commits, newest first."""
        return self.git("log", "--format=%s").splitlines()

    def begin(self, text: str = NOTE) -> dict[str, Any]:
        """Begin a thought that a person confirms; a terminal is faked by nobody, the service is asked directly."""
        app = make_app_at(self)
        asyncio.run(begin(app, Thought(text=text)))
        return self.json("resume", "last")


def make_app_at(garden: Garden) -> App:
    """The program as the garden's person would start it."""
    home, made = Home(garden.home), make_app(garden.folder)
    store = FileStore(home, masker=lambda: app.masker, clock=made.clock)
    app = replace(made, store=store, home=home, user_home=garden.person)
    return app


def make_garden(folder: Path) -> Garden:
    """A fresh place."""
    place, person = folder / "desk", folder / "person"
    place.mkdir(parents=True)
    person.mkdir()
    return Garden(place, person)


def agreed(intent: dict[str, Any] = INTENT, proposal: dict[str, Any] = PROPOSAL) -> list[Rule]:
    """The replies until a proposal is confirmed."""
    return [
        {"when": {"context": "form of intent"}, "reply": intent},
        {"when": {"context": "form of proposal"}, "reply": proposal},
    ]


def built() -> list[Rule]:
    """The replies of a build without trouble."""
    return [section(name) for name in SECTIONS]


def plan_text(label: str = " (draft)", **changed: str) -> str:
    """The plan the sections make, with slots changed at will; a draft says so in its title."""
    template = choose(Catalog(project={}, user=None), "generic").template
    slots = {slot: text for name in SECTIONS for slot, text in contents(name).items()}
    return render(template, {**slots, **changed}, title=INTENT["title"] + label)


def fixed(heading: str = "Steps", **changed: str) -> dict[str, Any]:
    """A fix that replaces one section."""
    text = next(part.text for part in parts(plan_text(**changed)) if part.heading == heading)
    return {"sections": [{"heading": heading, "text": text.partition("\n")[2].strip()}]}


def polished() -> list[Rule]:
    """One critical point, its fix, then two reviews that find nothing."""
    critical = {**FINDING, "severity": "critical"}
    return [
        {"when": {"context": "form of plan_review"}, "reply": review(critical), "times": 1},
        {"when": {"context": "form of plan_fix"}, "reply": fixed(steps_plan="Ann waters them.")},
        {"when": {"context": "form of plan_review"}, "reply": review()},
        {"when": {"context": "form of recheck"}, "reply": {"fixed": ["F-001"], "still": []}},
    ]
