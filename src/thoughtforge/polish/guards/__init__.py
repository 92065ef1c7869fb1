"""One guard per file; `evaluate` runs a profile of them over a history."""

from thoughtforge.polish.evaluate import evaluate as evaluate
from thoughtforge.polish.evaluate import judge as judge
