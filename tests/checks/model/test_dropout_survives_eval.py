"""What is dropped in eval mode, unless it is sampled on purpose."""

import pytest
from msgspec.structs import replace

from firstlight.checks.model.dropout_survives_eval import CHECK
from firstlight.records.places import Site
from firstlight.records.training import EvalDropping, EvaluationSeen

DROPPING = EvalDropping(
    operation="dropout", site=Site(file="net.py", line=7), calls=2, probability=0.2, apart=0.5, resampled=False
)
SEEN = EvaluationSeen(
    rank=1,
    model=0,
    name="Net",
    site=None,
    phases=0,
    crowded=0,
    in_eval=True,
    alone=True,
    dropping=DROPPING,
)


def test_the_call_that_drops_is_named() -> None:
    (found,) = CHECK.find(SEEN, CHECK.limits)
    assert (found.where.file, found.where.line) == ("net.py", 7)
    assert "`dropout` dropped with probability 0.2 in each of 2 calls" in found.saw
    assert "differ by 50%" in found.saw


@pytest.mark.parametrize("change", [{"calls": 1}, {"apart": 0.01}, {"apart": float("nan")}, {"resampled": True}])
def test_a_single_call_hardly_anything_and_sampling_are_no_finding(change: dict[str, float]) -> None:
    assert not list(CHECK.find(replace(SEEN, dropping=replace(DROPPING, **change)), CHECK.limits))


def test_a_model_that_drops_nothing_is_no_finding() -> None:
    assert not list(CHECK.find(replace(SEEN, dropping=None), CHECK.limits))


def test_just_above_the_limit_is_enough() -> None:
    assert list(CHECK.find(replace(SEEN, dropping=replace(DROPPING, apart=0.011)), CHECK.limits))
