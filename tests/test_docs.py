"""The documentation is true: generated parts are fresh, links lead somewhere, commands exist, examples run."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import click
import pytest
import yaml

from harness import PLAYBOOK, REQUEST, configure, environment, events, git, sample_repository, thoughtforge
from sessions import SHELF, in_session
from thoughtforge.assembly import make_app
from thoughtforge.catalog import Catalog
from thoughtforge.cli.main import cli
from thoughtforge.code.commands import own_tools
from thoughtforge.deliverables.plan import choose, render
from thoughtforge.kernel.stops import TaskStatus
from thoughtforge.service.messages import items_of
from thoughtforge.service.notify import channels
from thoughtforge.store.home import Home
from thoughtforge.think.connecting import connectors

ROOT = Path(__file__).parents[1]
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("changes/*.md")])
BLOCK = re.compile(r"^```(\w+) ?(\S*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


class Example(NamedTuple):
    """A code block with the file it is meant for."""

    language: str
    path: str
    text: str


def examples(page: Path) -> list[Example]:
    return [Example(*found) for found in BLOCK.findall(page.read_text(encoding="utf-8"))]


def named(page: str) -> dict[str, str]:
    """Path → text of every example of a page that names its file."""
    return {example.path: example.text for example in examples(ROOT / page) if example.path}


def shown_commands(page: Path) -> Iterator[str]:
    """Every command line in a console block or in back-ticks that calls ours."""
    text = page.read_text(encoding="utf-8")
    for example in examples(page):
        if example.language == "console":
            yield from re.findall(r"^\$ thoughtforge (.+)$", example.text, re.MULTILINE)
    yield from re.findall(r"`thoughtforge ([^`]+)`", text)


def wrong_with(line: str) -> str:
    """What is wrong with a command line; nothing when its command and options exist."""
    words = shlex.split(line.split("|")[0])
    if words[0].startswith("-"):
        known = {"--help", *(name for param in cli.params for name in param.opts)}
        return "" if words[0] in known else f"there is no option {words[0]}"
    command = cli.get_command(click.Context(cli), words.pop(0))
    while isinstance(command, click.Group) and words:
        command = command.get_command(click.Context(command), words.pop(0))
    if command is None:
        return "there is no such command"
    known = {name for param in command.params for name in (*param.opts, *param.secondary_opts)}
    unknown = [word for word in words if word.startswith("-") and word != "-" and word.split("=")[0] not in known]
    return f"unknown: {', '.join(unknown)}" if unknown else ""


def test_the_generated_parts_are_what_the_code_says_now() -> None:
    program = [sys.executable, str(ROOT / "scripts" / "write-docs.py"), "--check"]
    ended = subprocess.run(program, capture_output=True, text=True, check=False, timeout=60)
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "", "")


def test_there_are_pages_to_look_at() -> None:
    names = {str(page.relative_to(ROOT)) for page in PAGES}
    wanted = {
        "tour",
        "glossary",
        "guards",
        "think-inputs",
        "extend",
        "config",
        "commands",
        "events",
        "states",
        "record",
        "design/README",
    }
    assert {f"docs/{name}.md" for name in wanted} | {"README.md", "CHANGELOG.md", "changes/README.md"} <= names


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_within_the_project_leads_to_a_file(page: Path) -> None:
    links = re.findall(r"\]\(([^)#\s]+)", page.read_text(encoding="utf-8"))
    inside = [link for link in links if "://" not in link]
    assert [link for link in inside if not (page.parent / link).exists()] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_command_a_page_shows_exists_with_its_options(page: Path) -> None:
    wrong = {line: problem for line in shown_commands(page) if (problem := wrong_with(line))}
    assert wrong == {}


def test_a_command_that_does_not_exist_would_be_noticed() -> None:
    assert wrong_with("desing x") == "there is no such command"
    assert wrong_with("roles lst") == "there is no such command"
    assert wrong_with("design x --jason") == "unknown: --jason"
    assert wrong_with("design x --json") == ""


def test_the_files_a_page_names_below_src_exist() -> None:
    wrong = []
    for page in [ROOT / "docs" / "tour.md", *(ROOT / "docs" / "design").glob("*.md"), ROOT / "docs" / "extend.md"]:
        for name in re.findall(r"`([a-z_]+/[a-z_/]+\.(?:py|yaml|md))`", page.read_text(encoding="utf-8")):
            if not any((root / name).exists() for root in (ROOT, ROOT / "src" / "thoughtforge")):
                wrong.append(f"{page.name}: {name}")
    assert wrong == []


def test_a_design_note_is_listed_and_fits_on_a_screen() -> None:
    notes = [page for page in (ROOT / "docs" / "design").glob("*.md") if page.name != "README.md"]
    listed = re.findall(r"\]\(([^)]+)\)", (ROOT / "docs" / "design" / "README.md").read_text(encoding="utf-8"))
    assert sorted(listed) == sorted(page.name for page in notes)
    assert [page.name for page in notes if len(page.read_text(encoding="utf-8").splitlines()) >= 40] == []


def test_a_fragment_is_one_sentence_with_a_known_ending() -> None:
    fragments = [page for page in (ROOT / "changes").glob("*") if page.name != "README.md"]
    wrong = [
        page.name
        for page in fragments
        if not re.fullmatch(r"[a-z0-9-]+\.(added|changed|fixed)\.md", page.name)
        or len(page.read_text(encoding="utf-8").splitlines()) != 1
    ]
    assert (wrong, bool(fragments)) == ([], True)


def test_the_glossary_is_short_and_explains_no_word_twice() -> None:
    text = (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8")
    words = [word for word in re.findall(r"^\| ([^|`]+) \| ", text, re.MULTILINE) if word != "word"]
    assert (sorted(set(words)), 1 <= len(words) <= 55) == (sorted(words), True)
    assert len(words) == len([line for line in text.splitlines() if line.startswith("|")]) - 2 * text.count("| word |")


def test_the_readme_has_exactly_the_two_commands_to_set_up() -> None:
    lines = [block.text for block in examples(ROOT / "README.md") if "make" in block.text]
    assert lines == ["$ make demo\n$ make test\n"]


def test_the_feedback_file_of_the_manual_is_taken(tmp_path: Path) -> None:
    file = tmp_path / "feedback.yaml"
    file.write_text(named("docs/commands.md")["feedback.yaml"], encoding="utf-8")
    assert items_of(None, file) == [
        "Good, but it does not say what happens on errors.",
        "[must address] REQ-001: The exit code is not specified. — Use 1 when the file cannot be read.",
        "[should consider] The title could be shorter.",
    ]


@pytest.fixture(scope="module")
def extended(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository with every data file of extend.md committed, beside a distribution of its modules."""
    place = tmp_path_factory.mktemp("extended")
    files = named("docs/extend.md")
    for path, text in files.items():
        if path.endswith(".py"):
            (place / "site" / path).parent.mkdir(parents=True, exist_ok=True)
            (place / "site" / path).write_text(text, encoding="utf-8")
    _install(place / "site", tomllib.loads(files["pyproject.toml"])["project"])
    repository = place / "shelf"
    repository.mkdir()
    data = {path: text for path, text in files.items() if path.startswith(".thoughtforge/")}
    sample_repository(repository, data)
    (place / "person").mkdir()
    return place


