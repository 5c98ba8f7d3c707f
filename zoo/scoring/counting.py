"""What stated probabilities turned out to be worth on the tune half; what firstlight states rests on it."""

import json
import math
from collections.abc import Sequence
from pathlib import Path

FILE = Path(__file__).parents[2] / "src" / "firstlight" / "judge" / "counted.json"
AS_STATED = 4.0
"""That a probability is worth what it says counts like so many claims."""
ROUNDS = 2000
CLOSEST = 1e-4

Claims = Sequence[tuple[float, bool]]
"""Probabilities that were stated, and whether the cause was right."""


def fit(claims: Claims) -> tuple[float, float]:
    """The slope and shift of log-odds under which the claims are likeliest, drawn a little towards 1 and 0."""
    slope, shift = 1.0, 0.0
    odds = [(_log_odds(stated), right) for stated, right in claims]
    pace = 1.0 / (AS_STATED + sum(1.0 + x * x for x, _ in odds) / 4)  # the steepest the slope can change: never too far
    for _ in range(ROUNDS):
        errors = [(1.0 / (1.0 + math.exp(-(slope * x + shift))) - right, x) for x, right in odds]
        slope -= pace * (AS_STATED * (slope - 1.0) + sum(error * x for error, x in errors))
        shift -= pace * (AS_STATED * shift + sum(error for error, _ in errors))
    return slope, shift


def as_computed(claims: Claims, path: Path = FILE) -> list[tuple[float, bool]]:
    """The claims as they were before what was counted earlier corrected them."""
    slope, shift = _earlier(path)
    return [(1.0 / (1.0 + math.exp(-(_log_odds(stated) - shift) / slope)), right) for stated, right in claims]


def save(claims: Claims, path: Path = FILE) -> None:
    slope, shift = fit(as_computed(claims, path))
    right = sum(right for _, right in claims)
    found = {"claims": len(claims), "right": right, "slope": round(slope, 3), "shift": round(shift, 3)}
    path.write_text(json.dumps(found) + "\n", encoding="utf-8")


def _earlier(path: Path) -> tuple[float, float]:
    found = json.loads(path.read_text(encoding="utf-8"))
    return found["slope"], found["shift"]


def _log_odds(probability: float) -> float:
    inside = min(max(probability, CLOSEST), 1.0 - CLOSEST)
    return math.log(inside / (1.0 - inside))
