"""One head where several were meant."""

import pytest
from msgspec.structs import replace

from firstlight.checks.model.predictions_repeated import CHECK
from firstlight.records.places import Site
from firstlight.records.taped import TwiceSeen

HEAD, LOSS = Site(file="train.py", line=18), Site(file="train.py", line=33)
TWICE = TwiceSeen(
    rank=1,
    step=8,
    operation="linear",
    site=HEAD,
    met=LOSS,
    met_again=LOSS,
    times=3,
    examples=64,
    likeness=0.1,
    looks=2,
)


def test_the_layer_and_the_comparisons_are_named() -> None:
    (found,) = CHECK.find(TWICE, CHECK.limits)
    assert (found.where.file, found.where.line) == ("train.py", 18)
    assert "64 examples 3 times over" in found.saw
    assert found.saw.endswith("3 different targets in line 33")
    (found,) = CHECK.find(replace(TWICE, met_again=Site(file="train.py", line=34)), CHECK.limits)
    assert found.saw.endswith("in line 33 and line 34")
    (found,) = CHECK.find(replace(TWICE, met=None, met_again=None), CHECK.limits)
    assert found.saw.endswith("different targets")


@pytest.mark.parametrize("change", [{"looks": 1}, {"likeness": 0.7}, {"likeness": float("nan")}])
def test_a_single_look_or_opinions_of_one_thing_are_no_finding(change: dict[str, float]) -> None:
    assert not list(CHECK.find(replace(TWICE, **change), CHECK.limits))


def test_answers_that_have_little_in_common_are_enough() -> None:
    assert list(CHECK.find(replace(TWICE, likeness=0.69), CHECK.limits))
