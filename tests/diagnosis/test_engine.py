"""Properties that hold for every case, and the rules of claims and repairs."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firstlight.diagnosis.case import Case, Claim, Hint
from firstlight.diagnosis.engine import CERTAIN, TEMPERED, Belief, nothing_wrong, pooled, weigh
from firstlight.diagnosis.knowledge.catalogue import KNOWLEDGE
from firstlight.diagnosis.knowledge.declare import Level
from firstlight.errors import UsageError

OBSERVATIONS = st.dictionaries(st.sampled_from(sorted(KNOWLEDGE.observation)), st.booleans(), max_size=12)
BUGS = sorted(
    cause.slug for cause in KNOWLEDGE.causes if cause.prior > 0.0 and cause.category not in {"null", "unknown"}
)
CLAIMS = st.lists(
    st.builds(Claim, st.sampled_from(BUGS), st.floats(min_value=0.01, max_value=0.999), st.just("FL203")), max_size=4
)
PURE_REPAIRS = sorted(one.slug for one in KNOWLEDGE.experiments if one.repairs and not one.yields)
REPAIRS = st.dictionaries(st.sampled_from(PURE_REPAIRS), st.booleans(), max_size=3)


def case(observations: dict[str, bool], claims: list[Claim], repairs: dict[str, bool]) -> Case:
    made = Case().observing(observations).claiming(claims)
    for slug, worked in repairs.items():
        made = made.repairing(slug, worked=worked)
    return made


def odds(belief: Belief, cause: str, other: str) -> float:
    return belief.shares[cause] / belief.shares[other]


@given(observations=OBSERVATIONS, claims=CLAIMS, repairs=REPAIRS)
def test_shares_are_exclusive_and_sum_to_one(
    observations: dict[str, bool], claims: list[Claim], repairs: dict[str, bool]
) -> None:
    belief = weigh(KNOWLEDGE, case(observations, claims, repairs))
    assert math.isclose(sum(belief.shares.values()), 1.0, abs_tol=1e-9)
    assert all(0.0 <= share <= 1.0 for share in belief.shares.values())
    assert all(belief.shares[slug] - 1e-12 <= belief.probabilities[slug] <= 1.0 for slug in belief.shares)
    assert belief.entropy >= -1e-12


@given(data=st.data(), observations=OBSERVATIONS, claims=CLAIMS, repairs=REPAIRS)
def test_the_order_of_what_is_known_does_not_matter(
    data: st.DataObject, observations: dict[str, bool], claims: list[Claim], repairs: dict[str, bool]
) -> None:
    one = weigh(KNOWLEDGE, case(observations, claims, repairs))
    other = weigh(
        KNOWLEDGE,
        case(
            dict(data.draw(st.permutations(sorted(observations.items())))),
            data.draw(st.permutations(claims)),
            dict(data.draw(st.permutations(sorted(repairs.items())))),
        ),
    )
    for slug in KNOWLEDGE.slugs:
        assert math.isclose(one.probabilities[slug], other.probabilities[slug], rel_tol=1e-9, abs_tol=1e-12)


@given(data=st.data(), observations=OBSERVATIONS)
def test_a_very_likely_observation_never_lowers_its_cause_against_a_neutral_one(
    data: st.DataObject, observations: dict[str, bool]
) -> None:
    slug = data.draw(st.sampled_from(sorted(set(KNOWLEDGE.observation) - set(observations))))
    levels = KNOWLEDGE.table[slug].levels
    favoured = sorted(cause for cause in BUGS if levels.get(cause) is Level.VERY_LIKELY)
    neutral = sorted(cause for cause in BUGS if cause not in levels)
    if not favoured or not neutral:
        return
    cause, other = data.draw(st.sampled_from(favoured)), data.draw(st.sampled_from(neutral))
    before = weigh(KNOWLEDGE, Case().observing(observations))
    after = weigh(KNOWLEDGE, Case().observing({**observations, slug: True}))
    assert odds(after, cause, other) >= odds(before, cause, other) * (1.0 - 1e-9)


@given(data=st.data(), observations=OBSERVATIONS, claims=CLAIMS)
def test_a_claim_sets_its_cause_to_at_least_its_confidence(
    data: st.DataObject, observations: dict[str, bool], claims: list[Claim]
) -> None:
    before = weigh(KNOWLEDGE, case(observations, claims, {}))
    claim = Claim(data.draw(st.sampled_from(BUGS)), data.draw(st.floats(min_value=0.01, max_value=CERTAIN)), "FL101")
    after = weigh(KNOWLEDGE, case(observations, [*claims, claim], {}))
    assert after.probabilities[claim.cause] >= claim.confidence - 1e-9
    for other in {one.cause for one in claims} - {claim.cause}:
        stated = 1.0 - math.prod(1.0 - one.confidence for one in claims if one.cause == other)
        assert after.probabilities[other] >= min(stated, CERTAIN, before.probabilities[other]) - 1e-9


EVIDENCE = st.lists(st.floats(min_value=-5.0, max_value=5.0), max_size=6)


@given(evidence=EVIDENCE)
def test_tempered_evidence_lies_between_its_strongest_and_its_sum(evidence: list[float]) -> None:
    speaking_for = [one for one in evidence if one > 0.0]
    together = pooled(speaking_for)
    assert max(speaking_for, default=0.0) - 1e-9 <= together <= sum(speaking_for) + 1e-9
    assert together >= TEMPERED * sum(speaking_for) - 1e-9


@given(evidence=EVIDENCE)
def test_what_says_nothing_changes_nothing(evidence: list[float]) -> None:
    assert math.isclose(pooled([*evidence, 0.0]), pooled(evidence), abs_tol=1e-12)


@given(evidence=EVIDENCE, more=st.floats(min_value=0.0, max_value=5.0))
def test_more_evidence_for_never_says_less(evidence: list[float], more: float) -> None:
    assert pooled([*evidence, more]) >= pooled(evidence) - 1e-9


@given(one=st.floats(min_value=-5.0, max_value=5.0))
def test_a_single_observation_counts_in_full(one: float) -> None:
    assert math.isclose(pooled([one]), one, abs_tol=1e-12)


def test_two_of_one_measurement_say_less_than_two_of_two() -> None:
    """Tempered: `loss-falls-then-explodes` and `loss-oscillates` are both read from one curve."""
    both = {"loss-falls-then-explodes": True, "loss-oscillates": True}
    start, end = weigh(KNOWLEDGE, Case()), weigh(KNOWLEDGE, Case().observing(both))
    neutral = "train-metric"
    gained = math.log(odds(end, "hp-lr-high", neutral) / odds(start, "hp-lr-high", neutral))
    strongest, weaker = math.log(0.85 / 0.03), math.log(0.85 / 0.05)
    assert math.isclose(gained, strongest + 0.7 * weaker)


def test_absence_speaks_against_what_makes_it_likely() -> None:
    absent = weigh(KNOWLEDGE, Case().observing({"batch-repeats": False}))
    start = weigh(KNOWLEDGE, Case())
    ratio = odds(absent, "data-stale-batch", "loss-dim") / odds(start, "data-stale-batch", "loss-dim")
    assert math.isclose(ratio, 0.15 / 0.99)


def test_two_claims_are_both_believed() -> None:
    belief = weigh(KNOWLEDGE, Case().claiming([Claim("train-mode", 0.9, "FL302"), Claim("loss-dim", 0.95, "FL203")]))
    assert belief.ranked[:2] == ("loss-dim", "train-mode")
    assert belief.probabilities["train-mode"] == pytest.approx(0.9)
    assert belief.probabilities["loss-dim"] == pytest.approx(0.95)
    assert nothing_wrong(KNOWLEDGE, belief) < 0.01
    assert belief.because["train-mode"] == ("FL302",)


def test_even_a_certain_finding_can_be_outweighed() -> None:
    certain = Case().claiming([Claim("train-no-zero-grad", 1.0, "FL401")])
    assert weigh(KNOWLEDGE, certain).probabilities["train-no-zero-grad"] == pytest.approx(0.995)
    outweighed = weigh(KNOWLEDGE, certain.repairing("zeroed-gradients", worked=False))
    assert outweighed.probabilities["train-no-zero-grad"] == pytest.approx(0.995 / (0.995 + 10 * 0.005))


def test_findings_of_one_cause_support_each_other() -> None:
    belief = weigh(KNOWLEDGE, Case().claiming([Claim("loss-dim", 0.5, "a"), Claim("loss-dim", 0.5, "b")]))
    assert belief.probabilities["loss-dim"] == pytest.approx(0.75)


def test_a_domain_cause_can_be_claimed_outside_its_domain() -> None:
    assert weigh(KNOWLEDGE, Case().claiming([Claim("rl-done", 0.9, "x")])).probabilities["rl-done"] == pytest.approx(
        0.9
    )


@pytest.mark.parametrize("ratio", [6.0, 3.0, 1.5])
def test_a_hint_is_a_factor_on_the_odds(ratio: float) -> None:
    start, hinted = weigh(KNOWLEDGE, Case()), weigh(KNOWLEDGE, Case().hinting([Hint("loss-dim", ratio, "LN-001")]))
    assert odds(hinted, "loss-dim", "loss-sign") == pytest.approx(ratio * odds(start, "loss-dim", "loss-sign"))


def test_a_repair_that_works_proves_its_cause() -> None:
    belief = weigh(KNOWLEDGE, Case().repairing("zeroed-gradients", worked=True))
    assert belief.probabilities["train-no-zero-grad"] >= 0.97
    assert belief.verified == {"train-no-zero-grad"}
    assert belief.because["train-no-zero-grad"] == ("zeroed-gradients",)


@pytest.mark.parametrize("slug", ["zeroed-gradients", "lr-tenth", "fp32"])
def test_a_repair_that_changes_nothing_is_a_tenth_on_the_odds(slug: str) -> None:
    """Also where the same run is an observation of the table: it counts once."""
    cause = KNOWLEDGE.experiment[slug].repairs or ""
    start, tried = weigh(KNOWLEDGE, Case()), weigh(KNOWLEDGE, Case().repairing(slug, worked=False))
    assert odds(tried, cause, "env-input-bound") == pytest.approx(0.1 * odds(start, cause, "env-input-bound"))
    assert tried.verified == frozenset()


def test_one_of_two_repairs_that_works_is_enough() -> None:
    """A rate a thousandfold too high needs more than a tenth."""
    tried = Case().observing({"update-ratio-too-high": True}).repairing("lr-tenth", worked=False)
    assert weigh(KNOWLEDGE, tried.repairing("lr-hundredth", worked=True)).verified == {"hp-lr-high"}
    both = weigh(KNOWLEDGE, tried.repairing("lr-hundredth", worked=False))
    assert both.shares["hp-lr-high"] == pytest.approx(weigh(KNOWLEDGE, tried).shares["hp-lr-high"])


def test_a_failed_repair_lowers_a_claim_as_well() -> None:
    claimed = Case().claiming([Claim("train-no-zero-grad", 0.9, "FL401")])
    belief = weigh(KNOWLEDGE, claimed.repairing("zeroed-gradients", worked=False))
    assert belief.probabilities["train-no-zero-grad"] == pytest.approx(0.9 / (0.9 + 10 * 0.1))


def test_a_cure_with_no_better_explanation_is_a_proof() -> None:
    seen = Case().observing({"loss-falls-then-explodes": True, "update-ratio-too-high": True})
    belief = weigh(KNOWLEDGE, seen.repairing("lr-tenth", worked=True))
    assert belief.verified == {"hp-lr-high"}
    assert belief.ranked[0] == "hp-lr-high"


def test_a_cure_that_another_cause_explains_better_is_only_an_observation() -> None:
    seen = Case().observing(
        {"inputs-not-normalised": True, "init-loss-far-above-chance": True, "gradients-explode": True}
    )
    belief = weigh(KNOWLEDGE, seen.repairing("lr-tenth", worked=True))
    assert belief.verified == frozenset()
    assert belief.ranked[0] == "data-scale"


@pytest.mark.parametrize(("confidence", "proven"), [(0.5, False), (0.49, True)])
def test_a_claimed_rival_keeps_a_cure_from_being_a_proof(confidence: float, proven: bool) -> None:
    seen = Case().observing({"loss-falls-then-explodes": True, "update-ratio-too-high": True})
    claimed = seen.claiming([Claim("data-scale", confidence, "FL105")])
    assert ("hp-lr-high" in weigh(KNOWLEDGE, claimed.repairing("lr-tenth", worked=True)).verified) is proven


@pytest.mark.parametrize(
    ("made", "message"),
    [
        (Case().observing({"nothing-seen": True}), "`nothing-seen` is not a known observation"),
        (Case().claiming([Claim("loss-moon", 0.5, "x")]), "`loss-moon` is not a known cause"),
        (Case().hinting([Hint("loss-moon", 2.0, "x")]), "`loss-moon` is not a known cause"),
        (
            Case().repairing("same-again", worked=True),
            "`same-again` is not a known repair. Known repairs are activation-added",
        ),
    ],
)
def test_what_is_not_known_is_refused(made: Case, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        weigh(KNOWLEDGE, made)