def _install(site: Path, project: dict[str, object]) -> None:
    """What pip leaves of a distribution that matters here: its name and its entry points."""
    info = site / f"{str(project['name']).replace('-', '_')}-{project['version']}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n")
    groups = project["entry-points"]
    assert isinstance(groups, dict)
    lines = [f"[{group}]\n" + "\n".join(f"{k} = {v}" for k, v in points.items()) for group, points in groups.items()]
    (info / "entry_points.txt").write_text("\n\n".join(lines) + "\n")


def test_the_provider_tool_role_and_prompt_of_the_manual_do_a_design(extended: Path) -> None:
    repository, playbook = extended / "shelf", yaml.safe_load(PLAYBOOK.read_text(encoding="utf-8"))
    (extended / "intake.json").write_text(json.dumps(playbook["rules"][0]["reply"]))
    counting = {"tool": "count_lines", "params": {"path": "shelf/report.py"}}
    first = {"when": {"context": ["^stage: analyze$", "recent_actions\n- none yet"]}, "reply": counting}
    last = next(rule for rule in playbook["rules"] if "path=shelf/cli.py" in rule["when"]["context"])
    then = {**last, "when": {"context": ["^stage: analyze$", "count_lines path=shelf/report.py → ok"]}}
    (extended / "play.yaml").write_text(yaml.safe_dump({"rules": [first, then, *playbook["rules"]]}))
    configure(
        repository,
        provider="script",
        providers={
            "script": {"kind": "scripted", "playbook": str(extended / "play.yaml")},
            "program": {"kind": "command", "argv": ["cat", str(extended / "intake.json")]},
        },
        roles={"requirements_analyst": {"provider": "program"}},
        limits={"usd": None},  # nobody knows what the program costs
    )
    told = _run(extended, "design", REQUEST, "--through", "analyze")
    assert (told["exit_code"], told["state"], told["deliverable"]["contract"]) == (0, "done", "analysis")
    record = events(repository, told["task"])
    calls = [event for event in record if event["type"] == "call_started"]
    assert [(call["stage"], call["provider"]) for call in calls][:2] == [("intake", "program"), ("clarify", "script")]
    counted = [event["summary"] for event in record if event["type"] == "action_taken" and event["stage"] == "analyze"]
    assert counted[0] == "shelf/report.py has 9 lines"
    blobs = repository / ".thoughtforge" / "tasks" / told["task"] / "blobs"
    assert "in the words of our domain: a shelf holds items" in (blobs / calls[0]["context"]).read_text()
    assert "Prefer the smallest change that keeps the rules" in (blobs / calls[-1]["system"]).read_text()


