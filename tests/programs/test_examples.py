"""Every check of a running program catches its failing example and leaves its healthy twin alone."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from firstlight.checks.catalogue import CATALOGUE
from firstlight.facts.sources import DECLARED, LIVE, READ_FROM_LOG, READ_FROM_SOURCE, READ_FROM_TABLES
from firstlight.records.averages import Averaged
from firstlight.records.carried import ScoreCarried
from firstlight.records.contrast import Contrast
from firstlight.records.copies import CopySeen
from firstlight.records.dealings import Rewarded
from firstlight.records.evaluated import EvaluationLeaves
from firstlight.records.facts import CheckCrash
from firstlight.records.inferred import Inferred
from firstlight.records.kept import GraphsKept
from firstlight.records.randomness import RandomAgain
from firstlight.records.rehearsal import Rehearsal, ScheduleAhead
from firstlight.records.resumed import ResumeTried
from firstlight.records.rounded import RoundedAway
from firstlight.records.scoring import AnswersScored
from firstlight.records.selection import Selection
from firstlight.records.standing_by import GroupFrozen
from firstlight.records.stuck import StuckAtZero
from firstlight.records.symmetry import Symmetry
from firstlight.records.timelines import CustomGradient, Dependence

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
BY_EXPERIMENT = (Contrast, Rewarded, Dependence, CustomGradient, Inferred, Symmetry, Rehearsal)
BY_REHEARSAL = (
    Selection,
    AnswersScored,
    Averaged,
    ScoreCarried,
    GraphsKept,
    EvaluationLeaves,
    ResumeTried,
    CopySeen,
    RandomAgain,
    GroupFrozen,
    RoundedAway,
    StuckAtZero,
    ScheduleAhead,
)
"""Facts that a rehearsal alone makes, in a third of the time."""
ELSEWHERE = READ_FROM_SOURCE | READ_FROM_LOG | READ_FROM_TABLES | DECLARED | LIVE | {CheckCrash}
RUN = {c.name: c for c in CATALOGUE if c.needs not in ELSEWHERE}


def profile(name: str) -> str:
    """Experiments only where the check needs them."""
    return "standard" if RUN[name].needs in BY_EXPERIMENT or RUN[name].proven is not None else "quick"


@pytest.fixture
def judged(judge: Callable[..., Any], rehearse: Callable[..., Any]) -> Callable[[str, str], Any]:
    def run(name: str, file: str) -> Any:
        source = (EXAMPLES / name / file).read_text(encoding="utf-8")
        return rehearse(source) if RUN[name].needs in BY_REHEARSAL else judge(source, profile=profile(name), steps=600)

    return run


@pytest.mark.parametrize("name", sorted(RUN))
def test_the_failing_example_is_caught(judged: Callable[[str, str], Any], name: str) -> None:
    checked = judged(name, "fails.py")
    (loud,) = (finding for finding in checked.report["findings"] if finding["severity"] != "note")
    assert RUN[name].id in {witness["id"] for witness in loud["witnesses"]}  # of one incident, whichever leads
    assert loud["where"]["file"] == "train.py"


@pytest.mark.parametrize("name", sorted(RUN))
def test_the_healthy_twin_is_clean(judged: Callable[[str, str], Any], name: str) -> None:
    checked = judged(name, "healthy.py")
    assert (checked.report["verdict"], checked.loud()) == ("clean", [])
