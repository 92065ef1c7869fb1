"""config.yaml → one frozen Config. A wrong key or value is an error that names what was expected."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, NamedTuple

import yaml
from pydantic import BeforeValidator, Field, ValidationError

from thoughtforge.kernel.errors import UserError
from thoughtforge.kernel.model import Caps, RetryLimits, Value
from thoughtforge.settings.outside import Discovery, Notifications, Resources
from thoughtforge.settings.trust import Trust, TrustStore, judge, split

_FROZEN = BeforeValidator(lambda given: tuple(given) if isinstance(given, list) else given)
Names = Annotated[tuple[str, ...], _FROZEN]
"""A list in YAML, frozen."""
EXAMPLE = Path(__file__).parent.parent / "library" / "config.example.yaml"


class LimitSettings(Caps):
    """The caps of a task unless a flag sets others; `null` removes a cap."""

    usd: float | None = Field(default=5.0, ge=0, allow_inf_nan=False)
    """US dollars for all calls with a known price."""
    tokens: int | None = Field(default=2_000_000, ge=0)
    """Tokens of all calls, sent and received."""
    steps: int | None = Field(default=300, ge=0)
    """Model calls."""
    wall_seconds: float | None = Field(default=14_400, ge=0, allow_inf_nan=False)
    """Seconds that a process spends running the task."""


class RoleChoice(Value):
    """Which provider fills a role, and with which model."""

    provider: str | None = None
    """An entry of `providers`; the default is `provider`."""
    model: str | None = None
    """A model to use instead of the one in the provider's entry."""
    fallback: str | None = None
    """An entry of `providers` to use when the first one fails permanently."""


class ReviewSettings(Value):
    """Which provider reviews. Only this setting adds a second opinion."""

    provider: str | None = None
    """The entry of `providers` for every reviewing role that has no entry in `roles`."""


class Clarify(Value):
    """When an agent's own answer to an open question counts."""

    confidence: float = Field(default=0.8, ge=0.8, le=1)
    """The lowest confidence that counts, with valid evidence. Below it the agent asks you, or assumes a minor point."""


class Secrets(Value):
    """What the engine hides from providers and from the record."""

    send_unmasked: bool = False
    """Send tool output and rules files to providers unmasked. Requests and the record stay masked."""
    variables: Names = ()
    """Further environment variables whose values are secrets."""


class Setup(Value):
    """How to install the repository's dependencies. Without a command the engine detects it."""

    command: Names = ()
    """Program and arguments; it runs once, without a shell. `{folder}` stands for the folder to fill."""
    reads: Names = ()
    """Path patterns of the files it reads. A change to one of them rebuilds the environment."""
    python: str | None = None
    """An interpreter that already has the dependencies. The engine never writes to it."""
    allow: Names = ()
    """Packages a specification may add as dependencies."""


class Tests(Value):
    """How to run the repository's tests."""

    runner: str | None = None
    """A file in a runners/ folder of languages/. Without it the engine detects the runner."""
    allow_none: bool = False
    """Allow tasks in a repository that has no tests yet, or none that passes."""
    writable: bool = False
    """For tests that write into the checkout: run them in a throw-away copy instead of a read-only one."""
    wall_seconds: float = Field(default=600, gt=0, allow_inf_nan=False)
    """The time limit of a whole test run."""
    affected_seconds: float = Field(default=5, ge=0, allow_inf_nan=False)
    """The time for tests after each edit, nearest first. All tests run at the end of a stage."""


class SandboxSettings(Value):
    """Where commands and tests run."""

    allow_weak: bool = False
    """Run commands without isolation where no sandbox works: only limits and clean-up protect this machine."""
    memory_mb: int = Field(default=4096, ge=64)
    processes: int = Field(default=256, ge=8)
    temp_mb: int = Field(default=1024, ge=16)


class ChangeSettings(Value):
    """How large a change may be before the engine asks you, and how small it must be to skip refactoring."""

    lines: int = Field(default=1500, ge=1)
    """Lines added plus lines removed."""
    files_outside: int = Field(default=3, ge=0)
    """Changed files that the specification does not name."""
    lines_outside: int = Field(default=150, ge=0)
    """Changed lines in those files."""
    file_kb: int = Field(default=512, ge=1)
    """The largest file an agent may write."""
    coverage: int = Field(default=80, ge=0, le=100)
    """Percent of the changed lines that the tests must run."""
    trivial_lines: int = Field(default=10, ge=0)
    trivial_files: int = Field(default=1, ge=0)
    changelog: bool = False
    """Begin a changelog where the repository has none. One that is there is continued in its own form."""


class LoopSettings(Value):
    """When an agent counts as looping: the engine warns it once, then asks you."""

    repeats: int = Field(default=3, ge=2)
    """How often the same action gives the same result."""
    without_progress: int = Field(default=30, ge=5)
    """Actions in a row that change nothing."""


