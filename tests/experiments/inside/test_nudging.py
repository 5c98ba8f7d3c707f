"""What another reward changes, read off the answers of two runs."""

import os
import signal
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
import torch

from firstlight.experiments.inside.nudged import Backward, NudgedCopy, _differences, _rollouts, changes
from firstlight.experiments.inside.nudging import Nudge, Nudging, install
from firstlight.observe.inside.taps.dealings import Told
from firstlight.observe.inside.taps.models import Call
from firstlight.records.dealings import ACTIONS, VALUES, Ended, RewardAsked

PLAIN = [0.5, -1.0, 2.0, 0.3, 1.1, -0.4, 0.9, 1.6]


def test_single_differences() -> None:
    other = [*PLAIN[:3], PLAIN[3] + 1, *PLAIN[4:]]

    assert _differences(PLAIN, other, 1e-3) == pytest.approx({3: 1.0})


def test_what_all_have_in_common_is_left_out() -> None:
    other = [2 * one - 0.3 for one in PLAIN]
    other[3] += 1

    assert _differences(PLAIN, other, 1e-3) == pytest.approx({3: 1.0})


def test_changes_of_most_examples_are_told_as_they_are() -> None:
    changes = [0.1 * at * at for at in range(1, 9)]
    other = [one + change for one, change in zip(PLAIN, changes, strict=True)]

    assert list(_differences(PLAIN, other, 1e-3).values()) == pytest.approx(changes)


def backward(exchanges: int, values: list[float], actions: list[float]) -> Backward:
    return Backward(exchanges, None, {VALUES: values, ACTIONS: actions})


def test_the_first_differences_count_and_those_of_the_same_rollout() -> None:
    own = [backward(8, [1.0, 2.0], [0.1, 0.2]) for _ in range(3)] + [backward(16, [1.0, 2.0], [0.1, 0.2])]
    told = [
        {VALUES: [1.0, 2.0], ACTIONS: [0.1, 0.2]},
        {VALUES: [1.0, 4.0], ACTIONS: [0.1, 0.4]},
        {VALUES: [2.0, 2.0], ACTIONS: [9.0, 9.0]},
        {VALUES: [9.0, 9.0], ACTIONS: [9.0, 9.0]},
    ]

    found = changes(NudgedCopy(0, 0, 0, 2.0, backwards=told), own)

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

    assert Nudging(observer=None, dealings=None, encounters=None)._next(trial, told) == place  # type: ignore[arg-type]


def asking() -> tuple[Nudging, Any, list[RewardAsked]]:
    told: list[RewardAsked] = []
    moments = SimpleNamespace(backward_begins=[], backward_ended=[], ending=[], model_returned=[])
    observer: Any = SimpleNamespace(
        dealings=SimpleNamespace(exchanges=16, alter=None, taped=None, ended=Ended),
        moments=moments,
        shielded=lambda _, call: call,
        emit=told.append,
    )
    install(observer)
    return observer.dealings.taped.__self__, moments, told


def killed() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def telling(*values: list[float], then: Callable[[], object] = lambda: None) -> NudgedCopy:
    """A copy that tells what it sees."""
    read, write = os.pipe()
    pid = os.fork()
    if not pid:
        for one in values:
            Nudging._tell(write, backward(8, one, []))
        then()
        os._exit(0)
    os.close(write)
    return NudgedCopy(pid, read, 0, 1.0)


def test_what_a_copy_tells_reaches_who_asked_although_other_copies_are_made_meanwhile() -> None:
    nudging, moments, told = asking()
    nudging.trial = Nudge((1, 0), 5, telling([1.0, 3.0]), telling([2.0, 2.0]))
    nudging.backwards = [backward(8, [1.0, 2.0], [])]
    other = os.fork()
    if not other:
        moments.backward_ended[0](None)
        moments.ending[0]()
        os._exit(len(told))
    _, status = os.waitpid(other, 0)
    moments.ending[0]()

    assert os.waitstatus_to_exitcode(status) == 0, "a copy of the program tells nothing of what it did not ask"
    (found,) = told
    assert (found.at_end, found.at_start) == ((1.0,), (1.0,))


def until_told(nudging: Nudging, told: list[RewardAsked]) -> None:
    """As at further backwards of the program."""
    while nudging.trial is not None and not told:
        nudging._hear(nudging.trial, 0.0)


