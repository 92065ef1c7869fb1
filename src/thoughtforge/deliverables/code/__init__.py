"""Code: working software in the project itself, tests first, with every proof the engine can make.

The folder is all there is of this type. What it offers by name is what `think/deliverable.py` asks of any type.
"""

from __future__ import annotations

from thoughtforge.deliverables.code.kind import OPERATIONS, PATH, TESTED, belongs, compose, polished

__all__ = ["OPERATIONS", "PATH", "TESTED", "belongs", "compose", "polished"]
