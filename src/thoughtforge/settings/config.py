"""config.yaml → one frozen Config. A wrong key or value is named with what was expected, and nothing is loaded."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, NamedTuple

import yaml
from pydantic import BeforeValidator, Field, ValidationError

from thoughtforge.kernel.errors import Mistake
from thoughtforge.kernel.model import Caps, Rules, Value
from thoughtforge.settings.outside import Discovery, Notifications, Resources
from thoughtforge.settings.trust import Trust, judge, split
from thoughtforge.settings.trust_store import TrustStore

_FROZEN = BeforeValidator(lambda given: tuple(given) if isinstance(given, list) else given)
Names = Annotated[tuple[str, ...], _FROZEN]
"""A list in YAML, frozen."""
EXAMPLE = Path(__file__).parent.parent / "library" / "config.example.yaml"


class Limits(Caps):
    """The caps of a task unless a flag says otherwise; `null` takes a cap away."""

    usd: float | None = Field(default=5.0, ge=0, allow_inf_nan=False)
    """US dollars of all calls with a known price."""
    tokens: int | None = Field(default=2_000_000, ge=0)
    """Tokens of all calls, sent and received."""
    steps: int | None = Field(default=300, ge=0)
    """Model calls."""
    wall_seconds: float | None = Field(default=14_400, ge=0, allow_inf_nan=False)
    """Seconds a runner has been at work."""


class RoleChoice(Value):
    """Which provider fills a role, and with which model."""

    provider: str | None = None
    """An entry of `providers`; the main one unless given."""
    model: str | None = None
    """Another model of that provider than its entry names."""
    fallback: str | None = None
    """An entry of `providers` that is asked when the first one fails for good."""


class Review(Value):
    """Who judges. A second opinion is only asked for when a person names it here."""

    provider: str | None = None
    """The entry of `providers` that fills every role that reviews, unless the role has one of its own."""


class Clarify(Value):
    """When an agent's own answer to an open question counts."""

    confidence: float = Field(default=0.8, ge=0.8, le=1)
    """The least confidence, besides evidence that holds; below it a person is asked or, if minor, it is assumed."""


class Secrets(Value):
    """What is kept from providers and from the record."""

    send_unmasked: bool = False
    """Send tool output and rules files to providers as they are; requests and the record are masked all the same."""
    variables: Names = ()
    """Further environment variables whose values are secrets."""


class Setup(Value):
    """How the repository's dependencies are installed; found by convention when no command is given."""

    command: Names = ()
    """Program and arguments, run once without a shell; the folder to fill is `{folder}`."""
    reads: Names = ()
    """Files it depends on, as path patterns; a change to one of them makes the environment anew."""
    python: str | None = None
    """An interpreter that already has the dependencies, used as it is and never written to."""
    allow: Names = ()
    """Packages a specification may add as dependencies."""


class Tests(Value):
    """How the repository's tests are run."""

    runner: str | None = None
    """A file in a runners/ folder of languages/; found by convention when not set."""
    allow_none: bool = False
    """Begin in a repository that has no test yet."""
    writable: bool = False
    """The tests write beside the code: they get a throw-away copy instead of a read-only one."""
    wall_seconds: float = Field(default=600, gt=0, allow_inf_nan=False)
    """The longest a whole run may take."""
    affected_seconds: float = Field(default=5, ge=0, allow_inf_nan=False)
    """Seconds of tests run after each edit, nearest first; everything runs at the end of a stage."""


class Sandbox(Value):
    """Where commands and tests run."""

    allow_weak: bool = False
    """Go on without a real sandbox: limits and clean-up only, no wall between the tests and this machine."""
    memory_mb: int = Field(default=4096, ge=64)
    processes: int = Field(default=256, ge=8)
    temp_mb: int = Field(default=1024, ge=16)


class Change(Value):
    """How far a change may go before a person is asked, and when it is small enough to need no refactoring."""

    lines: int = Field(default=1500, ge=1)
    """Lines added and removed in all."""
    files_outside: int = Field(default=3, ge=0)
    """Files the specification does not name."""
    lines_outside: int = Field(default=150, ge=0)
    """Lines changed in such files."""
    file_kb: int = Field(default=512, ge=1)
    """The largest file an agent may write."""
    coverage: int = Field(default=80, ge=0, le=100)
    """Percent of the changed lines that the tests must run."""
    trivial_lines: int = Field(default=10, ge=0)
    trivial_files: int = Field(default=1, ge=0)


class Circles(Value):
    """When an agent goes in circles: it is told once, then a person is asked."""

    repeats: int = Field(default=3, ge=2)
    """The same action with the same result."""
    without_progress: int = Field(default=30, ge=5)
    """Actions that change nothing."""


class Completeness(Value):
    """How much there must be at the end of the build before it is polished."""

    plan_characters: int = Field(default=200, ge=1)
    """Characters of plan.md."""
    code_files: int = Field(default=1, ge=1)
    """Source files of code."""
    code_characters: int = Field(default=100, ge=1)
    """Characters of all source files together."""


