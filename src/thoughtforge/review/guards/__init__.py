"""One guard per file; `evaluate` runs a profile of them over a history."""

from thoughtforge.review.evaluate import evaluate as evaluate
from thoughtforge.review.evaluate import judge as judge
