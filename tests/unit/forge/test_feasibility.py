"""What a plan asks the engine to try."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from thoughtforge.forge.feasibility import Expectation, PlanCommand, PlanProbe, expected, probes_of
from thoughtforge.forge.feasibility import testing_of as commands_of

RISKS = """# Plan: x

---

## Risks

It may be slow | or not.

- The client has a hook | search `def on_retry(` | found
- The library is there | import tenacity | works
- [ ] It prints a version | run `app --version \\| cat` | exit 0, prints 2.1
- Bars in code | run `a | b` | exit 1
- The format holds | try | prints ok

```python
print("ok")
```

| assumption | probe | expect |
|---|---|---|
| No locks | search fcntl | not found |

| risk | owner | date |
|---|---|---|
| slow | me | now |

- Somebody knows | ask Bob | yes
"""


def test_probes_are_the_lines_of_three_cells() -> None:
    assert probes_of(RISKS) == (
        PlanProbe("The client has a hook", "search", "def on_retry(", "found", 9),
        PlanProbe("The library is there", "import", "tenacity", "works", 10),
        PlanProbe("It prints a version", "run", "app --version | cat", "exit 0, prints 2.1", 11),
        PlanProbe("Bars in code", "run", "a | b", "exit 1", 12),
        PlanProbe("The format holds", "try", 'print("ok")', "prints ok", 13),
        PlanProbe("No locks", "search", "fcntl", "not found", 21),
        PlanProbe("Somebody knows", "unknown", "ask Bob", "yes", 27),
    )
    assert probes_of(RISKS.replace("\n", "\r\n")) == probes_of(RISKS)


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("found", Expectation(found=True)),
        ("", Expectation(found=True)),
        ("Not found.", Expectation(found=False)),
        ("exit 2", Expectation(2)),
        ("exit code: 0", Expectation(0)),
        ("should print ok", Expectation(output="ok")),
        ("exits with 3", Expectation(3)),
        ("prints 1.2 or so", Expectation(output="1.2 or so")),
        ("exit 1, prints `usage`", Expectation(1, "usage")),
        ('"some text"', Expectation(output="some text")),
        ("exit strategy", Expectation(output="exit strategy")),
    ],
)
def test_an_expectation_is_read(text: str, meant: Expectation) -> None:
    assert expected(text) == meant


TESTING = """## Testing

By hand: look at it.

```bash
# all tests
$ pytest -q tests  # exit 0
app bad \\
  --flag  # exit 2, prints usage
echo "a # exit 3"
app --version  # prints 2.1
ruff check .  # no findings
```

```python
print(1)
```

### Later

<!-- nothing -->
"""


def test_commands_stand_in_fences_of_a_shell() -> None:
    testing = commands_of(TESTING)
    assert testing.commands == (
        PlanCommand("pytest -q tests", 0, "", 7),
        PlanCommand("app bad --flag", 2, "usage", 8),
        PlanCommand('echo "a # exit 3"', 0, "", 10),
        PlanCommand("app --version", 0, "2.1", 11),
    )
    unread = "`ruff check .`: what is expected cannot be read: no findings. Write `# exit N` or `# prints TEXT`."
    assert testing.prose == f"{unread}\n```python\nprint(1)\n```\nBy hand: look at it."


@pytest.mark.parametrize(
    ("line", "code", "output"),
    [
        ("app # exits with 3", 3, ""),
        ("app # exit code is 3", 3, ""),
        ("app # should exit with code 3.", 3, ""),
        ("app # exit 0 (all tests pass)", 0, ""),
        ("app # should print ok", 0, "ok"),
        ("app # Expected: exit 1 and prints `usage`", 1, "usage"),
        ("app # passes", 0, ""),
        ("app # the unit tests", 0, ""),
        ("app # a draft # exit 2", 2, ""),
        ("app add # 1  # exit 2, prints x # y", 2, "x # y"),
        ("grep ' # ' a.txt # exit 1", 1, ""),
    ],
)
def test_what_is_expected_of_a_command_is_read(line: str, code: int, output: str) -> None:
    (command,) = commands_of(f"## Testing\n```\n{line}\n```\n").commands
    assert (command.exit_code, command.output) == (code, output)


@pytest.mark.parametrize(
    "told",
    [
        "exits non-zero",
        "fails",
        "should fail",
        "exit 0 or 1",
        "no output",
        "exit 0, no output",
        "12 passed",
        "must warn",
    ],
)
def test_an_expectation_that_cannot_be_read_is_not_run(told: str) -> None:
    commands, prose = commands_of(f"## Testing\n```\napp  # {told}\n```\n")
    assert (commands, f"cannot be read: {told}." in prose) == ((), True)


@pytest.mark.parametrize("told", ["exits non-zero", "should be quick", "exit 0 or 1", "returns nothing"])
def test_a_probe_whose_expectation_cannot_be_read_is_of_no_known_kind(told: str) -> None:
    assert [one.kind for one in probes_of(f"## Risks\n- It works | run app | {told}\n")] == ["unknown"]


def test_a_search_has_no_exit_code() -> None:
    assert [one.kind for one in probes_of("## Risks\n- It is there | search app | exit 0\n")] == ["unknown"]


def test_a_plan_without_a_section_has_no_commands() -> None:
    assert commands_of("") == ((), "")
    assert probes_of("") == ()


@given(st.text(alphabet="ab|`#\\\n -:'\"$"))
def test_reading_probes_and_commands_never_fails(text: str) -> None:
    assert isinstance(probes_of(f"## Risks\n{text}"), tuple)
    commands, prose = commands_of(f"## Testing\n```\n{text}\n```")
    assert (type(commands), type(prose)) == (tuple, str)
