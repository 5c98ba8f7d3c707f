"""The next experiment is the one that separates what is still possible, at its price; and every reason to stop."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firstlight.diagnosis.case import Case, Claim
from firstlight.diagnosis.causes import Cause
from firstlight.diagnosis.choose import (
    DOMINATES,
    Limits,
    Reason,
    choose,
    expected_gain,
    repairs_worth_trying,
    stalls,
)
from firstlight.diagnosis.engine import weigh
from firstlight.diagnosis.knowledge.catalogue import KNOWLEDGE
from firstlight.diagnosis.knowledge.declare import Experiment, Observation
from firstlight.diagnosis.knowledge.experiments import LADDER
from firstlight.diagnosis.knowledge.knowledge_base import KnowledgeBase

HANDLES = frozenset({need for experiment in KNOWLEDGE.experiments for need in experiment.needs})
NULL = (Cause("null-noise", "null", "noise", 0.13), Cause("unknown", "unknown", "unknown", 0.05))


def limits(**changes: object) -> Limits:
    given = {"handles": HANDLES, "baseline_seconds": 10.0, "seconds_left": 1000.0} | changes
    return Limits(**given)  # type: ignore[arg-type]


def two_causes(*experiments: Experiment) -> KnowledgeBase:
    """Either the rate is too high or the batch repeats; three things can be seen."""
    return KnowledgeBase(
        name="two",
        causes=(Cause("hp-rate", "hp", "rate", 0.5), Cause("data-stale", "data", "stale", 0.5), *NULL),
        observations=(
            Observation("started", "started", rate=0.5, group="a", likely="hp-rate"),
            Observation("separates", "separates", rate=0.05, group="b", very_likely="hp-rate", unlikely="data-stale"),
            Observation("says-both", "says both", rate=0.05, group="c", very_likely="hp-rate data-stale"),
        ),
        experiments=experiments,
    )


SEPARATES = Experiment(slug="separate", does="separate", cost=1.0, yields=("separates",), needs=frozenset({"model"}))
SAYS_BOTH = Experiment(slug="say-both", does="say both", cost=1.0, yields=("says-both",))
KNOWN = Case().observing({"started": True})


def test_the_discriminating_experiment_is_chosen() -> None:
    choice = choose(two_causes(SAYS_BOTH, SEPARATES), KNOWN, limits())
    assert choice.experiment == SEPARATES
    assert choice.reason is Reason.GAIN
    assert [offer.experiment for offer in choice.offers] == ["separate", "say-both"]
    assert choice.gain_nats == choice.offers[0].gain_nats > choice.offers[1].gain_nats


def test_a_high_price_outweighs_more_information() -> None:
    dear = Experiment(slug="separate", does="separate", cost=50.0, yields=("separates",))
    assert choose(two_causes(SAYS_BOTH, dear), KNOWN, limits()).experiment == SAYS_BOTH


def test_what_needs_a_missing_handle_is_not_chosen() -> None:
    base = two_causes(SAYS_BOTH, SEPARATES)
    assert choose(base, KNOWN, limits(handles=frozenset())).experiment == SAYS_BOTH
    assert choose(base, KNOWN, limits(handles=frozenset({"model"}))).experiment == SEPARATES


@pytest.mark.parametrize("field", ["tried", "without"])
def test_what_was_tried_or_cannot_be_run_is_not_chosen(field: str) -> None:
    assert (
        choose(two_causes(SAYS_BOTH, SEPARATES), KNOWN, limits(**{field: frozenset({"separate"})})).experiment
        == SAYS_BOTH
    )


def test_what_was_seen_is_not_looked_for_again() -> None:
    measured = KNOWN.observing({"separates": False})
    assert choose(two_causes(SAYS_BOTH, SEPARATES), measured, limits()).experiment == SAYS_BOTH


def test_what_a_repair_has_shown_is_not_looked_for_again() -> None:
    only = frozenset(KNOWLEDGE.experiment) - {"lr-tenth", "lr-hundredth"}
    seen = Case().observing({"loss-falls-then-explodes": True})
    before = choose(KNOWLEDGE, seen, limits(without=only))
    assert before.reason is Reason.GAIN
    assert choose(KNOWLEDGE, seen.repairing("lr-tenth", worked=False), limits(without=only)).reason is Reason.EXHAUSTED


def test_nothing_left_to_learn_is_a_reason_to_stop() -> None:
    choice = choose(two_causes(SEPARATES), KNOWN.observing({"separates": False}), limits())
    assert (choice.experiment, choice.reason) == (None, Reason.EXHAUSTED)


@pytest.mark.parametrize(("rate", "reason"), [(0.49, Reason.EXHAUSTED), (0.4, Reason.GAIN)])
def test_an_experiment_that_tells_next_to_nothing_is_not_run(rate: float, reason: Reason) -> None:
    faint = KnowledgeBase(
        name="faint",
        observations=(Observation("faint", "faint", rate=rate, group="d", likely="hp-rate"),),
        experiments=(Experiment(slug="listen", does="listen", cost=1.0, yields=("faint",)),),
    )
    assert choose(two_causes() + faint, KNOWN, limits()).reason is reason


def test_a_repair_is_worth_what_its_success_would_tell() -> None:
    base = two_causes(Experiment(slug="slow-down", does="slow down", cost=1.0, repairs="hp-rate"))
    belief = weigh(base, KNOWN)
    share = belief.shares["hp-rate"]
    told = binary(share * 0.85 + (1.0 - share) * 0.02) - share * binary(0.85) - (1.0 - share) * binary(0.02)
    assert expected_gain(base, belief, base.experiment["slow-down"]) == pytest.approx(told)


def binary(chance: float) -> float:
    return -chance * math.log(chance) - (1.0 - chance) * math.log(1.0 - chance)


@pytest.mark.parametrize(("left", "reason"), [(10.2, Reason.GAIN), (10.1, Reason.BUDGET)])
def test_the_budget_is_kept(left: float, reason: Reason) -> None:
    """One baseline of 10 s and 0.2 s to start it."""
    assert choose(two_causes(SEPARATES), KNOWN, limits(seconds_left=left)).reason is reason


@pytest.mark.parametrize(("confidence", "stops"), [(0.85, True), (0.84, False)])
def test_one_cause_that_dominates_is_enough(confidence: float, stops: bool) -> None:
    case = Case().claiming([Claim("train-mode", confidence, "FL302")])
    assert (choose(KNOWLEDGE, case, limits()).reason is Reason.DOMINATES) is stops


def test_health_that_dominates_is_enough() -> None:
    base = KnowledgeBase(
        name="healthy",
        causes=(Cause("hp-rate", "hp", "rate", 1.0), *NULL, Cause("null-slow", "null", "slow", 0.13)),
        observations=(
            Observation("well", "well", rate=0.5, group="a", very_likely="null-*", excluded="hp-rate unknown"),
        ),
        experiments=(SAYS_BOTH,),
    )
    seen = Case().observing({"well": True})
    assert max(weigh(base, seen).probabilities.values()) < DOMINATES
    assert choose(base, seen, limits()).reason is Reason.DOMINATES


@pytest.mark.parametrize(
    ("entropies", "stalled"),
    [
        ((), False),
        ((2.0,), False),
        ((2.0, 2.0), False),
        ((2.0, 2.0, 2.0), True),
        ((2.0, 1.0, 1.0), False),
        ((2.0, 2.0, 1.0), False),
        ((2.0, 1.0, 1.0, 1.0), True),
        ((1.0, 1.5, 2.0), True),
        ((0.0, 0.0, 0.0), True),
        ((1.0, 1.0, 0.851), True),
        ((1.0, 1.0, 0.849), False),
    ],
)
def test_two_rounds_that_bring_nothing_are_enough(entropies: tuple[float, ...], stalled: bool) -> None:
    assert stalls(entropies) is stalled
    choice = choose(two_causes(SEPARATES), KNOWN, limits(), entropies)
    assert (choice.reason is Reason.NO_PROGRESS) is stalled


def test_the_ladder_leads_while_nothing_is_known() -> None:
    tried: frozenset[str] = frozenset()
    for rung in LADDER:
        choice = choose(KNOWLEDGE, Case(), limits(tried=tried))
        assert choice.experiment is not None
        assert (choice.experiment.slug, choice.reason) == (rung, Reason.LADDER)
        tried |= {rung}
    assert choose(KNOWLEDGE, Case(), limits(tried=tried)).reason is Reason.GAIN


def test_the_ladder_skips_what_cannot_be_had() -> None:
    choice = choose(KNOWLEDGE, Case(), limits(handles=frozenset({"batch"}), tried=frozenset({LADDER[0]})))
    assert choice.experiment is not None
    assert choice.experiment.slug == "describe-data"


@pytest.mark.parametrize(
    ("present", "among", "chosen"),
    [
        ("loss-flat-from-start", ("lr-tenfold", "fp32", "same-again"), "lr-tenfold"),
        ("loss-falls-then-explodes", ("lr-tenth", "lr-tenfold", "same-again"), "lr-tenth"),
        ("outputs-see-the-future", ("sign-flipped", "watch-initial-loss", "zeroed-gradients"), "watch-initial-loss"),
        ("plateau-at-constant-predictor", ("noise-inputs", "same-again", "fp32"), "noise-inputs"),
    ],
)
def test_the_symptom_leads_to_its_experiment(present: str, among: tuple[str, ...], chosen: str) -> None:
    without = frozenset(KNOWLEDGE.experiment) - set(among)
    choice = choose(KNOWLEDGE, Case().observing({present: True}), limits(without=without))
    assert choice.experiment is not None
    assert choice.experiment.slug == chosen


@given(observations=st.dictionaries(st.sampled_from(sorted(KNOWLEDGE.observation)), st.booleans(), max_size=8))
def test_no_experiment_is_expected_to_tell_less_than_nothing_or_more_than_all(observations: dict[str, bool]) -> None:
    belief = weigh(KNOWLEDGE, Case().observing(observations))
    for experiment in KNOWLEDGE.experiments:
        assert 0.0 <= expected_gain(KNOWLEDGE, belief, experiment, observations) <= belief.entropy + 1e-9


@pytest.mark.parametrize(("confidence", "wanted"), [(0.11, True), (0.09, False)])
def test_repairs_are_for_likely_causes(confidence: float, wanted: bool) -> None:
    case = Case().claiming([Claim("hp-batch", confidence, "x")])
    assert any(one.slug == "smaller-batch" for one in repairs_worth_trying(KNOWLEDGE, case, limits())) is wanted


def test_repairs_come_likeliest_first_and_once() -> None:
    case = Case().claiming([Claim("loss-sign", 0.9, "a"), Claim("data-scale", 0.5, "b"), Claim("hp-clip", 0.7, "c")])
    assert [one.slug for one in repairs_worth_trying(KNOWLEDGE, case, limits())] == [
        "sign-flipped",
        "unclipped",
        "standardised",
    ]
    assert [one.slug for one in repairs_worth_trying(KNOWLEDGE, case, limits(), most=1)] == ["sign-flipped"]
    proven = case.repairing("sign-flipped", worked=True).repairing("unclipped", worked=False)
    assert [one.slug for one in repairs_worth_trying(KNOWLEDGE, proven, limits())] == [
        "standardised",
        "targets-standardised",
    ]
