"""What a connector brings: documents to keep, and a sentence for everything it could not bring."""

from __future__ import annotations

from typing import NamedTuple


class Document(NamedTuple):
    """One document under the name it is kept by."""

    name: str
    data: bytes


class Pulled(NamedTuple):
    """The answer of a connector to one address."""

    documents: tuple[Document, ...] = ()
    failed: tuple[str, ...] = ()
    """One sentence for each thing that could not be had, with what to do."""


def failure(sentence: str) -> Pulled:
    """Nothing but a reason."""
    return Pulled(failed=(sentence,))