class Completeness(Value):
    """The minimum a build must produce before polishing starts."""

    plan_characters: int = Field(default=200, ge=1)
    """Characters of plan.md."""
    code_files: int = Field(default=1, ge=1)
    """Source files of code."""
    code_characters: int = Field(default=100, ge=1)
    """Characters of all source files together."""


class Think(Value):
    """How a brain dump becomes a deliverable."""

    minimum_words: int = Field(default=3, ge=1)
    """The shortest brain dump to distil; for a shorter one the engine asks for more."""
    context_tokens: int = Field(default=100_000, ge=2_000)
    """The largest context of one call; less for a model with a smaller `context_window`, 24,000 for one without it.

    A step of an agent with tools has at most 24,000 of it, and 8,000 in any case."""
    build_failures: int = Field(default=3, ge=1)
    """How often in a row the same build task or the same tests may fail before the build counts as stuck."""


class Concurrency(Value):
    """How much may run at once."""

    max_parallel_runs: int = Field(default=3, ge=1)
    """Thoughts that are neither done nor terminated. Drafts made by rules alone do not count."""


class Polish(Value):
    """When the loop of reviews and fixes ends."""

    critical_max: int = Field(default=0, ge=0, le=0)
    """Critical findings a finished deliverable may have: always 0."""
    medium_max: int = Field(default=3, ge=0)
    """Medium findings it may have."""
    minor_max: int = Field(default=5, ge=0)
    """Minor findings it may have."""
    max_iterations: int = Field(default=50, ge=1)
    """The most reviews; then the loop halts."""
    stagnation_limit: int = Field(default=3, ge=2)
    """Reviews in a row with the same number of findings that count as stagnation (profile classic)."""
    patience: int = Field(default=4, ge=1)
    """Reviews without a new low of critical + medium that count as a plateau (profile default)."""
    growth_limit: float = Field(default=2.0, ge=1, allow_inf_nan=False)
    """How large the deliverable may become, as a multiple of its size at the first review."""
    retry_malformed_output: int = Field(default=2, ge=0)
    """How often to ask again for a review that cannot be parsed."""
    profile: str = Field(default="default", min_length=1)
    """The guards to use: default, classic, or your own file in guards/."""


class ChangePlans(Value):
    """How change plans are forged and implemented."""

    audit_rounds: int = Field(default=5, ge=1)
    """Audits before a plan that still has blocking findings is put before you."""
    research_steps: int = Field(default=12, ge=1)
    """Actions of the research before a draft."""
    phase_max_files: int = Field(default=5, ge=1)
    """Files of one phase; a module and its tests stay together."""
    fix_rounds: int = Field(default=3, ge=0)
    """Rounds of fixes after the closing audit of an implementation."""
    auto_implement: bool = False
    """Run all phases at once after an approval, unless the audit or uncommitted changes speak against it."""


class Config(Value):
    """Everything a person can set."""

    version: int = Field(default=1, ge=1, le=1)
    """The version of this format."""
    provider: str | None = None
    """The entry of `providers` for every role without its own. ThoughtForge never chooses one for you."""
    providers: dict[str, dict[str, Any]] = Field(default_factory=dict)
    """Name → `kind` (a file in providers/) and its options."""
    roles: dict[str, RoleChoice] = Field(default_factory=dict)
    review: ReviewSettings = ReviewSettings()
    fallback: str | None = None
    """The entry of `providers` to use when another one fails permanently. Without it the engine asks you."""
    limits: LimitSettings = LimitSettings()
    rules: RetryLimits = RetryLimits()
    clarify: Clarify = Clarify()
    secrets: Secrets = Secrets()
    setup: Setup = Setup()
    tests: Tests = Tests()
    sandbox: SandboxSettings = SandboxSettings()
    change: ChangeSettings = ChangeSettings()
    circles: LoopSettings = LoopSettings()
    think: Think = Think()
    phase3_completeness: Completeness = Completeness()
    concurrency: Concurrency = Concurrency()
    polish: Polish = Polish()
    plan: ChangePlans = ChangePlans()
    resources: Resources = Resources()
    connectors: dict[str, dict[str, Any]] = Field(default_factory=dict)
    """Name of a file in connectors/ → `enabled` and its options. The default is off."""
    notifications: Notifications = Notifications()
    discovery: Discovery = Discovery()
    commands: Annotated[tuple[Names, ...], _FROZEN] = ()
    """Commands that agents may run with run_command: each a program and its first arguments. The default is none."""
    request_bytes: int = Field(default=200_000, ge=1, le=10_000_000)
    """The longest request. Put longer text into a file of the repository."""
    rate_limit_seconds: float = Field(default=120.0, ge=0, allow_inf_nan=False)
    """How long one call waits in total for a provider that rate-limits it."""
    call_output_tokens: int = Field(default=16_384, ge=256, le=128_000)
    """The longest answer to request; `max_output_tokens` and a quarter of `context_window` of a provider lower it."""


