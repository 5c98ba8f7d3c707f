"""What a stated probability turned out to be worth, as counted on labelled programs.

`python -m zoo score --half tune --count` sets what was said of programs with a planted fault, and of healthy ones,
beside the truth, and writes the line that fits: the logarithm of the odds as stated, times a slope, and shifted. What
is taken off a cause belongs to `unknown`.
"""

import json
import math
from functools import cache
from importlib.resources import files

import msgspec

from firstlight.diagnosis.answer import credence
from firstlight.diagnosis.causes import category_of
from firstlight.diagnosis.rank import LEAST_PROBABLE, UNKNOWN
from firstlight.records.report import Hypothesis, Report

NULL = "null"
CLOSEST = 1e-4
"""To certainty: what is nearer counts as this near."""


def trusted(report: Report) -> Report:
    """The report with probabilities that hold what they promise; the order of causes stays."""
    named = [one for one in report.diagnosis if _is_bug(one)]
    taken = named[0].probability - worth(named[0].probability) if named else 0.0
    told = [_told(one, worth(one.probability)) if _is_bug(one) else one for one in report.diagnosis]
    unknown = next((one for one in told if one.cause == UNKNOWN), None)
    if unknown is None and taken >= LEAST_PROBABLE:
        unknown = Hypothesis(cause=UNKNOWN, category=category_of(UNKNOWN), probability=0.0)
    rest = [one for one in told if one.cause != UNKNOWN and one.probability >= LEAST_PROBABLE]
    open_ = [_told(unknown, unknown.probability + max(0.0, taken))] if unknown else []
    return msgspec.structs.replace(report, diagnosis=(*rest, *open_))


def worth(stated: float) -> float:
    """How often claims that were made with this probability are right."""
    slope, shift = counted()
    return round(1.0 / (1.0 + math.exp(-(slope * log_odds(stated) + shift))), 4)


def log_odds(probability: float) -> float:
    inside = min(max(probability, CLOSEST), 1.0 - CLOSEST)
    return math.log(inside / (1.0 - inside))


@cache
def counted() -> tuple[float, float]:
    """The slope and the shift; 1 and 0 as long as nothing was counted."""
    found = json.loads(files("firstlight.judge").joinpath("counted.json").read_text(encoding="utf-8"))
    return found["slope"], found["shift"]


def _is_bug(one: Hypothesis) -> bool:
    return one.cause != UNKNOWN and one.category != NULL


def _told(one: Hypothesis, probability: float) -> Hypothesis:
    words = credence(probability) if one.credence else None
    return msgspec.structs.replace(one, probability=round(probability, 4), credence=words)
