"""Answers that are sums of a few features: leaks, and toys and laws that look like them."""

import pytest
import torch
from tests.checks.data.relating import found, related

from firstlight.checks.data.feature_tells_answer import CHECK
from firstlight.observe.inside.relations.composing import made_of
from firstlight.observe.inside.relations.sample import AnswerMet
from firstlight.records.relations import MadeOf

ROWS, PAST = 800, 30
GENERATOR = torch.Generator().manual_seed(0)
NOISE = torch.randn(ROWS, 5, generator=GENERATOR)


def series() -> torch.Tensor:
    """Each value is what is left of the last one, and something new."""
    found = [torch.zeros(())]
    for new in torch.randn(ROWS + PAST, generator=GENERATOR):
        found.append(0.8 * found[-1] + new)
    return torch.stack(found)[-ROWS - PAST :]


SERIES = series()
NOW = SERIES[PAST:]


def lag(by: int) -> torch.Tensor:
    return SERIES[PAST - by : len(SERIES) - by]


def mean(first: int, last: int) -> torch.Tensor:
    """From so many moments ago to so many."""
    return torch.stack([lag(by) for by in range(last, first + 1)]).mean(0)


def table(*columns: torch.Tensor) -> torch.Tensor:
    return torch.cat([torch.stack(columns, 1), NOISE], 1)


def asked(features: torch.Tensor, answer: torch.Tensor = NOW, shape: tuple[int, ...] = ()) -> MadeOf:
    order = torch.randperm(len(features), generator=torch.Generator().manual_seed(1))
    return made_of(features[order], AnswerMet(answer[order], 0), shape)


def leaks(made: MadeOf) -> bool:
    return bool(found(CHECK, related(made_of=made, examples=ROWS)))


def test_a_mean_that_contains_the_answer_is_named_first() -> None:
    made = asked(table(lag(1), lag(2), mean(2, 0)))

    assert (made.columns[0], sorted(made.columns)) == (2, [0, 1, 2])
    assert made.left < 1e-6
    assert leaks(made)


def test_a_difference_and_a_total_contain_it_too() -> None:
    assert leaks(asked(table(lag(1), lag(2), NOW - lag(1))))
    assert leaks(asked(table(lag(1), lag(2), NOW + NOISE[:, 0] + NOISE[:, 1])))


def test_scaling_each_column_changes_nothing() -> None:
    features = table(lag(1), lag(2), mean(2, 0))

    assert leaks(asked((features - features.mean(0)) / features.std(0), 500 + 3 * NOW))


def windows(feature: torch.Tensor, first: bool) -> torch.Tensor:
    """Of the series and a feature of it, the last eight moments before the answer: channels come first or last."""
    both = torch.stack([SERIES, feature, torch.randn(len(SERIES), generator=GENERATOR)])
    cut = both.unfold(1, 8, 1)[:, PAST - 8 : -1].permute(1, 0, 2)
    return cut if first else cut.transpose(1, 2)


@pytest.mark.parametrize("first", [True, False])
def test_a_centred_window_knows_what_comes_next(first: bool) -> None:
    centred = torch.cat([SERIES[:2], SERIES.unfold(0, 5, 1).mean(1), SERIES[-2:]])
    cut = windows(centred, first)
    made = asked(cut.reshape(ROWS, -1), shape=tuple(cut.shape[1:]))

    assert made.columns[0] == 1
    assert leaks(made)


def test_a_window_that_ends_at_its_moment_does_not() -> None:
    trailing = torch.cat([SERIES[:4], SERIES.unfold(0, 5, 1).mean(1)])
    cut = windows(trailing, False)

    assert not leaks(asked(cut.reshape(ROWS, -1), shape=tuple(cut.shape[1:])))


def test_an_honest_mean_tells_no_answer() -> None:
    assert asked(table(lag(1), lag(2), mean(3, 1))) == MadeOf()


def test_toys_that_add_up_columns_are_fine() -> None:
    columns = torch.randn(ROWS, 12, generator=GENERATOR)
    weights = torch.randn(12, generator=GENERATOR)
    few = weights * (torch.arange(12) < 4)

    assert not leaks(asked(columns, columns @ weights))
    assert not leaks(asked(columns, columns @ few))
    assert asked(columns, columns @ few).left < 1e-6


def test_series_without_noise_go_on_by_many_of_their_places() -> None:
    time = 0.3 * torch.arange(ROWS + 20)
    for wave in (torch.sin(time), torch.sin(time) + 0.5 * torch.sin(2.3 * time)):
        cut = wave.unfold(0, 21, 1)
        assert not leaks(asked(cut[:, :20], cut[:, 20]))


def test_powers_of_one_number_are_fine() -> None:
    number = 4 * torch.rand(ROWS, generator=GENERATOR) - 2
    powers = torch.stack([number**power for power in range(1, 7)], 1)

    assert not leaks(asked(powers, number**3 - 2 * number))


def test_a_small_correction_of_the_last_state_is_fine() -> None:
    position = 2 * NOISE[:, 0]
    speed = NOISE[:, 1] - 0.5 * position

    assert not leaks(asked(table(position, speed)[:, :7], position + 0.1 * speed))


def test_classes_few_rows_and_few_columns_are_not_asked() -> None:
    features = table(lag(1), lag(2), mean(2, 0))

    assert made_of(features, AnswerMet((NOW > 0).long(), 2)) == MadeOf()
    assert made_of(features[:100], AnswerMet(NOW[:100], 0)) == MadeOf()
    assert asked(features[:, :3]) == MadeOf()
