"""The statistics on data whose answer is known."""

import numpy as np
import pyarrow as pa
import pytest

from firstlight.data import statistics
from firstlight.data.hashing import keys_of
from firstlight.data.statistics import TargetValues
from firstlight.records.doubts import doubts_of

DRAW = np.random.default_rng(1)
INPUTS = DRAW.normal(size=(800, 3)).astype(np.float32)
CLASSES = (INPUTS[:, 0] > 0).astype(int)


def test_skill_is_one_for_the_truth_and_zero_for_a_guess() -> None:
    classes, numbers = TargetValues(CLASSES, ("no", "yes")), TargetValues(np.linspace(0, 1, 100))

    assert statistics.skill_of(CLASSES, classes) == 1.0
    assert statistics.skill_of(np.zeros(800, dtype=int), classes) == 0.0
    assert statistics.skill_of(numbers.values, numbers) == 1.0
    assert statistics.skill_of(np.full(100, 0.5), numbers) == pytest.approx(0.0)


def test_rare_classes_count_as_much_as_common_ones() -> None:
    rare = TargetValues(np.array([0] * 99 + [1]), ("no", "yes"))

    assert statistics.skill_of(np.zeros(100, dtype=int), rare) == 0.0


def test_what_is_learnt_is_scored_on_rows_not_seen() -> None:
    assert statistics.learnt(INPUTS, TargetValues(CLASSES, ("no", "yes"))).skill > 0.9
    assert statistics.learnt(INPUTS, TargetValues(DRAW.permutation(CLASSES), ("no", "yes"))).skill < 0.15
    assert statistics.learnt(INPUTS, TargetValues(INPUTS[:, 1])).skill > 0.9


def test_one_column_alone() -> None:
    target = TargetValues(CLASSES, ("no", "yes"))

    assert statistics.skill_alone(INPUTS[:, 0], target) > 0.97
    assert statistics.skill_alone(INPUTS[:, 1], target) < 0.2


def test_of_many_columns_the_related_ones_are_tried() -> None:
    wide = DRAW.normal(size=(300, 200))

    assert 150 in statistics.screened(wide, TargetValues(wide[:, 150]), most=10)
    assert statistics.screened(wide[:, :5], TargetValues(wide[:, 0])) == [0, 1, 2, 3, 4]


def test_wrong_labels_are_wrong_however_sure_the_prediction() -> None:
    flipped = np.flatnonzero(DRAW.random(800) < 0.1)
    labels = CLASSES.copy()
    labels[flipped] = 1 - labels[flipped]
    target = TargetValues(labels, ("no", "yes"))
    found = doubts_of(labels.tolist(), statistics.learnt(INPUTS, target).chances.tolist())

    assert found.flat > 0.5
    assert np.isin([one.place for one in found.doubtful], flipped).mean() > 0.9


def test_overlapping_classes_are_wrong_where_the_prediction_is_unsure() -> None:
    target = TargetValues((INPUTS[:, 0] + 0.5 * DRAW.normal(size=800) > 0).astype(int), ("no", "yes"))
    found = doubts_of(target.values.tolist(), statistics.learnt(INPUTS, target).chances.tolist())

    assert found.flat < 0.3


def test_distances() -> None:
    one = DRAW.normal(size=500)

    assert statistics.distance_of_numbers(one, one + 3)[0] > 0.8
    assert statistics.distance_of_numbers(one, DRAW.normal(size=500))[1] > 0.001
    assert statistics.distance_of_numbers(one, one[:3]) == (0.0, 1.0)
    assert statistics.distance_of_counts([50, 50], [100, 0])[0] == pytest.approx(0.5)
    assert statistics.distance_of_counts([50, 50], [5, 5]) == (0.0, 1.0)


def test_many_questions_are_corrected_for() -> None:
    assert statistics.corrected([]) == []
    assert statistics.corrected([0.01, 0.5]) == [0.02, 0.5]


def test_two_samples_are_told_apart_by_the_column_that_differs() -> None:
    moved = INPUTS.copy()
    moved[:, 2] += 3
    apart, importance = statistics.told_apart(INPUTS, moved)

    assert apart > 0.9
    assert importance.argmax() == 2
    assert statistics.told_apart(INPUTS[:400], INPUTS[400:])[0] < 0.6


@pytest.mark.parametrize("tail", [DRAW.normal(size=3000), DRAW.standard_t(2, 3000), DRAW.lognormal(0, 2, 3000)])
def test_heavy_tails_leave_no_gap_and_markers_do(tail: np.ndarray) -> None:
    marked = tail.copy()
    marked[::100] = -1e6

    assert statistics.isolation(tail)[0] < 50
    ratio, outside = statistics.isolation(marked)
    assert ratio > 50
    assert set(marked[outside]) == {-1e6}


def test_columns_without_spread_have_nothing_apart() -> None:
    assert statistics.isolation(np.zeros(100))[0] == 1.0
    assert statistics.isolation(np.array([1.0, 2.0]))[0] == 1.0
    assert statistics.isolation(np.array([0.0] * 99 + [1.0]))[0] == 1.0


def test_a_single_pair_of_rounded_rows_is_chance_and_one_of_fractions_is_none() -> None:
    columns = [DRAW.normal(size=400) for _ in range(2)]
    for column in columns:
        column[1] = column[0]
    rounded = [keys_of(pa.array(column), 0.01) for column in columns]

    assert statistics.chance_of_copies(rounded) == 1.0
    assert statistics.chance_of_copies([keys_of(pa.array(column)) for column in columns]) == 0.0


def test_few_values_give_copies_by_chance_and_copied_rows_are_none() -> None:
    coarse = [keys_of(pa.array(DRAW.integers(0, 3, 2000))) for _ in range(4)]
    latent = DRAW.integers(0, 4, 2000)
    alike = [keys_of(pa.array(np.where(DRAW.random(2000) < 0.8, latent, DRAW.integers(0, 4, 2000)))) for _ in range(6)]
    fine = [keys_of(pa.array(np.tile(DRAW.normal(size=1000), 2))) for _ in range(4)]

    assert statistics.chance_of_copies(coarse) > 0.8
    assert statistics.chance_of_copies(alike) > 0.8
    assert statistics.chance_of_copies(fine) < 0.05
    assert statistics.chance_of_copies([each[:1000] for each in coarse], [each[1000:] for each in coarse]) > 0.8
    assert statistics.chance_of_copies([each[:1000] for each in fine], [each[1000:] for each in fine]) < 0.05


def test_two_units_are_two_clusters_of_one_shape() -> None:
    heights = DRAW.normal(175, 8, 900)
    mixed = np.where(np.arange(900) % 3 == 0, heights / 100, heights)

    found = statistics.two_units(mixed)
    assert found is not None
    assert (found.factor, len(found.rows)) == (100.0, 300)
    assert statistics.two_units(heights) is None
    assert statistics.two_units(-mixed) is None
    assert statistics.two_units(np.where(np.arange(900) % 3 == 0, heights / 37, heights)) is None
    assert statistics.two_units(np.where(np.arange(900) % 3 == 0, DRAW.uniform(1.5, 2.1, 900), heights)) is None
    assert statistics.two_units(np.where(np.arange(900) % 3 == 0, 1.0, 100.0)) is None


def test_the_offset_at_which_targets_fit_comes_first() -> None:
    target = TargetValues(np.roll(CLASSES, 17), ("no", "yes"))

    assert statistics.fitting_offsets(INPUTS, target, 50)[0] == 17