def test_the_driver_contract_and_pipeline_of_the_manual_take_a_request_to_its_end(extended: Path) -> None:
    configure(extended / "shelf")
    told = _run(extended, "start", "Inventory this repository")
    assert (told["exit_code"], told["goal"], told["deliverable"]["contract"]) == (0, "inventory", "inventory")
    paths = [Path(path) for path in git("ls-files", cwd=extended / "shelf").split()]
    endings = sorted({path.suffix or "none" for path in paths})
    wanted = [{"ending": end, "files": sum((path.suffix or "none") == end for path in paths)} for end in endings]
    assert yaml.safe_load(Path(told["deliverable"]["path"]).read_text()) == {"endings": wanted}


def test_the_check_and_the_conformance_file_of_the_manual_find_what_they_are_for(extended: Path) -> None:
    configure(extended / "shelf")
    planted = {"shelf/later.py": "# TODO tidy\n# TODO(ada) tidy\n", "NOTES.md": "one\n\ttwo\n"}
    for name, text in planted.items():
        (extended / "shelf" / name).write_text(text)
    told = _run(extended, "check", *planted)
    for name in planted:
        (extended / "shelf" / name).unlink()
    findings = told["new"]
    assert isinstance(findings, list)
    found = [(one["check"], one["path"], one["line"]) for one in findings]
    assert (told["exit_code"], told["broken"]) == (1, [])
    assert sorted(found) == [("named-todos", "shelf/later.py", 1), ("no-tabs", "NOTES.md", 2)]


def test_the_tool_file_of_the_manual_runs_its_command_in_the_sandbox() -> None:
    text = named("docs/extend.md")[".thoughtforge/tools/count_words.yaml"]
    tool = own_tools(Catalog(project={"tools/count_words.yaml": text}, user=None))["count_words"]
    used = in_session(lambda context: tool.use({"file": "shelf/books.py"}, context))
    words = len(str(SHELF["shelf/books.py"]).split())
    assert (used.ok, used.output.split()[-2:]) == (True, [str(words), "shelf/books.py"])


def test_the_history_of_the_manual_can_be_evaluated(tmp_path: Path) -> None:
    (tmp_path / "HISTORY.json").write_text(named("docs/guards.md")["HISTORY.json"])
    ended = thoughtforge("polish", "evaluate", "HISTORY.json", "--profile", "classic", cwd=tmp_path, home=tmp_path)
    assert (ended.code, ended.out.splitlines()[0]) == (0, "done by termination at iteration 2 (profile classic)")


def test_the_guard_and_the_profile_of_the_manual_end_a_loop(extended: Path) -> None:
    configure(extended / "shelf")
    rows = [{"critical": 0, "medium": medium, "minor": 9} for medium in (1, 0, 0, 0)]
    file = extended / "HISTORY.json"
    file.write_text(json.dumps({"iterations": rows}))
    assert _run(extended, "polish", "evaluate", str(file), "--profile", "patient") == {
        "outcome": "done",
        "guard": "only_minors",
        "explanation": "Only minor findings in 2 reviews in a row. Open: 0 critical, 0 medium, 9 minor.",
        "iteration": 3,
        "warnings": [],
    }


def test_the_plan_template_of_the_manual_can_be_chosen_and_filled() -> None:
    text = named("docs/extend.md")[".thoughtforge/templates/voyage.md"]
    chosen = choose(Catalog(project={"templates/voyage.md": text}, user=None), "voyage")
    assert [section.heading for section in chosen.template.sections] == ["Route", "Crew"]
    filled = render(chosen.template, {"crew_plan": "Ada | Bo"}, title="North")
    assert (chosen.warning, "|  | Ada \\| Bo |  |\n" in filled) == ("", True)


RUN_SHELL = """
import json, pathlib, sys
from suite_runs import run_tests
report = run_tests(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), name="shell")
print(json.dumps([report.broken, {id: one.outcome for id, one in report.results.items()}]))
"""


