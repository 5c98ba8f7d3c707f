from typing import Any

import pytest
from msgspec.structs import replace

from firstlight.checks.loss.loss_sign_flipped import CHECK
from firstlight.records.finding import Evidence, Severity
from firstlight.records.flows import Place, Pulling
from firstlight.records.places import Site

AWAY = Pulling(
    rank=1,
    kind="values",
    meeting=Place(operation="mse_loss", site=Site(file="train.py", line=24)),
    site=Site(file="train.py", line=25),
    looks=3,
    away=3,
    towards=0,
    step=24,
    right=-0.9,
    contrary=-1.1,
    optimizers=1,
    climbs=False,
    share=0.8,
    acting=False,
)


def found(**changes: Any) -> list[Evidence]:
    return list(CHECK.find(replace(AWAY, **changes), CHECK.limits))


def test_tells_both_losses_where_predictions_meet_answers() -> None:
    (evidence,) = found()

    assert evidence.saw == (
        "predictions that follow their targets have a loss of -0.9, and contrary ones -1.1, at all of 3 looks"
    )
    assert evidence.wanted == "the lower loss for predictions that follow their targets"
    assert (evidence.where.file, evidence.where.line, evidence.where.rank) == ("train.py", 24, 1)
    assert evidence.severity is None


@pytest.mark.parametrize("changes", [{"kind": "likelihoods"}, {"towards": 1}])
def test_returns_may_be_costs_and_one_of_several_terms_may_pull_away(changes: dict[str, Any]) -> None:
    (evidence,) = found(**changes)
    assert (evidence.severity, evidence.confidence) == (Severity.WARNING, 0.6)


@pytest.mark.parametrize("optimizers", [0, 2])
def test_with_an_adversary_a_loss_is_maximised_on_purpose(optimizers: int) -> None:
    assert found(optimizers=optimizers) == []


def test_an_optimizer_that_goes_uphill_is_given_what_is_to_rise() -> None:
    assert found(climbs=True) == []


@pytest.mark.parametrize(("looks", "times"), [(1, 0), (2, 1)])
def test_each_side_of_looks(looks: int, times: int) -> None:
    assert len(found(looks=looks, away=looks)) == times


def test_a_single_look_at_which_it_pulls_towards_is_enough_for_doubt() -> None:
    assert found(looks=3, away=2) == []
