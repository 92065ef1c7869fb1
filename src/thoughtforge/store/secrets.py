"""Secrets are masked before the first byte is written, in texts and in events whose structure stays."""

from __future__ import annotations

import json
import re
from base64 import b64encode, urlsafe_b64encode
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from itertools import count
from operator import is_
from typing import Any, Literal, NamedTuple, get_origin
from urllib.parse import quote, quote_plus

from pydantic import AfterValidator
from pydantic.fields import FieldInfo

from thoughtforge.kernel.events import Event
from thoughtforge.kernel.model import Value
from thoughtforge.kernel.stops import reason_named


def without_secrets(event: Event, masker: Masker) -> dict[str, Any]:
    """The event as JSON values with every secret hidden."""
    fields: dict[str, Any] = event.model_dump(mode="json")
    hidden: dict[str, Any] = fields if masker.tree(fields) is fields else _hide(event, fields, masker)
    return hidden


def _hide(value: Any, dumped: Any, masker: Masker) -> Any:
    """`dumped`, which is `value` as JSON, without secrets. Names of fields and words of fixed lists are ours."""
    if isinstance(value, Value):
        ours = _fixed(type(value))
        return {k: v if k in ours else _hide(getattr(value, k), v, masker) for k, v in dumped.items()}
    if isinstance(value, tuple):
        return [_hide(old, new, masker) for old, new in zip(value, dumped, strict=True)]
    if isinstance(value, dict) and any(isinstance(item, Value) for item in value.values()):
        return {k: _hide(value[k], v, masker) for k, v in dumped.items()}
    return masker.tree(dumped)


@cache
def _fixed(kind: type[Value]) -> frozenset[str]:
    """The fields that can hold only words we chose."""
    return frozenset(name for name, field in kind.model_fields.items() if _chosen(field))


def _chosen(field: FieldInfo) -> bool:
    """A word of a fixed list, or a registered reason to rest."""
    reason = any(isinstance(one, AfterValidator) and one.func is reason_named for one in field.metadata)
    return reason or get_origin(field.annotation) is Literal


SHORTEST = 8
"""A known value with fewer characters would hide ordinary words."""

REMEMBERED = 100_000
"""Longer texts are masked each time rather than kept in memory."""


class Shape(NamedTuple):
    """What tokens of one service look like; only the group `secret` is hidden."""

    name: str
    trigger: str
    """A text without this literal has no such token; looking for it is far quicker than any pattern."""
    pattern: re.Pattern[str]


def token(name: str, start: str, rest: str) -> Shape:
    """A token that is told by its start alone."""
    return Shape(name, start, re.compile(f"(?P<secret>{start}{rest})"))


def apart(name: str, start: str, rest: str, *, trigger: str = "") -> Shape:
    """A token whose start also occurs inside words (`task-…`): nothing that reads on may stand before it.

    A letter is no word when it ends an escape: `\\n` in JSON, `%3D` in a URL, `m` after a terminal colour.
    """
    before = rf"(?:(?<![A-Za-z0-9]{start})|(?<=\\[nrt]{start})|(?<=%[0-9A-F]{{2}}{start})|(?<=[\[0-9;]m{start}))"
    return Shape(name, trigger or start, re.compile(f"(?P<secret>{start}{before}{rest})"))


def placed(name: str, trigger: str, pattern: str) -> Shape:
    """A secret told by what stands before it, which stays readable."""
    return Shape(name, trigger, re.compile(pattern))


PLAIN = "[A-Za-z0-9]"
DASHED = "[A-Za-z0-9_-]"
TO_VALUE = r"""["'\\]{0,2}\s{0,3}[:=,]>?\s{0,3}["'\\]{0,3}"""
"""What stands between a name and its value in a header, in JSON (escaped or not), YAML, code or a shell line."""
SCHEMES = "[Bb]earer|BEARER|[Bb]asic|BASIC|[Tt]oken|TOKEN"
KEY_END = "-----END [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----"

