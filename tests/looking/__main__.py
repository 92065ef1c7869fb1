"""Runs every planted violation and prints, for each check, why it is broken; empty when it is not."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from looking import outcome
from looking.plants import PLANTS

said = {}
for name, plant in PLANTS.items():
    place = Path(sys.argv[1]) / name
    came = outcome(place, name, plant.files(plant.wrong), base=plant.base, options=plant.options, search_path="")
    said[name] = came.broken
print(json.dumps(said))
