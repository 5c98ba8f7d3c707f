from typing import Any

import pytest
from msgspec.structs import replace

from firstlight.checks.loss.answers_drowned import CHECK
from firstlight.records.finding import Evidence
from firstlight.records.flows import Place, Pulling
from firstlight.records.places import Site

DROWNED = Pulling(
    rank=1,
    kind="values",
    meeting=Place(operation="mse_loss", site=Site(file="train.py", line=24)),
    site=Site(file="train.py", line=25),
    looks=3,
    away=0,
    towards=0,
    step=24,
    right=0.9,
    contrary=1.1,
    optimizers=1,
    climbs=False,
    share=2e-6,
    acting=False,
)


def found(**changes: Any) -> list[Evidence]:
    return list(CHECK.find(replace(DROWNED, **changes), CHECK.limits))


def test_tells_how_little_changes_where_predictions_meet_answers() -> None:
    (evidence,) = found()

    assert evidence.saw == (
        "with the targets of other examples, the gradients of the outputs change by 2e-06 of their size at most, "
        "over 3 looks"
    )
    assert (evidence.where.line, evidence.where.rank, evidence.cause) == (24, 1, None)


def test_where_the_program_acts_answers_are_returns() -> None:
    (evidence,) = found(acting=True)
    assert (evidence.cause, "returns" in evidence.saw) == ("rl-reward", True)


@pytest.mark.parametrize(("share", "times"), [(9.9e-5, 1), (1e-4, 0), (0.3, 0), (None, 0), (float("nan"), 0)])
def test_each_side_of_share(share: float | None, times: int) -> None:
    assert len(found(share=share)) == times


@pytest.mark.parametrize(("looks", "times"), [(1, 0), (2, 1)])
def test_each_side_of_looks(looks: int, times: int) -> None:
    assert len(found(looks=looks)) == times


@pytest.mark.parametrize(("larger", "cause"), [(99.0, None), (100.0, "data-scale"), (float("nan"), None)])
def test_targets_that_are_far_larger_all_look_alike(larger: float, cause: str | None) -> None:
    (evidence,) = found(larger=larger)

    assert evidence.cause == cause
    assert ("standardize" in (evidence.do or "")) == (cause is not None)


@pytest.mark.parametrize(("pace", "times"), [(0.29, 1), (0.3, 0)])
def test_predictions_thrown_far_off_are_told_elsewhere(pace: float, times: int) -> None:
    assert len(found(pace=pace)) == times