SHAPES = (
    placed(
        "private_key",
        "PRIVATE KEY",
        r"(?P<secret>-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----"
        rf"(?:(?:(?!-----BEGIN )[\s\S])*?{KEY_END}|(?:(?:\s|\\[nr])*[A-Za-z0-9+/=]{{20,}})+))",
    ),
    apart("anthropic_key", "sk-ant-", DASHED + "{20,}", trigger="sk-"),
    apart("openrouter_key", "sk-or-", DASHED + "{20,}", trigger="sk-"),
    *(apart("openai_key", f"sk-{of}-", DASHED + "{20,}", trigger="sk-") for of in ("proj", "svcacct", "admin")),
    apart("openai_key", "sk-", PLAIN + "{20,}"),
    *(token("github_token", start, PLAIN + "{30,}") for start in ("ghp_", "gho_", "ghu_", "ghs_", "ghr_")),
    token("github_token", "github_pat_", "[A-Za-z0-9_]{40,}"),
    token("gitlab_token", "glpat-", DASHED + "{20,}"),
    token("slack_token", "xox", "[a-z](?:[.][a-z]+)?-[A-Za-z0-9-]{10,}"),
    apart("aws_key_id", "AKIA", "[A-Z0-9]{16}(?![A-Za-z0-9])"),
    apart("aws_key_id", "ASIA", "[A-Z0-9]{16}(?![A-Za-z0-9])"),
    *(
        placed(
            "aws_secret", start, rf"{start}[A-Za-z_]{{0,20}}{TO_VALUE}(?P<secret>[A-Za-z0-9/+]{{40}})(?![A-Za-z0-9/+=])"
        )
        for start in ("aws_secret", "AWS_SECRET", "ecretAccessKey")
    ),
    apart("google_key", "AIza", DASHED + "{35}(?![A-Za-z0-9_-])"),
    *(apart("stripe_key", f"{of}k_live_", PLAIN + "{16,}", trigger="k_live_") for of in "sr"),
    *(apart("stripe_key", f"{of}k_test_", PLAIN + "{16,}", trigger="k_test_") for of in "sr"),
    token("npm_token", "npm_", PLAIN + "{36}(?![A-Za-z0-9])"),
    apart("hugging_face_token", "hf_", PLAIN + "{30,}"),
    token("pypi_token", "pypi-", DASHED + "{40,}"),
    apart("jwt", "eyJ", rf"{DASHED}{{8,}}[.]{DASHED}{{8,}}[.]{DASHED}{{8,}}"),
    *(
        placed("authorization", start, rf"{start}{TO_VALUE}(?:{SCHEMES})\s+(?P<secret>[A-Za-z0-9._~+/=-]{{8,}})")
        for start in ("uthorization", "AUTHORIZATION")
    ),
    placed("bearer", "earer ", r"earer (?P<secret>(?=[A-Za-z._~+/=-]*[0-9])[A-Za-z0-9._~+/=-]{20,})"),
    placed(
        "url_password",
        "://",
        r"""://(?:\[masked:[^\]\s]*\]|[^\s/@:"'<>\[\]])*:(?!\[masked:[^\]\s]*\]@|\$?\{|<)(?P<secret>[^\s/@"'<>]+)@""",
    ),
)

BY_TRIGGER = {
    trigger: [shape for shape in SHAPES if shape.trigger == trigger]
    for trigger in dict.fromkeys(s.trigger for s in SHAPES)
}


class Masked(NamedTuple):
    """A text without its secrets, and the names of what was hidden: known values, then shapes."""

    text: str
    names: tuple[str, ...]


