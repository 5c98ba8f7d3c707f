"""The rule by which mutants are kept, on both sides of its margin."""

from hypothesis import given
from hypothesis import strategies as st
from zoo.records import Metric
from zoo.rule import FLOOR, TOLERANCE, WAY, rule_on_mutant, rule_on_program
from zoo.running import Ending, Outcome

HIGHER = Metric("accuracy", "(.)", "higher", 0.9, 0.5)
LOWER = Metric("error", "(.)", "lower", 0.5, 0.9)
VALUES = st.floats(0, 1)


def runs(*values: float) -> list[Outcome]:
    return [Outcome("number", value, 1.0) for value in values]


def ended(ending: Ending) -> Outcome:
    return Outcome(ending, None, 1.0)


def kept(metric: Metric, healthy: list[Outcome], mutant: list[Outcome], leaks: bool = False) -> bool | None:
    ruling = rule_on_mutant(metric, leaks, healthy, mutant)
    return None if ruling is None else ruling.kept


def test_the_margin_is_at_least_a_part_of_the_distance_to_chance() -> None:
    floor = FLOOR * 0.4
    assert kept(HIGHER, runs(0.9, 0.9), runs(0.9 - floor - 0.001, 0.6)) is True
    assert kept(HIGHER, runs(0.9, 0.9), runs(0.9 - floor + 0.001, 0.6)) is False


def test_the_margin_is_the_spread_where_that_is_more() -> None:
    assert kept(HIGHER, runs(0.8, 0.9), runs(0.699, 0.6)) is True
    assert kept(HIGHER, runs(0.8, 0.9), runs(0.701, 0.6)) is False


def test_lower_is_better_for_an_error() -> None:
    assert kept(LOWER, runs(0.5, 0.5), runs(0.7, 0.8)) is True
    assert kept(LOWER, runs(0.5, 0.5), runs(0.3, 0.2)) is False


def test_a_leak_must_be_better_than_the_best_healthy_run() -> None:
    assert kept(HIGHER, runs(0.8, 0.82), runs(0.9, 0.85), leaks=True) is True
    assert kept(HIGHER, runs(0.8, 0.82), runs(0.9, 0.835), leaks=True) is False
    assert kept(HIGHER, runs(0.8, 0.82), runs(0.6, 0.6), leaks=True) is False


def test_what_is_not_a_number_is_worse_than_any_number() -> None:
    assert kept(HIGHER, runs(0.9, 0.9), [ended("not-a-number"), ended("not-a-number")]) is True
    assert kept(HIGHER, runs(0.9, 0.9), [ended("not-a-number"), *runs(0.9)]) is False
    assert kept(HIGHER, runs(0.9, 0.9), [ended("not-a-number")] * 2, leaks=True) is False


def test_a_mutant_that_does_not_end_with_a_metric_is_not_silent() -> None:
    for ending in ("crashed", "timed-out", "no-metric"):
        ruling = rule_on_mutant(HIGHER, False, runs(0.9, 0.9), [*runs(0.5), ended(ending)])
        assert ruling is not None
        assert (ruling.kept, ruling.why) == (False, ending)


def test_one_run_settles_only_a_refusal() -> None:
    assert kept(HIGHER, runs(0.9, 0.9), []) is None
    assert kept(HIGHER, runs(0.9, 0.9), runs(0.5)) is None
    assert kept(HIGHER, runs(0.9, 0.9), runs(0.9)) is False


@given(st.tuples(VALUES, VALUES), st.tuples(VALUES, VALUES), st.booleans())
def test_a_refusal_after_one_run_stands_after_two(
    healthy: tuple[float, float], mutant: tuple[float, float], leaks: bool
) -> None:
    if kept(HIGHER, runs(*healthy), runs(mutant[0]), leaks) is False:
        assert kept(HIGHER, runs(*healthy), runs(*mutant), leaks) is False


@given(st.tuples(VALUES, VALUES), st.tuples(VALUES, VALUES))
def test_a_kept_mutant_is_worse_in_every_pair_of_runs_and_by_more_than_the_spread(
    healthy: tuple[float, float], mutant: tuple[float, float]
) -> None:
    if kept(HIGHER, runs(*healthy), runs(*mutant)):
        assert min(healthy) - max(mutant) > max(healthy) - min(healthy)
        assert min(healthy) - max(mutant) > FLOOR * 0.4
        assert not kept(HIGHER, runs(*healthy), runs(*mutant), leaks=True)


@given(st.tuples(VALUES, VALUES), st.tuples(VALUES, VALUES), st.booleans())
def test_the_rule_does_not_depend_on_which_way_is_better(
    healthy: tuple[float, float], mutant: tuple[float, float], leaks: bool
) -> None:
    turned = Metric("loss", "(.)", "lower", -0.9, -0.5)
    upright = kept(HIGHER, runs(*healthy), runs(*mutant), leaks)
    assert upright == kept(turned, runs(*(-v for v in healthy)), runs(*(-v for v in mutant)), leaks)


def test_a_program_is_healthy_if_it_is_far_from_chance_and_near_its_claim() -> None:
    way, tolerance = 0.5 + WAY * 0.4, TOLERANCE * 0.4
    assert rule_on_program(HIGHER, runs(0.9, 0.9)).kept
    assert rule_on_program(HIGHER, runs(way + 0.001, 0.95)).kept
    assert rule_on_program(HIGHER, runs(way - 0.001, 0.95)).why == "too near to chance"
    assert rule_on_program(HIGHER, runs(0.901 - tolerance, 0.901 - tolerance)).kept
    assert rule_on_program(HIGHER, runs(0.899 - tolerance, 0.899 - tolerance)).why == "does not reach what it claims"
    assert rule_on_program(HIGHER, runs(0.901 + tolerance, 0.901 + tolerance)).why == "does not reach what it claims"
    assert rule_on_program(LOWER, runs(0.5, 0.52)).kept
    assert rule_on_program(HIGHER, [*runs(0.9), ended("crashed")]).why == "crashed"
