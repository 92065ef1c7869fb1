"""The two ways a role file may write what must be verified, brought to one."""

from __future__ import annotations

from typing import Any

from thoughtforge.kernel.model import JsonObject


def one_form(definition: JsonObject) -> JsonObject:
    """The definition with `must_verify` as a map. What cannot be turned stays as it is, for the contract to report."""
    capabilities = definition.get("capabilities")
    output = capabilities.get("output") if isinstance(capabilities, dict) else None
    promised: Any = output.get("must_verify") if isinstance(output, dict) else None
    if not isinstance(capabilities, dict) or not isinstance(output, dict) or not _is_turnable(promised):
        return definition
    merged = {key: value for entry in promised for key, value in entry.items()}
    return {**definition, "capabilities": {**capabilities, "output": {**output, "must_verify": merged}}}


def _is_turnable(promised: Any) -> bool:
    """A list of single-key maps in which no key comes twice: merging must not hide one of two values."""
    if not isinstance(promised, list) or not all(isinstance(entry, dict) and len(entry) == 1 for entry in promised):
        return False
    keys = [key for entry in promised for key in entry]
    return len(keys) == len(set(keys))
