import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firstlight.diagnosis.causes import CAUSES
from firstlight.diagnosis.knowledge.catalogue import KNOWLEDGE
from firstlight.diagnosis.knowledge.priors import COUNTED
from firstlight.diagnosis.prior import prior
from firstlight.errors import UsageError

CONTEXTS = sorted(KNOWLEDGE.context)


@given(context=st.sets(st.sampled_from(CONTEXTS)))
def test_shares_sum_to_one_in_every_context(context: set[str]) -> None:
    shares = prior(KNOWLEDGE, context)
    assert math.isclose(sum(shares.values()), 1.0)
    assert min(shares.values()) >= 0.0
    assert set(shares) == set(KNOWLEDGE.slugs)


@given(context=st.sets(st.sampled_from(CONTEXTS)))
def test_the_mixture_of_bugs_nothing_and_unknown_holds(context: set[str]) -> None:
    shares = prior(KNOWLEDGE, context)
    assert math.isclose(sum(share for slug, share in shares.items() if slug.startswith("null-")), 0.13)
    assert math.isclose(shares["unknown"], 0.05)


def test_the_table_of_causes_sums_to_its_categories() -> None:
    wanted = {"data": 0.40, "loss": 0.20, "train": 0.15, "arch": 0.10, "hp": 0.05, "num": 0.05, "env": 0.05}
    for category, share in wanted.items():
        assert math.isclose(sum(cause.prior for cause in CAUSES if cause.category == category), share)


@pytest.mark.parametrize(
    ("context", "slug"),
    [
        ("amp", "num-precision"),
        ("fp16", "num-precision"),
        ("sequence", "arch-mask"),
        ("time-series", "data-leak-future"),
        ("batchnorm", "arch-norm"),
        ("pretrained", "train-frozen"),
        ("distributed", "env-distributed"),
        ("custom-loss", "loss-dim"),
        ("resumed", "train-checkpoint"),
        ("rl", "rl-reward"),
        ("pinn", "pinn-bc"),
    ],
)
def test_a_context_raises_its_causes(context: str, slug: str) -> None:
    assert prior(KNOWLEDGE, [context])[slug] > prior(KNOWLEDGE)[slug]


@pytest.mark.parametrize(("context", "factor"), [("amp", 3.0), ("fp16", 5.0), ("full-precision", 0.1)])
def test_a_factor_is_one_on_the_odds_against_other_bugs(context: str, factor: float) -> None:
    with_it, without = prior(KNOWLEDGE, [context]), prior(KNOWLEDGE)
    ratio = with_it["num-precision"] / with_it["loss-dim"]
    assert math.isclose(ratio, factor * without["num-precision"] / without["loss-dim"])


def test_a_domain_takes_its_share_from_all_other_bugs() -> None:
    shares = prior(KNOWLEDGE, ["rl"])
    assert math.isclose(shares["rl-reward"], 0.82 * 0.09)
    assert shares["loss-dim"] < prior(KNOWLEDGE)["loss-dim"]
    assert prior(KNOWLEDGE)["rl-reward"] == 0.0


def test_the_counts_pull_the_table_towards_what_people_ask() -> None:
    """Initialisation is 27 of 365 questions and 1.2 % of the table; leaks are in no question at all."""
    table = {cause.slug: 0.82 * cause.prior for cause in CAUSES}
    shares = prior(KNOWLEDGE)
    assert shares["arch-init"] > table["arch-init"]
    assert shares["data-leak-target"] < table["data-leak-target"]


def test_the_counts_name_each_cause_once() -> None:
    words = [word for _, words in COUNTED for word in words.split()]
    assert len(words) == len(set(words))
    assert set(words) <= set(KNOWLEDGE.slugs)


def test_an_unknown_context_is_refused_with_those_known() -> None:
    with pytest.raises(UsageError, match=r"`moon` is not a known context\. Known contexts are amp"):
        prior(KNOWLEDGE, ["moon"])
