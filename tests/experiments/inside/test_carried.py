"""What a score is made of: the evaluation it belongs to, or those before it as well."""

import weakref
from types import SimpleNamespace
from typing import Any

import pytest
from torch import nn

from firstlight.experiments.inside.averages import Phase
from firstlight.experiments.inside.carried import MixedScores
from firstlight.records.carried import ScoreCarried
from firstlight.records.places import Site

HITS = Site(file="train.py", line=78)
MODEL, OTHER = nn.Linear(2, 1), nn.Linear(2, 1)


def evaluation(hits: float, model: nn.Module = MODEL, batches: tuple[int, ...] = (50, 30)) -> Phase:
    return Phase(batches=list(batches), taken={HITS: (len(batches), hits)}, model=weakref.ref(model))


def told(*rounds: tuple[Phase, float | None, float | None]) -> list[ScoreCarried]:
    """Evaluations one after the other, each with what is divided by what at its end."""
    observer: Any = SimpleNamespace(step=9)
    carried = MixedScores(observer)
    for phase, total, by in rounds:
        carried.divided([phase], total, by)
        carried.training_goes_on([phase])
    return list(carried.seen())


@pytest.mark.parametrize("times", [1, 2, 100])
def test_a_sum_that_goes_on_is_told(times: int) -> None:
    (one,) = told(
        (evaluation(40.0), times * 40.0, None),
        (evaluation(45.0), times * 85.0, None),
        (evaluation(47.0), times * 132.0, None),
    )

    assert (one.counted, one.own, one.evaluations, one.times, one.of_examples) == (132.0, 47.0, 3, 2, False)


def test_so_is_a_count_of_examples() -> None:
    (one,) = told(*((evaluation(0.0), None, 80.0 * number) for number in (1, 2, 3)))

    assert (one.counted, one.own, one.times, one.of_examples) == (240.0, 80.0, 2, True)


@pytest.mark.parametrize("rows", [80, 160])
def test_lists_that_a_metric_is_computed_of(rows: int) -> None:
    observer: Any = SimpleNamespace(step=9)
    carried = MixedScores(observer)
    carried.training_goes_on([evaluation(40.0)])
    carried.counted([evaluation(45.0)], rows)

    assert [one.counted for one in carried.seen()] == ([160.0] if rows == 160 else [])


@pytest.mark.parametrize(
    "rounds",
    [
        [(evaluation(40.0), 40.0, 80.0), (evaluation(45.0), 45.0, 80.0)],
        [(evaluation(40.0), 40.0, None), (evaluation(45.0, OTHER), 85.0, None)],
        [(evaluation(40.0, batches=(80,)), 40.0, None), (evaluation(45.0, batches=(80,)), 85.0, None)],
        [(evaluation(40.0), 40.0, None), (evaluation(45.0), 45.0, None), (evaluation(47.0), 132.0, None)],
    ],
    ids=["its own", "another fold", "single calls between steps", "once of its own, and a total beside it"],
)
def test_what_is_well(rounds: list[tuple[Phase, float | None, float | None]]) -> None:
    assert told(*rounds) == []


def test_scores_of_whole_evaluations_may_be_averaged() -> None:
    first, second = evaluation(0.8), evaluation(0.9)
    first.taken = {HITS: (1, 0.8)}
    second.taken = {HITS: (1, 0.9)}

    assert told((first, 0.8, None), (second, 1.7, None)) == []