def test_a_copy_that_gets_no_core_has_told_what_it_saw() -> None:
    nudging, _, told = asking()
    nudging.trial = Nudge((1, 0), 5, telling([1.0, 3.0], then=killed), telling([2.0, 2.0], then=killed))
    nudging.backwards = [backward(8, [1.0, 2.0], [])]
    until_told(nudging, told)

    (found,) = told
    assert (found.at_end, found.at_start) == ((1.0,), (1.0,))


def test_copies_that_decided_it_are_not_waited_for() -> None:
    nudging, _, told = asking()
    copies = [telling([1.0, 3.0], [5.0, 5.0], then=signal.pause) for _ in range(2)]
    nudging.trial = Nudge((1, 0), 5, copies[0], copies[1])
    nudging.backwards = [backward(8, [1.0, 2.0], []), backward(16, [4.0, 4.0], [])]
    until_told(nudging, told)

    assert told[0].at_end == (1.0,)
    assert all(copy.over for copy in copies)


def test_a_rollout_that_goes_on_is_not_decided() -> None:
    own = [backward(8, [1.0, 2.0], []), backward(8, [4.0, 4.0], [])]
    copy = NudgedCopy(0, 0, 0, 1.0, backwards=[{VALUES: [1.0, 3.0]}, {VALUES: [4.0, 5.0]}])

    assert not copy.decides(own)
    assert changes(copy, own).found[VALUES] == [1.0, 1.0]


def asked_of(own: list[float], other: list[float], states: range) -> list[tuple[int, ...]]:
    """Of one backward whose actions are of these states: those whose weights the reward changed."""
    mine = Backward(8, None, {VALUES: [], ACTIONS: own}, {ACTIONS: [(state,) for state in states]})
    copy = NudgedCopy(0, 0, 0, 1.0, backwards=[{VALUES: [], ACTIONS: other}] * 2)
    return changes(copy, [mine, mine]).states[ACTIONS]


def test_the_states_of_actions_whose_weights_change_are_told_once() -> None:
    other = [*PLAIN[:3], PLAIN[3] + 1, *PLAIN[4:]]

    assert asked_of(PLAIN, other, range(8)) == [(3,)]


@pytest.mark.parametrize(("common", "told"), [(0.049, [(3,)]), (0.051, [])])
def test_what_standardising_changes_is_of_no_state(common: float, told: list[tuple[int, ...]]) -> None:
    other = [one + common for one in PLAIN]
    other[3] = PLAIN[3] + 1

    assert asked_of(PLAIN, other, range(8)) == told


@pytest.mark.parametrize("shape", [(3,), (3, 2), (3, 1)])
def test_networks_say_more_of_the_end_alone(shape: tuple[int, ...]) -> None:
    states, said = torch.arange(6.0).reshape(3, 2), torch.zeros(shape)
    nudging, moments, _ = asking()
    module: Any = None
    moments.model_returned[-1](Call(module, (states,), {}, [states], said, False))
    assert not said.any()

    nudging._raised = set(nudging.encounters.read(states[1], 1))
    moments.model_returned[-1](Call(module, (states,), {}, [states], (said,), False))
    assert said.reshape(3, -1).all(1).tolist() == [False, True, False]


def test_nothing_rises_in_a_copy_that_was_told_the_same() -> None:
    nudging, _, told = asking()
    nudging.trial = Nudge((1, 0), 5, telling([1.0, 3.0]), telling([2.0, 2.0]), beyond=telling([1.0, 2.0]))
    nudging.backwards = [backward(8, [1.0, 2.0], [])]
    nudging.ending()

    assert told[0].beyond == (0, 0)


def test_answers_that_rise_are_counted_by_the_episode_of_their_states() -> None:
    nudging, _, told = asking()
    nudging.encounters.met = {1: {((1, 0), 0)}, 2: {((1, 1), 4)}}
    nudging.trial = Nudge((1, 0), 5, telling([1.0, 3.0]), telling([2.0, 2.0]), beyond=telling([2.0, 2.9]))
    nudging.backwards = [Backward(8, None, {VALUES: [1.0, 2.0], ACTIONS: []}, {VALUES: [(1,), (2,)]})]
    nudging.ending()

    assert told[0].beyond == (1, 1)
