from typing import Any

import pytest
from msgspec.structs import replace

from firstlight.checks.model.examples_mix import CHECK
from firstlight.records.finding import Evidence
from firstlight.records.places import Site
from firstlight.records.timelines import Dependence

MIXED = Dependence(step=0, rank=1, kind="examples", site=Site(file="train.py", line=31), own=True, others=8, of=15)


def found(**changes: Any) -> list[Evidence]:
    return list(CHECK.find(replace(MIXED, **changes), CHECK.limits))


def test_tells_how_many_others() -> None:
    (evidence,) = found()

    assert evidence.saw == "one example's output depends on the inputs of 8 of the 15 others"
    assert evidence.wanted == "an output that depends on its own input alone"
    assert (evidence.where.file, evidence.where.line) == ("train.py", 31)
    assert (evidence.where.step, evidence.where.rank) == (0, 1)
    assert evidence.numbers == {"others": 8, "of": 15}


def test_a_normalisation_over_the_batch_is_told_as_one() -> None:
    (evidence,) = found(operation="normalize", normalises=True)

    assert evidence.saw.endswith("of the 15 others, first by `normalize`")
    assert evidence.cause == "arch-norm"
    assert found()[0].cause is None


@pytest.mark.parametrize(
    ("changes", "cause"),
    [
        ({"shares": True, "last": True}, "loss-dim"),
        ({"shares": True, "last": True, "normalises": True}, "loss-dim"),
        ({"shares": True, "normalises": True}, None),
        ({"last": True, "normalises": True}, None),
        ({"last": True}, None),
    ],
)
def test_outputs_that_share_one_among_the_examples_are_a_softmax_over_the_wrong_axis(
    changes: dict[str, Any], cause: str | None
) -> None:
    assert found(**changes)[0].cause == cause


def test_numbers_by_which_places_are_looked_up_are_told_as_such() -> None:
    (evidence,) = found(operation="cumsum", indexes=True)

    assert evidence.saw.endswith("of the 15 others, first by `cumsum`")
    assert evidence.cause == "arch-position"


def test_dependence_on_later_positions_is_another_matter() -> None:
    assert found(kind="future") == []


@pytest.mark.parametrize(("others", "times"), [(0, 0), (1, 1), (2, 1), (15, 1)])
def test_one_other_is_enough(others: int, times: int) -> None:
    assert len(found(others=others)) == times


def test_dependence_on_others_counts_without_dependence_on_itself() -> None:
    assert len(found(own=False)) == 1
