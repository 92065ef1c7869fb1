"""Diagnostic lines on standard error about processes, network, git, inbox and lease: off unless `-v` asks for them."""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable

from thoughtforge.assembly import make_app

ROOT = "thoughtforge"
"""Only our own loggers: what libraries write can hold addresses with keys in them."""
FORMAT = "%(relativeCreated)7.0f ms %(name)s: %(message)s"


class MaskingFormatter(logging.Formatter):
    """A line with every known secret hidden, those in its traceback too."""

    def __init__(self, mask: Callable[[str], str]) -> None:
        super().__init__(FORMAT)
        self.mask = mask

    def format(self, record: logging.LogRecord) -> str:
        """The line as it is printed."""
        return self.mask(super().format(record))


def show_diagnostics(verbose: int) -> None:
    """Print what the program does: once for the results, twice for the requests as well."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(MaskingFormatter(make_app().masker.text))
    logger = logging.getLogger(ROOT)
    logger.addHandler(handler)
    logger.setLevel(logging.DEBUG if verbose > 1 else logging.INFO)
    logger.propagate = False
