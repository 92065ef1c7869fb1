"""What the edges of the program do, told on standard error for finding faults: off unless `-v` asks for it."""

from __future__ import annotations

import logging
import sys

from thoughtforge.assembly import make_app
from thoughtforge.store.secrets import Masker

ROOT = "thoughtforge"
"""Only our own loggers: what libraries write can hold addresses with keys in them."""
FORMAT = "%(relativeCreated)7.0f ms %(name)s: %(message)s"


class MaskingFormatter(logging.Formatter):
    """A line with every known secret hidden, those in its traceback too."""

    def __init__(self, masker: Masker) -> None:
        super().__init__(FORMAT)
        self.masker = masker

    def format(self, record: logging.LogRecord) -> str:
        """The line as it is printed."""
        return self.masker.text(super().format(record))


def tell(verbose: int) -> None:
    """Print what happens at the edges: once for what was done, twice for how it was asked for."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(MaskingFormatter(make_app().masker))
    logger = logging.getLogger(ROOT)
    logger.addHandler(handler)
    logger.setLevel(logging.DEBUG if verbose > 1 else logging.INFO)
    logger.propagate = False
