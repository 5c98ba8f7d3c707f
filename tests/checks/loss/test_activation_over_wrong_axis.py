import math
from typing import Any

import pytest
from msgspec.structs import replace

from firstlight.checks.loss.activation_over_wrong_axis import CHECK
from firstlight.records.finding import Evidence, Severity
from firstlight.records.places import Site
from firstlight.records.taped import AxisSeen

ACROSS = AxisSeen(
    operation="log_softmax",
    site=Site(file="model.py", line=19),
    met_by="nll_loss",
    step=8,
    shape=(45, 6),
    axis=0,
    chosen=1,
    error=2.4,
    looks=2,
)


def found(**changes: Any) -> list[Evidence]:
    return list(CHECK.find(replace(ACROSS, **changes), CHECK.limits))


def test_tells_both_axes_and_points_at_the_activation() -> None:
    (evidence,) = found()

    assert "`nll_loss` is given 45×6 values that sum to one over axis 0 (45 long)," in evidence.saw
    assert "2.4 away from 0" in evidence.saw
    assert evidence.wanted == "probabilities over axis 1, the 6 classes"
    assert (evidence.where.file, evidence.where.line) == ("model.py", 19)
    assert evidence.numbers == {"logsum_error": 2.4, "axis": 0, "chosen": 1}


@pytest.mark.parametrize(("error", "times"), [(0.05, 0), (0.051, 1), (math.nan, 0)])
def test_each_side_of_logsum_error(error: float, times: int) -> None:
    assert len(found(error=error)) == times


@pytest.mark.parametrize(("looks", "times"), [(1, 0), (2, 1)])
def test_each_side_of_looks(looks: int, times: int) -> None:
    assert len(found(looks=looks)) == times


def test_examples_that_were_drawn_into_the_batch_are_told_as_such() -> None:
    (evidence,) = found(drawn=True)

    assert evidence.severity is Severity.WARNING
    assert evidence.saw.endswith(
        "and so do the targets; along that axis lie the examples that were drawn into the batch"
    )
    assert evidence.wanted == "probabilities over axis 1, the 6 items of each example"