@dataclass(frozen=True)
class Masker:
    """Knows what must not be written."""

    forms: Mapping[str, str]
    """How a known value may appear → its name; the longest first."""
    known: re.Pattern[str] | None
    """All forms, after the marks themselves: a value that is part of a mark must not break it."""

    @classmethod
    def of(cls, values: Mapping[str, str]) -> Masker:
        """Hides these values (name → value) besides everything that looks like a token."""
        named = [(form, plain_name(name)) for name, value in values.items() for form in forms_of(value)]
        forms = dict(sorted(reversed(named), key=lambda pair: -len(pair[0])))
        if not forms:
            return cls({}, None)
        marks = {mark(name) for name in (*forms.values(), *(shape.name for shape in SHAPES))}
        parts = [*sorted(marks), *forms]
        return cls(forms, re.compile("|".join(map(re.escape, parts))))

    def text(self, text: str) -> str:
        """`text` with `[masked:<name>]` for every secret; doing it again changes nothing."""
        masked = self._remembered(text).text if len(text) <= REMEMBERED else self.mask(text).text
        return text if masked == text else masked

    @cached_property
    def _remembered(self) -> Callable[[str], Masked]:
        """The same texts come again: a context is masked for the record, for its blob and before it is sent."""
        return lru_cache(maxsize=256)(self.mask)

    def found(self, text: str) -> tuple[str, ...]:
        """The names of the secrets in `text`."""
        return self.mask(text).names

    def tree(self, data: Any) -> Any:
        """`data` with every string in it masked, keys too; the same object when there was nothing to hide."""
        if isinstance(data, str):
            return self.text(data)
        if isinstance(data, dict):
            return self.table(data)
        if isinstance(data, list | tuple):
            items = [self.tree(item) for item in data]
            return data if all(map(is_, items, data)) else items if isinstance(data, list) else tuple(items)
        return data

    def table(self, data: dict[Any, Any]) -> dict[Any, Any]:
        """A masked mapping. Keys that become alike are numbered, so that no entry is lost."""
        keys, values = map(self.tree, data), [self.tree(value) for value in data.values()]
        if all(map(is_, keys, data)):
            return data if all(map(is_, values, data.values())) else dict(zip(data, values, strict=True))
        masked: dict[Any, Any] = {}
        for key, value in zip(data, values, strict=True):
            new = wanted = self.tree(key)
            numbers = count(2)
            while new in masked or (new is not key and new in data):
                new = f"{wanted}#{next(numbers)}"
            masked[new] = value
        return masked

    def mask(self, text: str) -> Masked:
        """Known values first, so that their names appear, then shapes; again while that uncovers something."""
        names: dict[str, None] = {}
        while (masked := hide_shapes(self.hide_known(text, names), names)) != text:
            text = masked
        return Masked(text, tuple(names))

    def hide_known(self, text: str, names: dict[str, None]) -> str:
        """The known values replaced; `names` takes up which."""

        def hide(match: re.Match[str]) -> str:
            name = self.forms.get(match.group())
            if name is None:
                return match.group()
            names[name] = None
            return mark(name)

        if self.known is None or not any(form in text for form in self.forms):
            return text
        return self.known.sub(hide, text)


def hide_shapes(text: str, names: dict[str, None]) -> str:
    """Everything of a known shape replaced; `names` takes up which."""

    def hide(match: re.Match[str]) -> str:
        names[shape.name] = None
        whole, begin = match.group(), match.start()
        return whole[: match.start("secret") - begin] + mark(shape.name) + whole[match.end("secret") - begin :]

    for trigger, shapes in BY_TRIGGER.items():
        if trigger in text:
            for shape in shapes:
                text = shape.pattern.sub(hide, text)
    return text


def mark(name: str) -> str:
    """What stands where the secret was."""
    return f"[masked:{name}]"


def plain_name(name: str) -> str:
    """The name as it can stand in a mark."""
    return re.sub(r"[^A-Za-z0-9_.-]", "_", name)


def forms_of(value: str) -> Iterator[str]:
    """The value itself, escaped for JSON (also twice) and URLs, and in base64 wherever it begins."""
    for text in dict.fromkeys((value, value.strip())):
        if len(text) < SHORTEST:
            continue
        data = text.encode("utf-8", "surrogatepass")
        yield text
        for ascii_only in (True, False):
            escaped = json.dumps(text, ensure_ascii=ascii_only)[1:-1]
            yield from (escaped, json.dumps(escaped, ensure_ascii=ascii_only)[1:-1])
        yield from (quote(data, safe=""), quote_plus(data))
        for encode in (b64encode, urlsafe_b64encode):
            yield encode(data).decode()
            for shift in range(3):
                # Only the characters that hold nothing but the value: the others change with its surroundings.
                shifted = encode(bytes(shift) + data).decode()
                yield shifted[-(-8 * shift // 6) : 8 * (shift + len(data)) // 6]
