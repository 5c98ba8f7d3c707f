"""Shares, their intervals, and calibration."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from zoo.scoring.numbers import calibration, share

OUTCOMES = st.lists(st.tuples(st.sampled_from("abcdef"), st.booleans()), min_size=1, max_size=60)


@given(OUTCOMES)
def test_a_share_lies_in_its_interval_of_shares(outcomes: list[tuple[str, bool]]) -> None:
    found = share(outcomes)
    assert found.value == sum(hit for _, hit in outcomes) / len(outcomes)
    assert 0 <= found.low <= found.high <= 1


def test_the_interval_is_wider_where_programs_differ_more() -> None:
    """Ten programs, half of each caught; and ten programs, all of five caught and none of the others."""
    alike = share((str(program), at % 2 == 0) for program in range(10) for at in range(10))
    apart = share((str(program), program % 2 == 0) for program in range(10) for _ in range(10))
    assert alike.value == apart.value == 0.5
    assert alike.low == alike.high == 0.5
    assert apart.low < 0.3
    assert apart.high > 0.7


def test_the_interval_is_that_of_a_normal_for_many_programs() -> None:
    """One mutant each of 400 programs, half of them caught: 1.96 * sqrt(0.25 / 400)."""
    found = share((str(program), program % 2 == 0) for program in range(400))
    assert found.low == pytest.approx(0.5 - 0.049, abs=0.006)
    assert found.high == pytest.approx(0.5 + 0.049, abs=0.006)


def test_a_share_of_nothing_is_told_as_unknown() -> None:
    assert (share([]).total, share([]).low, share([]).high) == (0, 0.0, 1.0)


def test_the_calibration_error_weighs_the_bins_by_their_claims() -> None:
    claims = [(0.6, True), (0.6, False), (0.6, False), (1.0, True)]
    found = calibration(claims)
    assert [(one.claims, one.right) for one in found.bins] == [(3, pytest.approx(1 / 3)), (1, 1.0)]
    assert found.error == pytest.approx(3 / 4 * (0.6 - 1 / 3))


def test_few_claims_that_hold_what_they_promise_scatter_and_many_do_not() -> None:
    def by_chance(claims: int) -> float:
        return calibration([(0.75, True)] * claims).by_chance

    assert by_chance(10) == pytest.approx(0.11, abs=0.02)  # the mean distance of a share of ten from 0.75
    assert by_chance(1000) < 0.02
    assert calibration([(1.0, False)] * 10).by_chance == 0.0


def test_what_is_said_with_ninety_percent_is_counted_by_itself() -> None:
    found = calibration([(0.9, True), (0.97, False), (0.89, False)])
    assert (found.certain, found.certain_right) == (2, 1)


@given(st.lists(st.tuples(st.floats(0, 1), st.booleans()), max_size=40))
def test_every_claim_is_in_one_bin_and_the_error_is_a_share(claims: list[tuple[float, bool]]) -> None:
    found = calibration(claims)
    assert sum(one.claims for one in found.bins) == len(claims)
    assert 0 <= found.error <= 1
