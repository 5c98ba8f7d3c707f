"""Ladders of experiments go on while they tell."""

import math

import pytest
from msgspec.structs import replace

from firstlight.experiments.engine import NURSERY
from firstlight.judge.contrasting import contrasted, whole_runs
from firstlight.judge.orders import (
    _rates,
    _terms,
    awaits_length,
    next_rungs,
    orders_for,
    planned_steps,
)
from firstlight.observe.watch import Watched
from firstlight.records.contrast import BLIND, UNMOVED, Level
from firstlight.records.dealings import MeanReturn, ReturnsSeen
from firstlight.records.declared import Logged
from firstlight.records.facts import LossSite
from firstlight.records.inner import Moved, Movement
from firstlight.records.learning import CERTIFIED, NO_SIGN, NOT_CERTIFIED, SEEN, LearningSign
from firstlight.records.program import Ending, LoaderSeen
from firstlight.records.rehearsal import RehearsalEnded, Shortened
from firstlight.records.sighting import TensorCard
from firstlight.records.steered import EndReached
from firstlight.records.timelines import NurseryOpened, TimelineEnded
from firstlight.records.training import BackwardSeen, StepSeen


def level(first: float, last: float) -> Level:
    return Level(first=first, last=last, noise=0.0, finite=True)


def course(first: float, last: float) -> list[float]:
    return [first] * 75 + [last] * 75


def look(pace: float) -> Movement:
    moved = Moved(name="w", shape=(8, 4), dtype="float32", gradient=0.1, weight=1.0, update=pace, still=0.0)
    return Movement(step=1, optimizer=0, name="Adam", built=None, settings={"lr": 1.0}, tensors=(moved,))


def backward(value: float, terms: int | None = None) -> BackwardSeen:
    return BackwardSeen(step=0, site=None, value=value, connected=True, terms=terms)