class Think(Value):
    """How a brain dump becomes a deliverable."""

    minimum_words: int = Field(default=3, ge=1)
    """A shorter brain dump is not distilled; more is asked for."""
    context_tokens: int = Field(default=24_000, ge=2_000)
    """The most an agent is told in one call; what does not fit is cut, with a warning."""
    build_failures: int = Field(default=3, ge=1)
    """The same build task failing so often in a row, or the same tests, means stuck."""


class Concurrency(Value):
    """How much may be under way at once."""

    max_parallel_runs: int = Field(default=3, ge=1)
    """Thoughts that are neither done nor terminated; drafts by rules alone do not count."""


class Polish(Value):
    """When the loop of reviews and fixes ends."""

    critical_max: int = Field(default=0, ge=0, le=0)
    """Critical findings a finished deliverable may have: none, and no other number is taken."""
    medium_max: int = Field(default=3, ge=0)
    """Medium findings it may have."""
    minor_max: int = Field(default=5, ge=0)
    """Minor findings it may have."""
    max_iterations: int = Field(default=50, ge=1)
    """Reviews before the loop halts whatever it found."""
    stagnation_limit: int = Field(default=3, ge=2)
    """Reviews running with the same total that count as standing still (profile classic)."""
    patience: int = Field(default=4, ge=1)
    """Reviews without a new low of critical + medium that count as a plateau (profile default)."""
    growth_limit: float = Field(default=2.0, ge=1, allow_inf_nan=False)
    """How many times its size at the first review the deliverable may reach."""
    retry_malformed_output: int = Field(default=2, ge=0)
    """How often a review that cannot be read is asked for again."""
    profile: str = Field(default="default", min_length=1)
    """The guards in force: default, classic, or a file of your own in guards/."""


class Config(Value):
    """Everything a person can set."""

    version: int = Field(default=1, ge=1, le=1)
    """Of this format."""
    provider: str | None = None
    """The entry of `providers` that fills every role without one of its own. None is ever chosen by itself."""
    providers: dict[str, dict[str, Any]] = Field(default_factory=dict)
    """Name → `kind` (a file in providers/) and its options."""
    roles: dict[str, RoleChoice] = Field(default_factory=dict)
    review: Review = Review()
    fallback: str | None = None
    """The entry of `providers` that is asked when another one fails for good; unset: a person is."""
    limits: Limits = Limits()
    rules: Rules = Rules()
    clarify: Clarify = Clarify()
    secrets: Secrets = Secrets()
    setup: Setup = Setup()
    tests: Tests = Tests()
    sandbox: Sandbox = Sandbox()
    change: Change = Change()
    circles: Circles = Circles()
    think: Think = Think()
    phase3_completeness: Completeness = Completeness()
    concurrency: Concurrency = Concurrency()
    polish: Polish = Polish()
    resources: Resources = Resources()
    connectors: dict[str, dict[str, Any]] = Field(default_factory=dict)
    """Name of a file in connectors/ → `enabled` and its options. Off unless enabled."""
    notifications: Notifications = Notifications()
    discovery: Discovery = Discovery()
    commands: Annotated[tuple[Names, ...], _FROZEN] = ()
    """What agents may run with run_command: each a program and its first arguments. None unless named."""
    request_bytes: int = Field(default=200_000, ge=1, le=10_000_000)
    """The longest request taken; longer text belongs in a file of the repository."""
    rate_limit_seconds: float = Field(default=120.0, ge=0, allow_inf_nan=False)
    """How long one call waits in all for a provider that says it is asked too often."""
    call_output_tokens: int = Field(default=4096, ge=256, le=128_000)
    """The longest answer asked of a model."""


class Loaded(NamedTuple):
    """The configuration and what happened on the way to it."""

    config: Config
    """What is in effect: without the settings of a repository's file that nobody has trusted."""
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
            raise Mistake(f"there is no configuration at {path}", do="Write one; docs/config.md lists every key.")
        try:
            with path.open("xb") as file:  # never through a link that leads elsewhere
                file.write(EXAMPLE.read_bytes())
        except OSError as error:
            raise Mistake(f"{path} cannot be written: {error.strerror}", do="Give write access to it.") from error
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
        raise Mistake(
            f"{source}, line {_line(error, text)}: not valid YAML: {_cause(error)}", do="Correct that line."
        ) from error
    if data is None:
        data = {}
    if not isinstance(data, dict):
        raise Mistake(f"{source}: expected keys and values, got {type(data).__name__}", do="See docs/config.md.")
    return data


def _validated(data: dict[str, Any], source: str) -> Config:
    """The configuration these keys and values make."""
    try:
        config = Config.model_validate(data, strict=True)
    except ValidationError as error:
        problems = tuple(_problem(item) for item in error.errors())
        raise Mistake(
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
        raise Mistake(
            f"{source} has {len(details)} problem{'s' * (len(details) > 1)}",
            do="Correct the keys; thoughtforge config show lists what is set.",
            details=tuple(details),
        )