def test_the_runner_of_the_manual_runs_tests_in_the_sandbox(extended: Path, tmp_path: Path) -> None:
    (tmp_path / "files" / "tests").mkdir(parents=True)
    (tmp_path / "files" / "tests" / "good.sh").write_text("test -d tests\n")
    (tmp_path / "files" / "tests" / "bad.sh").write_text("echo ok - forged; exit 3\n")
    argv = [sys.executable, "-c", RUN_SHELL, str(tmp_path / "files"), str(tmp_path / "scratch")]
    env = environment(tmp_path, PYTHONPATH=f"{extended / 'site'}:{ROOT / 'tests'}")
    ran = subprocess.run(argv, env=env, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    assert json.loads(ran.stdout) == ["", {"tests/bad.sh::passes": "failed", "tests/good.sh::passes": "passed"}]


PULL = """
import asyncio, pathlib, sys
from thoughtforge.think.connecting import connect
from thoughtforge.settings.environment import Machine
place = pathlib.Path(sys.argv[1])
settings = {"shared_folder": {"enabled": True, "folder": "shared"}}
text = "See https://files.example/garden and https://files.example/gone."
machine, all_may_be_kept = Machine(lambda name: None, place), lambda name: ""
pulled = connect(text, place / "resources", settings=settings, machine=machine, forbids=all_may_be_kept)
done = asyncio.run(pulled)
print(*done.saved, *done.said, sep="\\n")
"""


def test_the_connector_of_the_manual_fills_the_resources(extended: Path, tmp_path: Path) -> None:
    (tmp_path / "shared").mkdir()
    (tmp_path / "shared" / "garden.md").write_text("# Garden\n")
    env = environment(tmp_path, PYTHONPATH=str(extended / "site"))
    argv = [sys.executable, "-c", PULL, str(tmp_path)]
    ran = subprocess.run(argv, env=env, capture_output=True, text=True, check=False)
    assert ran.stderr == ""
    told = ["Saved shared_garden.md from shared_folder.", "There is no file 'gone' in the shared folder."]
    assert ran.stdout.splitlines() == ["shared_garden.md", *told]
    assert (tmp_path / "resources" / "shared_garden.md").read_text() == "# Garden\n"


def test_the_notifier_of_the_manual_is_told(extended: Path) -> None:
    diary = extended / "shelf" / ".thoughtforge" / "diary.txt"
    configure(extended / "shelf", notifications={"channels": {"mine": {"kind": "diary", "file": "diary.txt"}}})
    told = _run(extended, "notify", "test")
    assert told == {"ok": True, "exit_code": 0, "channels": [{"channel": "mine", "ok": True, "why": ""}]}
    assert diary.read_text().startswith("milestone_complete: ThoughtForge: This is a test of your notifications")


def test_the_settings_of_the_manual_are_taken(tmp_path: Path) -> None:
    shown = [yaml.safe_load(one.text) for one in examples(ROOT / "docs" / "think-inputs.md") if one.language == "yaml"]
    app = make_app(tmp_path)
    (tmp_path / "home").mkdir()
    path = tmp_path / "home" / "config.yaml"
    path.write_text(yaml.safe_dump({key: value for one in shown for key, value in one.items()}))
    app = replace(app, home=Home(tmp_path / "home"))
    assert [one.name for one in connectors(app.loaded.config.connectors)] == ["google_drive", "notion"]
    assert [one.name for one in channels(app)] == ["desktop", "phone", "team"]


@pytest.mark.parametrize("kind", ["roles", "pipelines"])
def test_the_data_files_of_the_manual_are_in_order(extended: Path, kind: str) -> None:
    files = [path for path in named("docs/extend.md") if path.startswith(f".thoughtforge/{kind}/")]
    assert len(files) == 1
    assert _run(extended, kind, "validate", files[0]) == {"ok": True, "exit_code": 0, "problems": []}


def _run(place: Path, *args: str) -> dict[str, object]:
    site = str(place / "site")
    ended = thoughtforge(*args, "--json", cwd=place / "shelf", home=place / "person", PYTHONPATH=site)
    assert ended.err == "", ended.err
    told = ended.json
    assert isinstance(told, dict)
    return told


def test_every_state_has_one_older_word() -> None:
    table = (ROOT / "docs" / "states.md").read_text(encoding="utf-8").partition("| older word | state |")[2]
    words = re.findall(r"^\| `\w+` \| `(\w+)` \|$", table.partition("\n\n")[0], re.MULTILINE)
    assert sorted(words) == sorted(TaskStatus)