def trained(first: float, last: float, *, accumulated: int = 1) -> list[Logged]:
    """A backward for each loss, and a step for so many of them."""
    return [replace(backward(value), step=at // accumulated) for at, value in enumerate(course(first, last))]


def sign(status: str) -> LearningSign:
    return LearningSign(step=100, status=status, reason="", site=None, steps=100, fresh=50)


@pytest.mark.parametrize(
    ("base", "tenth", "ordered"),
    [
        (2.5, 2.4, ["lr-hundredth"]),
        (2.5, 2.3, ["lr-hundredth"]),
        (2.5, 2.2, []),
        (2.2, 2.4, []),
    ],
    ids=["a tenth rises too", "a tenth stands", "a tenth learns", "the program learns"],
)
def test_lower_rates_are_tried_until_one_learns(base: float, tenth: float, ordered: list[str]) -> None:
    assert _rates(Watched(), course(2.3, base), {"lr-tenth": level(2.3, tenth)}) == ordered


@pytest.mark.parametrize(("reason", "asked"), [(SEEN, True), ("", False)])
def test_learning_by_heart_is_asked_for_where_examples_were_known_before(reason: str, asked: bool) -> None:
    told = replace(sign(NOT_CERTIFIED), reason=reason)
    assert ("mismatched" in next_rungs(Watched(records=[*map(backward, course(2.3, 1.0)), told]))) == asked


@pytest.mark.parametrize(
    ("own", "copied", "asked"),
    [
        ([2.0] * 20, [2.0] * 20, False),
        ([2.0] * 20, [2.0] * 19 + [1.9], True),
        ([2.0] * 19, [2.0] * 150, True),
        ([2.0] * 145, [2.0] * 145 + [1.0] * 5, False),
        ([2.0] * 150, [], True),
        ([math.nan] * 20, [math.nan] * 20, True),
    ],
    ids=["the program again", "another", "too few to say", "measured in eval mode at the end", "it died", "no numbers"],
)
def test_the_copy_that_keeps_its_regularisation_is_made_where_there_is_some(
    own: list[float], copied: list[float], asked: bool
) -> None:
    ended = TimelineEnded(step=0, name="unregularised", seconds=1.0, exit_code=0)
    lines: dict[str, list[Logged]] = {"unregularised": [*map(backward, copied)], NURSERY: [ended]}
    watched = Watched(records=[*map(backward, own)], timelines=lines)

    assert ("regularised" in next_rungs(watched)) == asked
    assert "regularised" not in next_rungs(Watched(records=watched.records)), "the other comes first"


def test_every_rung_is_tried_once() -> None:
    stands = level(2.3, 2.3)

    assert _rates(Watched(), course(2.3, 2.5), {"lr-tenth": stands, "lr-hundredth": stands}) == ["lr-thousandth"]


@pytest.mark.parametrize(
    ("hundredfold", "ordered"), [(2.29, ["lr-thousandfold"]), (1.9, []), (1.0, ["lr-thousandfold"])]
)
def test_higher_rates_are_tried_while_nothing_moves_or_each_is_better(hundredfold: float, ordered: list[str]) -> None:
    stands = level(2.3, 2.3)
    rungs = {"lr-tenth": stands, "lr-tenfold": stands, "lr-hundredfold": level(2.3, hundredfold)}

    assert _rates(Watched(), course(2.3, 2.3), rungs) == ordered


@pytest.mark.parametrize(("pace", "ordered"), [(0.09, []), (0.11, ["lr-hundredth"])])
def test_lower_rates_are_tried_where_weights_leap_although_a_tenth_is_no_better(
    pace: float, ordered: list[str]
) -> None:
    assert _rates(Watched(records=[look(pace)]), course(2.3, 2.0), {"lr-tenth": level(2.3, 1.9)}) == ordered


@pytest.mark.parametrize(("last", "ordered"), [(2.13, ["lr-hundredfold"]), (2.0, [])])
def test_a_program_stands_where_the_copy_that_never_moved_is(last: float, ordered: list[str]) -> None:
    """Batches that get easier by themselves are not learnt."""
    unmoved = course(2.3, 2.13)
    watched = Watched(timelines={UNMOVED: [backward(value) for value in unmoved]})
    rungs = {"lr-tenth": level(2.3, 2.13), "lr-tenfold": level(2.3, 2.13), UNMOVED: level(2.3, 2.13)}

    assert _rates(watched, course(2.3, last), rungs) == ordered


@pytest.mark.parametrize(
    ("status", "terms", "ordered"),
    [(NO_SIGN, 2, 4), (NO_SIGN, 3, 6), (NO_SIGN, 4, 0), (NO_SIGN, 1, 0), (NO_SIGN, None, 0), (CERTIFIED, 2, 0)],
)
def test_terms_are_taken_out_where_there_are_a_few_and_nothing_is_learnt(
    status: str, terms: int | None, ordered: int
) -> None:
    assert len(_terms(Watched(records=[backward(2.3, terms), sign(status)]), course(2.3, 2.3), {})) == ordered


@pytest.mark.parametrize(
    ("blind", "status", "ordered"), [(4.05, NOT_CERTIFIED, 4), (4.3, NOT_CERTIFIED, 0), (4.05, CERTIFIED, 0)]
)
def test_they_are_where_the_sum_falls_as_well_with_answers_of_other_inputs(
    blind: float, status: str, ordered: int
) -> None:
    watched = Watched(records=[backward(240.0, 2), sign(status)])
    watched.timelines[BLIND] = [backward(value) for value in course(240.0, blind)]

    assert len(_terms(watched, course(240.0, 4.0), {BLIND: level(240.0, blind)})) == ordered


def ran(
    base: float, tenfold: float, *, reason: str | None = "exit", seconds: float = 5.0, accumulated: int = 1
) -> Watched:
    """A program of 150 steps, beside a copy at ten times its rate."""
    step = StepSeen(
        step=149, optimizer=0, name="SGD", site=None, backward_site=None, loss=base, seconds=1.0, backwards=1,
        closure=False, held=1, fresh=1, stale=0, empty=False,
    )  # fmt: skip
    loader = LoaderSeen(
        step=0, loader=0, epoch=0, batches=9, batch_size=8, examples=72, sampler="RandomSampler", site=None
    )
    steps = [replace(step, step=at) for at in range(150)]
    end = [Ending(step=150, reason=reason, backwards=150, steps=150, unstepped={}, unused={})] if reason else []
    copies: list[Logged] = [
        NurseryOpened(step=0, pid=1),
        TimelineEnded(step=0, name="lr-tenfold", seconds=seconds, exit_code=0),
    ]
    return Watched(
        records=[loader, *steps, *trained(2.0, base, accumulated=accumulated), *end],
        timelines={NURSERY: copies, "lr-tenfold": trained(2.0, tenfold, accumulated=accumulated)},
        exit_code=0 if reason == "exit" else None,
        over=True,
    )


def whole_ones(watched: Watched, seconds: float = 8.0) -> list[str]:
    return [name for name in next_rungs(watched, seconds) if name.startswith("whole")]


@pytest.mark.parametrize(("base", "tenfold", "times"), [(1.0, 0.8, 0), (1.0, 0.7, 1), (1.5, 0.7, 1), (0.5, 0.7, 0)])
def test_the_whole_run_is_asked_for_where_a_short_one_is_well_ahead(base: float, tenfold: float, times: int) -> None:
    assert whole_ones(ran(base, tenfold)) == times * ["whole", "whole-tenfold"]


@pytest.mark.parametrize(("seconds", "times"), [(19.0, 1), (21.0, 0)])
def test_it_is_if_it_fits_into_the_time(seconds: float, times: int) -> None:
    assert len(whole_ones(ran(1.5, 0.7, seconds=seconds))) == 2 * times


@pytest.mark.parametrize(("accumulated", "times"), [(1, 1), (2, 1), (5, 0)])
def test_each_step_takes_as_long_as_all_its_backwards(accumulated: int, times: int) -> None:
    """Copies of 150 backwards take 5 s; the program makes 150 steps, in at most 20 s."""
    assert len(whole_ones(ran(1.5, 0.7, accumulated=accumulated))) == 2 * times


def test_steps_of_copies_are_counted_by_updates() -> None:
    found = contrasted(ran(1.5, 0.7, accumulated=3), orders_for(("lr-tenfold",), 8.0), [])

    assert found is not None
    assert [(pair.steps, found.updates(pair)) for pair in found.pairs] == [(150, 50.0)]


def test_a_rehearsal_is_waited_for_where_it_alone_can_tell_the_length() -> None:
    watched = ran(1.5, 0.7, reason="steps")

    assert awaits_length(watched)
    assert whole_ones(watched) == []

    watched.timelines["rehearsal"] = [
        Shortened(step=4, ended="exit", tracked={}, planned_steps=300),
        RehearsalEnded(step=0, seconds=1.0, exit_code=0, printed={}),
    ]

    assert not awaits_length(watched)
    assert planned_steps(watched) == 300
    assert whole_ones(watched) == ["whole", "whole-tenfold"]
    assert not awaits_length(ran(0.5, 0.7, reason="steps"))


def acted(end: float, *, seconds: float = 5.0) -> Watched:
    """A policy that was seen for half of its 300 steps, and whose episodes return `end` by then."""
    watched = ran(1.9, 1.9, reason="steps", seconds=seconds)
    first, last = (MeanReturn(episodes=25, mean=mean, spread=1.0) for mean in (0.0, end))
    watched.records.append(ReturnsSeen(step=150, episodes=100, start=first, end=last))
    watched.timelines["rehearsal"] = [
        Shortened(step=4, ended="exit", tracked={}, planned_steps=300),
        RehearsalEnded(step=0, seconds=1.0, exit_code=0, printed={}),
    ]
    return watched


@pytest.mark.parametrize(("end", "times"), [(-1.0, 1), (1.0, 1), (1.2, 0), (float("nan"), 1)])
def test_a_policy_that_has_not_come_to_return_more_is_followed_to_its_end(end: float, times: int) -> None:
    """Its means differ by so much over 0.28 standard errors."""
    assert whole_ones(acted(end)) == times * ["whole"]


@pytest.mark.parametrize(("seconds", "times"), [(15.9, 1), (16.1, 0)])
def test_if_that_takes_no_more_than_four_experiments(seconds: float, times: int) -> None:
    assert len(whole_ones(acted(0.0, seconds=seconds))) == times


def test_the_length_of_a_policys_run_is_waited_for() -> None:
    watched = acted(0.0)
    del watched.timelines["rehearsal"]

    assert awaits_length(watched)
    assert not awaits_length(acted(2.0))


def test_whole_runs_are_held_against_the_one_with_nothing_changed() -> None:
    watched = ran(1.5, 0.7)
    ends = {"whole": (1.5, {"val acc": 0.6, "lr": 0.1}), "whole-tenfold": (0.5, {"val acc": 0.9, "lr": 1.0})}
    watched.timelines["whole"] = list(map(backward, course(2.0, 1.5)))

    assert whole_runs(watched) == ()

    for name, (last, told) in ends.items():
        watched.timelines[name] = [*map(backward, course(2.0, last)), EndReached(step=150, told=told)]
    (run,) = whole_runs(watched)

    assert run.ahead == pytest.approx(1.0 / 1.5)
    assert [(one.name, one.was, one.now, one.better) for one in run.told] == [("val acc", 0.6, 0.9, True)]
    assert "whole-hundredfold" in whole_ones(watched)


@pytest.mark.parametrize(
    ("own", "meant_to_fall"), [((False,), True), ((True,), False), ((True, False), True), ((), True)]
)
def test_a_loss_against_what_the_network_said_before_is_not_meant_to_fall(
    own: tuple[bool, ...], meant_to_fall: bool
) -> None:
    loader = LoaderSeen(step=0, loader=0, epoch=0, batches=5, batch_size=8, examples=40, sampler="", site=None)
    loss = LossSite(
        function="mse_loss",
        site=None,
        calls=30,
        first_step=0,
        prediction=TensorCard(shape=(8,), dtype="float32"),
        target=None,
        made_by=None,
        made_at=None,
        class_sum_error=None,
        class_logsum_error=None,
        target_sum_error=None,
        most_ignored=0.0,
        least_ignored=0.0,
        first_value=2.0,
    )
    signs = [replace(sign(CERTIFIED), own_answers=one) for one in own]
    found = contrasted(Watched(records=[*trained(2.0, 1.0), loader, *signs]), [], [loss])

    assert found is not None
    assert found.meant_to_fall == meant_to_fall
