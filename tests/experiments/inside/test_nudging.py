"""What another reward changes, read off the answers of two runs."""

import pytest

from firstlight.experiments.inside.nudging import (
    Backward,
    Nudge,
    NudgedCopy,
    Nudging,
    _changes,
    _differences,
    _rollouts,
)
from firstlight.observe.inside.taps.dealings import Told
from firstlight.records.dealings import ACTIONS, VALUES

PLAIN = [0.5, -1.0, 2.0, 0.3, 1.1, -0.4, 0.9, 1.6]


def test_single_differences() -> None:
    other = [*PLAIN[:3], PLAIN[3] + 1, *PLAIN[4:]]

    assert _differences(PLAIN, other, 1e-3) == pytest.approx([1.0])


def test_what_all_have_in_common_is_left_out() -> None:
    other = [2 * one - 0.3 for one in PLAIN]
    other[3] += 1

    assert _differences(PLAIN, other, 1e-3) == pytest.approx([1.0])


def test_changes_of_most_examples_are_told_as_they_are() -> None:
    changes = [0.1 * at * at for at in range(1, 9)]
    other = [one + change for one, change in zip(PLAIN, changes, strict=True)]

    assert _differences(PLAIN, other, 1e-3) == pytest.approx(changes)


def backward(exchanges: int, values: list[float], actions: list[float]) -> Backward:
    return Backward(exchanges, None, {VALUES: values, ACTIONS: actions})


def test_the_first_differences_count_and_those_of_the_same_rollout() -> None:
    own = [backward(8, [1.0, 2.0], [0.1, 0.2]) for _ in range(3)] + [backward(16, [1.0, 2.0], [0.1, 0.2])]
    told = [
        (8, {VALUES: [1.0, 2.0], ACTIONS: [0.1, 0.2]}),
        (8, {VALUES: [1.0, 4.0], ACTIONS: [0.1, 0.4]}),
        (8, {VALUES: [2.0, 2.0], ACTIONS: [9.0, 9.0]}),
        (16, {VALUES: [9.0, 9.0], ACTIONS: [9.0, 9.0]}),
    ]

    found = _changes(NudgedCopy(0, 0, 0, 2.0, backwards=told), own)

    assert found.found == {VALUES: [1.0, 0.5], ACTIONS: [pytest.approx(0.1)]}
    assert found.together


def test_rollouts_are_looked_at_whole() -> None:
    def looked(exchanges: int, rows: int) -> Backward:
        return backward(exchanges, [], [0.0] * rows)

    assert _rollouts([looked(8, 8), looked(16, 8), looked(32, 16), looked(32, 16)]) == 2
    assert _rollouts([looked(8, 64), looked(9, 64), looked(10, 64)]) == 0


@pytest.mark.parametrize(
    ("lengths", "ends", "place"),
    [
        ([4, 1], [False, False], 1),
        ([4, 1], [False, True], None),  # ended before, and says so again until it is begun anew
        ([4, 2], [False, False], None),
    ],
)
def test_the_next_episode_has_begun_where_it_does_not_end_at_once(
    lengths: list[int], ends: list[bool], place: int | None
) -> None:
    keys = [(1, 0), (1, 1)]
    told = Told(result=(), at=0, rewards=[0.0, 0.0], ends=ends, keys=keys, lengths=lengths)
    trial = Nudge(keys[1], 5, NudgedCopy(pid=0, read=0, first=0, unit=1.0))

    assert Nudging(observer=None, dealings=None)._next(trial, told) == place  # type: ignore[arg-type]
