"""Labels, and the order in which batches come."""

import random
from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from firstlight.facts.live.feeding import BATCHES, InputWindow, LabelWindow, homogeneous
from firstlight.facts.live.order import OrderWindow
from firstlight.records.telemetry import StepRow

ROW = StepRow(step=1)
counts = st.dictionaries(st.integers(0, 9), st.integers(1, 500), min_size=1)


@given(counts, counts)
def test_chance_is_a_probability_whichever_comes_first(one: dict[int, int], other: dict[int, int]) -> None:
    a, b = Counter(one), Counter(other)

    assert 0 <= homogeneous(a, b) <= 1


@given(counts)
def test_a_mixture_looks_like_itself(one: dict[int, int]) -> None:
    assert homogeneous(Counter(one), Counter(one)) > 0.01


def labels(order: list[int], size: int = 8) -> LabelWindow:
    window = LabelWindow()
    for start in range(0, len(order), size):
        window.add(Counter(order[start : start + size]))
    return window


def test_random_order_stays_within_chance() -> None:
    for seed in range(20):
        order = [place % 4 for place in range(3000)]
        random.Random(seed).shuffle(order)
        track = labels(order).fact(ROW, 0)
        assert track is not None
        assert track.chance > 1e-6


def test_sorted_labels_are_far_from_chance() -> None:
    track = labels(sorted(place % 4 for place in range(3000))).fact(ROW, 0)

    assert track is not None
    assert track.chance < 1e-30
    assert (track.commonest, track.alone) == (3, 1.0)


def test_numbers_that_are_no_classes_are_not_judged() -> None:
    lengths = [20 + place % 30 for place in range(3000)]

    assert labels(lengths).fact(ROW, 0) is None
    assert labels([0] * 3000).fact(ROW, 0) is None
    assert labels([0, 1] * (4 * BATCHES - 1)).fact(ROW, 0) is None


def test_the_mixture_is_that_of_all_labels_so_far() -> None:
    assert labels([0, 0, 0, 1] * 300).mixture() == (0.75, 0.25)
    assert labels([5, 7] * 300).mixture() == ()
    assert LabelWindow().mixture() == ()


def ordered(epochs: list[list[float]], shuffled: bool = False) -> OrderWindow:
    window, names = OrderWindow(), [str(place) for place in range(len(epochs[0]))]
    for number, losses in enumerate([*epochs, [1.0]]):
        for name, loss in zip(names, losses, strict=False):
            window.add(StepRow(step=1, loss=loss, batch=f"{name} {number}" if shuffled else name))
    return window


def test_a_course_that_comes_again_is_measured() -> None:
    track = ordered([[0.1] * 16 + [0.3] * 16] * 4).fact(ROW, 0)

    assert track is not None
    assert (track.batches, round(track.swing, 6), track.alike) == (32, 1.0, 1.0)


def test_without_a_fixed_order_there_is_nothing_to_say() -> None:
    assert ordered([[0.1] * 16 + [0.3] * 16] * 4, shuffled=True).fact(ROW, 0) is None
    assert ordered([[0.1, 0.3]] * 9).fact(ROW, 0) is None
    assert ordered([[0.1] * 16 + [0.3] * 16] * 2).fact(ROW, 0) is None


def sized(*sizes: float | None) -> InputWindow:
    window = InputWindow()
    for size in sizes:
        window.add(size)
    return window


def test_the_last_batches_are_held_against_those_before() -> None:
    track = sized(*[1.0] * 40, 30.0, *[50.0] * 7).fact(ROW, 0)

    assert track is not None
    assert (track.usual, track.least, track.most, track.batches) == (1.0, 30.0, 50.0, 48)


def test_batches_without_numbers_are_left_out() -> None:
    assert sized(*[None] * 40, *[0.0] * 40, *[float("nan")] * 40).fact(ROW, 0) is None
