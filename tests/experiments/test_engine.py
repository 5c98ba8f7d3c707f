"""What is read off the log of experiments, whichever engine made them."""

import math

import pytest

from firstlight.experiments.engine import SAME_START, timelines_of
from firstlight.experiments.inside.interventions import INTERVENTIONS
from firstlight.experiments.plan import BY_NAME, OF_OPTIMIZERS, Order, is_of_optimizers
from firstlight.observe.watch import Watched
from firstlight.records.program import Ending
from firstlight.records.timelines import NurseryOpened, TimelineEnded
from firstlight.records.training import BackwardSeen


def backward(value: float, rank: int = 0) -> BackwardSeen:
    return BackwardSeen(step=0, rank=rank, value=value, site=None, connected=True)


def ordered(*names: str) -> list[Order]:
    return [Order(name=name, interventions=BY_NAME[name].interventions, steps=9, seconds=9.0) for name in names]


def watched(engine: str, first: float, **others: float) -> Watched:
    """A program with this first loss, and timelines with theirs."""
    found = Watched([backward(first), backward(1.0)])
    for name, value in others.items():
        found.timelines[name.replace("_", "-")] = [backward(value), backward(0.5)]
    found.timelines["nursery"] = [
        NurseryOpened(step=0, pid=1, engine=engine),
        *(TimelineEnded(step=0, name=name.replace("_", "-"), seconds=1.0, exit_code=0) for name in others),
    ]
    return found


def paired(seen: Watched, *names: str) -> bool:
    (answer,) = {line.paired for line in timelines_of(seen, ordered(*names))[1:]}
    return answer


class TestPairs:
    def test_copies_of_the_program_always_are(self) -> None:
        assert paired(watched("fork", 2.0, lr_tenth=3.0), "lr-tenth")

    @pytest.mark.parametrize("engine", ["fresh", "ray"])
    @pytest.mark.parametrize(("factor", "alike"), [(1.0, True), (0.5, True), (2.0, False), (-2.0, False)])
    def test_fresh_runs_are_where_the_first_loss_is_the_programs(self, engine: str, factor: float, alike: bool) -> None:
        assert paired(watched(engine, 2.0, lr_tenth=2.0 * (1 + factor * SAME_START)), "lr-tenth") is alike

    def test_one_that_began_otherwise_speaks_for_all(self) -> None:
        seen = watched("fresh", 2.0, lr_tenth=2.0, one_batch=2.5)
        assert not paired(seen, "lr-tenth", "one-batch")

    def test_those_whose_first_step_was_changed_are_not_asked(self) -> None:
        seen = watched("fresh", 2.0, lr_tenth=2.0, sharpened=7.0, unregularised=1.9)
        assert paired(seen, "lr-tenth", "sharpened", "unregularised")

    def test_without_anyone_to_ask_nothing_is_claimed(self) -> None:
        assert not paired(watched("fresh", 2.0, sharpened=2.0), "sharpened")

    def test_two_that_begin_broken_began_alike(self) -> None:
        assert paired(watched("fresh", math.nan, lr_tenth=math.nan), "lr-tenth")
        assert not paired(watched("fresh", 2.0, lr_tenth=math.nan), "lr-tenth")


def test_of_several_ranks_the_first_is_followed() -> None:
    seen = Watched([backward(2.0), backward(7.0, rank=1), backward(1.0), backward(6.0, rank=1)])
    assert timelines_of(seen, [])[0].losses == (2.0, 1.0)


@pytest.mark.parametrize(("optimizers", "told"), [((), ["one-batch"]), (("Adam",), ["lr-tenth", "one-batch"])])
def test_a_copy_of_a_program_without_optimizer_in_which_one_is_changed_is_no_evidence(
    optimizers: tuple[str, ...], told: list[str]
) -> None:
    seen = watched("fork", 2.0, lr_tenth=2.0, one_batch=2.0)
    seen.records.append(
        Ending(step=2, reason="steps", backwards=2, steps=0, optimizers=optimizers, unstepped={}, unused={})
    )

    assert [line.name for line in timelines_of(seen, ordered("lr-tenth", "one-batch"))[1:]] == told


def test_what_is_done_to_optimizers_is_known_by_its_words() -> None:
    assert [is_of_optimizers(BY_NAME[name].interventions) for name in ("unmoved", "unregularised", "same-again")] == [
        True,
        False,
        False,
    ]
    assert set(INTERVENTIONS) >= OF_OPTIMIZERS
