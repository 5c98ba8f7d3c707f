"""What becomes of rewards and of the ends of episodes, from what was seen."""

import pytest
from msgspec.structs import replace
from tests.checks.loss.rewards import ACTED, ASKED, SITE
from tests.facts.test_derive import BOOTSTRAP

from firstlight.facts.dealings import bootstrapped, discounted, returning, rewarded, weighed
from firstlight.facts.sightings import Sightings
from firstlight.records.dealings import BootstrapSeen, Ended, MeanReturn, ReturnsSeen, WeightsSeen
from firstlight.records.program import Ending

LOOKS = [BootstrapSeen(step=step, rank=1, site=SITE, **BOOTSTRAP) for step in (1, 8)]


def test_looks_at_one_line_are_added_up() -> None:
    (found,) = bootstrapped(Sightings(LOOKS))

    assert (found.looks, found.examples, found.cut, found.same, found.episodes) == (2, 16, 2, 0, 3)


def test_the_least_part_is_the_discount() -> None:
    (found,) = discounted(Sightings([LOOKS[0], replace(LOOKS[1], share=1.2)]))

    assert (found.discount, found.looks) == (0.9, 2)


@pytest.mark.parametrize("at_end", [(0.81, 0.9, 1.0), (1.0, 0.81, 0.9, 0.9, 1.0)])
def test_powers_of_a_discount_in_any_order(at_end: tuple[float, ...]) -> None:
    (found,) = discounted(Sightings([replace(ASKED, at_end=at_end)]))

    assert found.discount == pytest.approx(0.9)


def test_powers_that_grow() -> None:
    (found,) = discounted(Sightings([replace(ASKED, at_end=(1.21, 1.1, 1.0))]))

    assert found.discount == pytest.approx(1.1)


@pytest.mark.parametrize("at_end", [(), (1.0,), (0.9, 1.0), (0.5, 0.9, 1.0), (0.4, 0.45, 0.5)])
def test_other_changes_are_no_powers(at_end: tuple[float, ...]) -> None:
    assert list(discounted(Sightings([replace(ASKED, at_end=at_end)]))) == []


def test_all_that_is_known_of_rewards_is_one_fact() -> None:
    (found,) = rewarded(Sightings([*LOOKS, ASKED, ACTED]))

    assert (found.examples, found.rewards, found.values, found.actions) == (16, 16, (ASKED,), (ACTED,))


def test_looks_at_weights_are_told_together() -> None:
    told = [(0.0, (0.0, 0.0)), (0.0, (0.0, 1.0)), (0.5, (0.0,))]
    looks = [
        WeightsSeen(step=step, site=None, largest=size, returns=returns) for step, (size, returns) in enumerate(told)
    ]
    (found,) = weighed(Sightings(looks))

    assert (found.looks, found.telling, found.largest) == (3, 1, 0.5)
    assert (found.lowest, found.highest) == (0.0, 1.0)


def stretch(mean: float, spread: float, episodes: int = 16) -> MeanReturn:
    return MeanReturn(episodes=episodes, mean=mean, spread=spread)


RETURNS = ReturnsSeen(step=90, rank=1, episodes=64, start=stretch(1.0, 3.0), end=stretch(4.0, 4.0))


def test_a_rise_is_told_in_standard_errors() -> None:
    (found,) = returning(Sightings([RETURNS]))

    assert (found.start, found.end, found.episodes, found.to_end, found.varied) == (1.0, 4.0, 64, False, True)
    assert found.rise == pytest.approx(3.0 / 1.25)


def test_the_copy_that_went_to_the_end_counts() -> None:
    (found,) = returning(Sightings([RETURNS, replace(RETURNS, end=stretch(0.0, 4.0), to_end=True)]))

    assert (found.end, found.to_end) == (0.0, True)


@pytest.mark.parametrize(("reason", "to_end"), [("exit", True), ("steps", False)])
def test_so_does_a_program_that_came_to_its_own_end(reason: str, to_end: bool) -> None:
    end = Ending(step=90, reason=reason, backwards=90, steps=90, unstepped={}, unused={})
    (found,) = returning(Sightings([RETURNS, end]))

    assert found.to_end is to_end


def test_returns_that_are_all_the_same_vary_in_nothing() -> None:
    (found,) = returning(Sightings([replace(RETURNS, start=stretch(0.0, 0.0), end=stretch(0.0, 0.0))]))

    assert (found.varied, found.rise) == (False, 0.0)


@pytest.mark.parametrize(
    ("beyond", "longest", "times"), [((3, 0), 9, 1), ((0, 0), 9, 0), ((3, 1), 9, 0), ((3, 0), ASKED.length, 0)]
)
def test_answers_that_rise_with_an_end_that_no_limit_of_time_made(
    beyond: tuple[int, int], longest: int, times: int
) -> None:
    asked = replace(ASKED, beyond=beyond, ended=Ended(share=0.1, longest=longest, episodes=7))

    found = list(bootstrapped(Sightings([asked])))
    assert [(one.beyond, one.ends, one.episodes) for one in found] == [(3, 0.1, 7)] * times
    (seen,) = bootstrapped(Sightings([*LOOKS, replace(asked, rank=1)]))
    assert (seen.looks, seen.beyond) == (2, 3 * times)
