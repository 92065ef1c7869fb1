"""Checks that are data: a row of library/checks/*.yaml or of conformance/*.yaml, read by one module in checks/."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from string import Template
from typing import Any, Literal, Self, TypeVar

from pydantic import Field, create_model, model_validator

from thoughtforge.catalog import LIBRARY
from thoughtforge.gate.context import Category, Moment
from thoughtforge.gate.findings import Severity
from thoughtforge.kernel.model import Value

CODE = re.compile(r"[A-Z]+[0-9]*")
SETTING = re.compile(
    r"line-length|lint\.(flake8-[a-z0-9-]+|isort|mccabe|pep8-naming|pycodestyle|pydocstyle|pyflakes|pylint|pyupgrade)"
    r"\.[a-z-]+"
)
"""Settings of ruff that belong to one rule. All checks share one configuration, so a row reaches no other: `ignore`
or `exclude` would silence its neighbours."""


class RowOption(Value):
    """One option of a row; its type is that of its default."""

    default: bool | int | tuple[str, ...]
    """Its default value."""
    about: str
    """What it does, in one sentence."""
    least: int | None = None
    """The lowest number it takes."""
    most: int | None = None
    """The highest number it takes."""
    setting: str = ""
    """The setting of ruff it becomes, such as `lint.mccabe.max-complexity`."""
    codes: tuple[str, ...] = ()
    """Codes that count only while it is true."""
    skips: Literal["", "paths", "codes", "names", "entries"] = ""
    """What its patterns leave out of the check; `entries`: the command lines of modules, while it is true."""
    finds: bool = False
    """Whether its values are patterns of ast-grep to look for."""

    @model_validator(mode="after")
    def _one_rule_only(self) -> Self:
        if self.setting and not SETTING.fullmatch(self.setting):
            raise ValueError(f"{self.setting!r} is not a setting of a single ruff rule")
        return self


class Row(Value):
    """What the rows of every kind say about themselves."""

    description: str
    """What it requires, in one sentence."""
    hint: str
    """How to fix a finding."""
    category: Category = "quality"
    """What its findings are about."""
    moment: Moment = "every_edit"
    """When it runs: after every edit, after one that adds a file, or only at the end of a stage; all run there."""
    severity: Severity = "major"
    """The severity of its findings."""
    active: bool = True
    """Whether it runs by default."""
    options: dict[str, RowOption] = {}
    """What conformance/*.yaml may set for it."""


class CodeWords(Value):
    """What is said about one code of ruff; the row's own words where it says nothing."""

    message: str = "$said"
    """`$said` is ruff's message, `$name` the thing's name, further words are the groups of `reads`."""
    anchor: str = ""
    """What identifies a finding instead of the text of its line; `$path` is the file."""
    hint: str = ""
    """How to fix it."""


class RuffRow(Row):
    """A check made of rules of ruff."""

    codes: dict[str, CodeWords] = Field(min_length=1)
    """Code or prefix of codes → what is said about it; the first ones matter most."""
    reads: str = ""
    """A regular expression that takes ruff's message apart into named groups."""
    named: str = ""
    """A regular expression whose first group is the name of the thing, searched in the finding's line."""
    one_a_line: bool = False
    """Whether only the first of the codes counts where several meet in a line."""
    blank: bool = True
    """Whether files without any text count."""

    @model_validator(mode="after")
    def _well_formed(self) -> Self:
        switched = [code for option in self.options.values() for code in option.codes]
        wrong = [code for code in (*self.codes, *switched) if not CODE.fullmatch(code)]
        if wrong:
            raise ValueError(f"{', '.join(wrong)}: not the form of a ruff code")
        if set(switched) - set(self.codes):
            raise ValueError(f"an option names codes that the row does not have: {', '.join(switched)}")
        words = {"said", "name", "path", *_groups("reads", self.reads)}
        if self.named and re.compile(self.named).groups < 1:
            raise ValueError("named needs a group")
        check_templates([each for one in self.codes.values() for each in (one.message, one.anchor)], words)
        return self


class PatternRow(Row):
    """A check made of a rule of ast-grep."""

    language: str = "python"
    """The language of the files, as ast-grep calls it."""
    endings: tuple[str, ...] = (".py",)
    """Suffixes of the files it checks."""
    find: tuple[str, ...] = ()
    """Patterns such as `time.sleep($$$)`: `$X` stands for anything, `$$$` for any arguments; one finding a line."""
    rule: dict[str, Any] = {}
    """A rule of ast-grep; the text `<option>` in it stands for a regular expression made of an option's patterns."""
    utils: dict[str, Any] = {}
    """Rules the rule names."""
    message: str
    """What is said: `$CODE` is the line found, other words are the variables of the rule."""
    anchor: str = ""
    """What identifies a finding instead of the text of its line."""
    at_least_one: tuple[str, ...] = ()
    """Options of which one must be set; else the check is broken, since it would find nothing."""
    missing: str = ""
    """What is wrong when none of them is."""


Kind = TypeVar("Kind", bound=Row)


def library_rows(module: str, kind: type[Kind]) -> dict[str, Kind]:
    """The rows that come with this program for one module in checks/: name of a check → its row."""
    import yaml

    text = (LIBRARY / "checks" / f"{module}.yaml").read_text(encoding="utf-8")
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    data: dict[str, Any] = yaml.load(text, Loader=loader)  # noqa: S506
    return {name: kind.model_validate(row) for name, row in data.items()}


def check_templates(templates: Iterable[str], words: set[str]) -> None:
    """Refuse a template that names a word nothing sets."""
    named = {name for template in templates for name in Template(template).get_identifiers()}
    if named - words:
        raise ValueError(f"nothing sets ${', $'.join(sorted(named - words))}; known: {', '.join(sorted(words))}")


def options_of(name: str, row: Row) -> type[Value]:
    """The model of a row's options, as strict as one that is written in Python."""
    fields: dict[str, Any] = {}
    for key, option in row.options.items():
        bounds: dict[str, Any] = {"ge": option.least, "le": option.most}
        kept = {bound: value for bound, value in bounds.items() if value is not None}
        field = Field(default=option.default, description=option.about, **kept)
        fields[key] = (_type(option.default), field)
    return create_model(f"{name} options", __base__=Value, __doc__=f"The options of {name}.", **fields)


def _type(default: bool | int | tuple[str, ...]) -> Any:
    return tuple[str, ...] if isinstance(default, tuple) else type(default)


def _groups(key: str, pattern: str) -> Mapping[str, int]:
    try:
        return re.compile(pattern).groupindex
    except re.error as error:
        raise ValueError(f"{key} is not a regular expression: {error}") from error
