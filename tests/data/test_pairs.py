"""Two columns that give the target away together are found, whichever way."""

import numpy as np
import pytest

from firstlight.data.matrix import Design
from firstlight.data.pairs import strongest_pair
from firstlight.data.statistics import TargetValues

DRAW = np.random.default_rng(6)
NOISE = DRAW.normal(size=(800, 6))
HIDDEN = DRAW.uniform(1, 20, 800)
TARGET = DRAW.normal(50, 10, 800)
OWNERS = ("a", "b", "c", "d", "e", "f", "one", "two")


def best(one: np.ndarray, two: np.ndarray, target: TargetValues) -> tuple[str, float]:
    found = strongest_pair(Design(np.column_stack([NOISE, one, two]).astype(np.float32), OWNERS), target)
    assert found is not None
    return str(found[0]), found[1]


@pytest.mark.parametrize(
    ("one", "how"),
    [(TARGET + HIDDEN * 9, "-"), (TARGET - HIDDEN * 9, "+"), (TARGET * HIDDEN, "/"), (TARGET / HIDDEN, "*")],
)
def test_what_arithmetic_makes_of_two_columns(one: np.ndarray, how: str) -> None:
    two = HIDDEN * 9 if how in "+-" else HIDDEN
    told, skill = best(one, two, TargetValues(np.argsort(np.argsort(TARGET)) / 800))

    assert told == f"`one` {how} `two`"
    assert skill > 0.97


def test_two_inputs_that_decide_the_target_together_are_no_leak() -> None:
    classes = (NOISE[:, 0] + NOISE[:, 1] > 0).astype(int)

    assert strongest_pair(Design(NOISE, OWNERS[:6]), TargetValues(classes, ("no", "yes"))) is None


def test_related_columns_that_know_nothing_together_either() -> None:
    target = TargetValues(DRAW.integers(0, 2, 800), ("no", "yes"))

    assert best(HIDDEN, HIDDEN + DRAW.normal(size=800), target)[1] < 0.3
    assert strongest_pair(Design(NOISE[:, :1], ("a",)), target) is None
