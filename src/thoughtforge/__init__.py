"""ThoughtForge carries a thought to a verified deliverable."""

__version__ = "0.1.0"
