"""Both sides of a program, scaled together and each by itself."""

from collections.abc import Callable

import pytest
import torch

from firstlight.observe.inside import own_scale
from firstlight.observe.inside.feed import Feed
from firstlight.records.feed import OwnScale

GENERATOR = torch.Generator().manual_seed(0)
TRAIN, HELD_BACK = (40 + 9 * torch.randn(rows, 6, generator=GENERATOR) for rows in (1000, 300))
IMAGES, OTHERS = (torch.rand(rows, 1, 12, 12, generator=GENERATOR) ** 2 for rows in (800, 200))


def unit(values: torch.Tensor, dims: tuple[int, ...] = (0,), unbiased: bool = False) -> torch.Tensor:
    return (values - values.mean(dims, keepdim=True)) / values.std(dims, keepdim=True, unbiased=unbiased)


def ranged(values: torch.Tensor) -> torch.Tensor:
    return (values - values.amin(0)) / (values.amax(0) - values.amin(0))


def unchanged(batch: torch.Tensor) -> torch.Tensor:
    return batch


def seen(
    train: torch.Tensor,
    held_back: torch.Tensor,
    batch: int = 64,
    evaluated: int = 10_000,
    prepare: Callable[[torch.Tensor], torch.Tensor] = unchanged,
) -> OwnScale:
    feed = Feed()
    for _ in range(3):
        for rows in torch.randperm(len(train), generator=torch.Generator().manual_seed(1)).split(batch):
            feed.train({"x": prepare(train[rows])})
        for part in held_back.split(evaluated):
            feed.evaluate({"x": prepare(part)})
    return feed.inputs()[0].own_scale


@pytest.mark.parametrize("unbiased", [False, True])
@pytest.mark.parametrize("evaluated", [64, 10_000])
def test_a_scaler_fitted_on_each_side_is_seen(unbiased: bool, evaluated: int) -> None:
    found = seen(unit(TRAIN, unbiased=unbiased), unit(HELD_BACK, unbiased=unbiased), evaluated=evaluated)

    assert found == OwnScale(kind="unit", columns=6, trained=1000, evaluated=300)


def test_so_is_a_range_of_each_side() -> None:
    assert seen(ranged(TRAIN), ranged(HELD_BACK)).kind == "range"
    assert not seen(ranged(TRAIN), (HELD_BACK - TRAIN.amin(0)) / (TRAIN.amax(0) - TRAIN.amin(0))).kind


def test_and_one_mean_and_deviation_for_all_pixels() -> None:
    whole = (0, 1, 2, 3)

    assert seen(unit(IMAGES, whole), unit(OTHERS, whole), evaluated=50).kind == "unit"


def test_a_part_of_the_columns_is_enough() -> None:
    first, second = (torch.cat([unit(side), (side > 40).float()], 1) for side in (TRAIN, HELD_BACK))

    assert seen(first, second).columns == 6


def test_one_scaler_for_both_leaves_what_chance_makes() -> None:
    centre, width = TRAIN.mean(0), TRAIN.std(0)

    assert not seen((TRAIN - centre) / width, (HELD_BACK - centre) / width).kind


def test_data_drawn_as_standard_normal_is_off_by_chance() -> None:
    drawn = torch.randn(1300, 6, generator=torch.Generator().manual_seed(2))

    assert not seen(drawn[:1000], drawn[1000:]).kind


@pytest.mark.parametrize("dims", [(1, 2, 3), (2, 3)])
def test_images_scaled_one_by_one_are_prepared_alike(dims: tuple[int, ...]) -> None:
    assert not seen(unit(IMAGES, dims), unit(OTHERS, dims), evaluated=50).kind


def test_batches_and_groups_scaled_by_themselves_are_too() -> None:
    first, second = (torch.cat([unit(part) for part in side.split(50)]) for side in (TRAIN, HELD_BACK))

    assert not seen(TRAIN, HELD_BACK, evaluated=100, prepare=unit).kind
    assert not seen(first, second).kind
    assert not seen(first, second, evaluated=64).kind


def test_all_rows_scaled_together_and_evaluated_together_are_one_scaler() -> None:
    together = unit(torch.cat([TRAIN, HELD_BACK]))

    assert not seen(together[:1000], together).kind


def test_signs_have_mean_0_and_deviation_1_by_nature() -> None:
    signs = torch.cat([torch.ones(200, 4), -torch.ones(200, 4)])
    drawn = torch.cat([signs, signs])[torch.randperm(800, generator=GENERATOR)]

    assert not seen(drawn, -drawn[:400], batch=800).kind


def test_a_few_values_that_come_as_often_on_both_sides_say_nothing() -> None:
    shops = unit(torch.randn(25, 3, generator=GENERATOR))

    assert not seen(shops.repeat(40, 1) + 0.0, shops.repeat(12, 1), batch=1000).kind


def test_grids_reach_from_0_to_1_by_nature() -> None:
    grid = torch.cartesian_prod(torch.linspace(0, 1, 30), torch.linspace(0, 1, 30))

    assert not seen(grid, torch.cartesian_prod(torch.linspace(0, 1, 20), torch.linspace(0, 1, 20))).kind
    assert not seen(torch.linspace(0, 1, 400)[:, None], torch.linspace(0, 1, 150)[:, None]).kind


def test_values_of_a_few_round_sizes_reach_from_0_to_1_by_chance() -> None:
    first, second = (ranged(side).mul(100).round() / 100 for side in (TRAIN, HELD_BACK))

    assert not seen(first, second).kind


def test_noise_in_training_alone_leaves_nothing_to_compare() -> None:
    noise = torch.Generator().manual_seed(3)

    def noisy(batch: torch.Tensor) -> torch.Tensor:
        return batch + 0.05 * torch.randn(batch.shape, generator=noise)

    assert not seen(unit(TRAIN), unit(HELD_BACK), prepare=noisy).kind


@pytest.mark.parametrize(("rows", "kind"), [(63, ""), (64, "unit")])
def test_each_side_of_least_rows(rows: int, kind: str) -> None:
    assert seen(unit(TRAIN), unit(HELD_BACK[:rows])).kind == kind


def test_the_first_of_two_evaluations_is_judged_by_itself() -> None:
    feed = Feed()
    for batch in unit(TRAIN).split(100):
        feed.train({"x": batch})
    feed.evaluate({"x": unit(HELD_BACK[:150])})
    feed.train({"x": unit(TRAIN)[:50]})
    feed.evaluate({"x": HELD_BACK[150:]})

    assert feed.inputs()[0].own_scale.evaluated == 150


def test_what_goes_on_for_long_is_not_judged(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(own_scale, "MOST_VALUES", 5999)

    assert not seen(unit(TRAIN), unit(HELD_BACK)).kind
