"""Differences narrowed down to the one that matters, and how many trials that takes."""

import math

import pytest

from firstlight.lab.delta import Outcome, narrowed

KEYS = tuple(f"k{at}" for at in range(30))


@pytest.mark.parametrize("culprit", KEYS)
def test_one_of_thirty_is_found_in_log2_many_trials(culprit: str) -> None:
    found = narrowed(KEYS, lambda chosen: "bad" if culprit in chosen else "good")
    assert found.culprits == (culprit,)
    assert found.trials <= math.ceil(math.log2(len(KEYS)))


def test_two_that_are_bad_only_together_end_with_one_of_them_the_other_being_in() -> None:
    found = narrowed(KEYS, lambda chosen: "bad" if {"k3", "k20"} <= set(chosen) else "good")
    assert found.culprits in (("k3",), ("k20",))
    assert {"k3", "k20"} <= {*found.culprits, *found.good_with}


def test_trials_that_are_unclear_cost_more_and_change_nothing() -> None:
    """Two keys make sense only together, and one of them is the culprit."""

    def test(chosen: tuple[str, ...]) -> Outcome:
        if ("k4" in chosen) != ("k25" in chosen):
            return "unclear"
        return "bad" if "k4" in chosen else "good"

    assert set(narrowed(KEYS, test).culprits) == {"k4", "k25"}


def test_a_single_difference_needs_no_trial() -> None:
    assert narrowed(("only",), lambda _: "unclear").trials == 0


def test_where_nothing_is_clear_everything_stays_suspect() -> None:
    assert narrowed(("a", "b", "c"), lambda _: "unclear").culprits == ("a", "b", "c")


def test_of_commits_only_those_in_a_line_make_sense() -> None:
    """A trial that is not a beginning of the line is none; the bad commit is found all the same."""
    asked = []

    def test(chosen: tuple[str, ...]) -> Outcome:
        if KEYS[: len(chosen)] != chosen:
            return "unclear"
        asked.append(len(chosen))
        return "unclear" if len(chosen) == 15 else "bad" if len(chosen) > 11 else "good"

    assert narrowed(KEYS, test).culprits == ("k11",)
    assert len(asked) <= 7