class Loaded(NamedTuple):
    """The configuration and what happened on the way to it."""

    config: Config
    """What takes effect: without the settings of a repository's file that the person has not trusted."""
    path: Path
    created: bool
    declared: Config
    """What the file says, trusted or not; only for hiding the variables it names."""
    trust: Trust


def load(home: Path, store: TrustStore) -> Loaded:
    """Read config.yaml, made from the example when it is missing; once, so that what is judged is what counts."""
    path = home / "config.yaml"
    created = False
    if not path.exists():
        if not EXAMPLE.exists():
            raise UserError(
                f"there is no configuration file at {path}", do="Create one; docs/config.md lists every key."
            )
        try:
            with path.open("xb") as file:  # never through a link that leads elsewhere
                file.write(EXAMPLE.read_bytes())
        except OSError as error:
            raise UserError(f"{path} cannot be written: {error.strerror}", do="Give write access to it.") from error
        created = True
    data = _read(path.read_text(encoding="utf-8", errors="replace"), source=str(path))
    declared = _validated(data, str(path))
    parts = split(data, Config().model_dump(mode="json"))
    trust = judge(path, parts.sensitive, store)
    return Loaded(declared if trust.in_effect else _validated(parts.free, str(path)), path, created, declared, trust)


def parse(text: str, *, source: str) -> Config:
    """The configuration in `text`; every problem at once."""
    return _validated(_read(text, source=source), source)


def _read(text: str, *, source: str) -> dict[str, Any]:
    """The keys and values in `text`."""
    try:
        data = yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise UserError(
            f"{source}, line {_line(error, text)}: not valid YAML: {_cause(error)}", do="Correct that line."
        ) from error
    if data is None:
        data = {}
    if not isinstance(data, dict):
        raise UserError(f"{source}: expected keys and values, got {type(data).__name__}", do="See docs/config.md.")
    return data


def _validated(data: dict[str, Any], source: str) -> Config:
    """The configuration these keys and values make."""
    try:
        config = Config.model_validate(data, strict=True)
    except ValidationError as error:
        problems = tuple(_problem(item) for item in error.errors())
        raise UserError(
            f"{source} has {len(problems)} problem{'s' * (len(problems) > 1)}",
            do="Correct the keys; thoughtforge config show --defaults lists them all.",
            details=problems,
        ) from error
    _check_names(config, source)
    return config


def _line(error: yaml.YAMLError, text: str) -> int:
    mark = getattr(error, "problem_mark", None)
    return mark.line + 1 if mark else text.count("\n", 0, getattr(error, "position", 0)) + 1


def _cause(error: yaml.YAMLError) -> str:
    return str(getattr(error, "problem", None) or getattr(error, "reason", None) or error)


def _problem(item: Any) -> str:
    key = ".".join(str(part) for part in item["loc"])
    if item["type"] == "extra_forbidden":
        return f"{key}: unknown key"
    got = repr(item["input"])
    message = item["msg"].replace("Input should be", "expected").partition(" or instance of")[0]
    message = message.replace("a valid dictionary", "keys and values").replace("a valid tuple", "a list")
    return f"{key}: {message[:1].lower()}{message[1:]}, got {got if len(got) <= 60 else got[:57] + '…'}"


def _shown(entry: dict[str, Any]) -> str:
    return repr(entry["kind"]) if "kind" in entry else "nothing"


def _check_names(config: Config, source: str) -> None:
    wanted = {"provider": config.provider}
    wanted |= {f"roles.{role}.provider": choice.provider for role, choice in config.roles.items()}
    wanted |= {f"roles.{role}.fallback": choice.fallback for role, choice in config.roles.items()}
    wanted |= {"review.provider": config.review.provider, "fallback": config.fallback}
    known = ", ".join(sorted(config.providers)) or "none"
    details = [
        f"{key}: expected an entry of providers ({known}), got {name!r}"
        for key, name in wanted.items()
        if name is not None and name not in config.providers
    ]
    details += [
        f"providers.{name}.kind: expected the name of a provider file, got {_shown(entry)}"
        for name, entry in config.providers.items()
        if not isinstance(entry.get("kind"), str)
    ]
    default, channels = config.notifications.default_channel, config.notifications.channels
    if default is not None and default not in channels:
        listed = ", ".join(sorted(channels)) or "none"
        details.append(f"notifications.default_channel: expected an entry of channels ({listed}), got {default!r}")
    if details:
        raise UserError(
            f"{source} has {len(details)} problem{'s' * (len(details) > 1)}",
            do="Correct the keys; thoughtforge config show lists what is set.",
            details=tuple(details),
        )
