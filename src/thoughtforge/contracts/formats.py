"""The text formats a contract may ask for; each is really enforced, none needs a further library."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date, datetime

DATE_TIME = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt][0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]+)?([Zz]|[+-][0-9]{2}:[0-9]{2})"
)
DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


def is_date_time(text: str) -> bool:
    """RFC 3339: a real date, a time with seconds, and an offset."""
    if not DATE_TIME.fullmatch(text):
        return False
    try:
        datetime.fromisoformat(text.upper())
    except ValueError:
        return False
    return True


def is_date(text: str) -> bool:
    """A real day of the calendar."""
    if not DATE.fullmatch(text):
        return False
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True


FORMATS: dict[str, Callable[[str], bool]] = {"date": is_date, "date-time": is_date_time}

EXAMPLES = {"date": "a date such as 2025-12-31", "date-time": "a date and time such as 2025-12-31T10:15:00Z"}
