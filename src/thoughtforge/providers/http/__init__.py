"""Models reached over HTTP: OpenAI and everything that speaks its chat format, Anthropic, Google.

One call is one request: the SDKs' own retries are off, redirects are not followed, nothing but the configured
endpoint is contacted, and prices come from a table on this machine.
"""

from __future__ import annotations

from thoughtforge.providers.http.endpoint import Options
from thoughtforge.providers.http.model import HttpModel, make

__all__ = ["HttpModel", "Options", "make"]
