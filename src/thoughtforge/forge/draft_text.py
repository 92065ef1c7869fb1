"""A drafter's answer as the body of a change plan: the engine writes the forms, so that they can be read."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence

from thoughtforge.forge.plan_file import with_sections
from thoughtforge.kernel.model import JsonObject


def drafted(text: str, draft: JsonObject, *, own: Collection[str] = ()) -> str:
    """The plan with the sections of a draft; those a person wrote stay, and their changes need no manifest of ours."""
    stay = {*own, *(["Change Manifest"] if "Changes" in own else [])}
    return with_sections(text, {name: new for name, new in sections(draft).items() if name not in stay})


def sections(draft: JsonObject) -> dict[str, str]:
    """Heading → text of every section that a draft fills."""
    paths = list(dict.fromkeys(str(one["path"]).strip() for one in draft["changes"]))
    changes = [_change(str(one["path"]).strip(), str(one["change"])) for one in draft["changes"]]
    overview = str(draft.get("overview", "")).strip()
    return {
        "Objective": str(draft["objective"]).strip(),
        "Scope": str(draft["scope"]).strip(),
        "Changes": "\n".join([*([overview, ""] if overview else []), *changes]),
        "Change Manifest": f"```json\n{json.dumps(paths, indent=2, ensure_ascii=False)}\n```",
        "Risks": _risks(draft),
        "Testing": _testing(draft),
    }


def _change(path: str, change: str) -> str:
    first, *rest = change.strip().splitlines() or [""]
    return "\n".join([f"- `{path}` — {first}", *(f"  {line}".rstrip() for line in rest)])


def _risks(draft: JsonObject) -> str:
    lines = [str(draft["risks"]).strip()]
    probes = [_probe(one) for one in draft.get("assumptions", ())]
    return "\n".join([*lines, "", *probes]) if probes else lines[0]


def _probe(one: JsonObject) -> str:
    assumption, probe, expect = (_cell(str(one[key])) for key in ("assumption", "probe", "expect"))
    raw = str(one["probe"]).strip()
    if raw.split(None, 1)[:1] == ["try"]:
        body = raw.removeprefix("try").strip().strip("`").strip()
        return f"- {assumption} | try | {expect}\n\n```\n{body}\n```\n"
    return f"- {assumption} | {probe} | {expect}"


def _cell(text: str) -> str:
    """Text that stays in its cell."""
    return " ".join(text.split()).replace("|", "\\|")


def _testing(draft: JsonObject) -> str:
    commands = [_command(one) for one in draft["testing"]]
    notes = str(draft.get("testing_notes", "")).strip()
    fence = _fence(commands)
    return "\n\n".join(part for part in (fence, notes) if part) or "None."


def _fence(commands: Sequence[str]) -> str:
    return "\n".join(["```console", *commands, "```"]) if commands else ""


def _command(one: JsonObject) -> str:
    """A command with what is expected of it."""
    line = " ".join(str(one["command"]).split())
    output = " ".join(str(one.get("output", "")).split())
    return f"{line}  # exit {one.get('exit_code', 0)}" + (f", prints {output}" if output else "")
