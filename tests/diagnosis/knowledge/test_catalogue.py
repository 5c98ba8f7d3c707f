"""The knowledge is sound as data: every name exists, every number is a probability, everything can be reached."""

import re

import pytest

from firstlight.diagnosis.knowledge.catalogue import KNOWLEDGE
from firstlight.diagnosis.knowledge.declare import Experiment, Level, Observation
from firstlight.diagnosis.knowledge.experiments import LADDER
from firstlight.diagnosis.knowledge.phrases import at_percent, at_value

KEBAB = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
TABLE_OF_THE_CATALOGUE = 58
"""Rows O01 to O60 without the two that are claims and hints."""


def test_nothing_refers_to_what_does_not_exist() -> None:
    assert KNOWLEDGE.problems() == ()


def test_every_row_of_the_likelihood_table_is_there() -> None:
    assert len(KNOWLEDGE.observations) >= TABLE_OF_THE_CATALOGUE


@pytest.mark.parametrize("observation", KNOWLEDGE.observations, ids=lambda one: one.slug)
def test_observation_is_well_formed(observation: Observation) -> None:
    row = KNOWLEDGE.table[observation.slug]
    assert KEBAB.fullmatch(observation.slug)
    assert observation.says
    assert observation.group
    assert 0.0 < observation.rate < 1.0
    assert all(0.0 < chance < 1.0 for chance in row.chances)
    assert row.levels, "an observation that no cause makes likelier or rarer says nothing"
    assert any(level in {Level.VERY_LIKELY, Level.LIKELY} for level in row.levels.values())


@pytest.mark.parametrize("observation", KNOWLEDGE.observations, ids=lambda one: one.slug)
def test_levels_keep_their_order_around_the_rate(observation: Observation) -> None:
    row = KNOWLEDGE.table[observation.slug]
    for cause, level in row.levels.items():
        chance = row.chances[KNOWLEDGE.slugs.index(cause)]
        if level is Level.VERY_LIKELY:
            assert chance > observation.rate
        elif level is Level.LIKELY:
            assert chance >= observation.rate
        else:
            assert chance < observation.rate


def told() -> set[str]:
    """Observations that the user's own words can bring."""
    found = {slug for phrase in KNOWLEDGE.phrases for slug in phrase.observations}
    assert {phrase.reads for phrase in KNOWLEDGE.phrases} == {None, at_value, at_percent}
    return found | {"plateau-at-constant-predictor", "plateau-at-double-activation-floor", "loss-frozen"}


def test_every_observation_can_be_made_by_an_experiment_or_told() -> None:
    made = {slug for experiment in KNOWLEDGE.experiments for slug in experiment.yields}
    assert {observation.slug for observation in KNOWLEDGE.observations} == made | told()


def test_phrases_name_observations() -> None:
    assert told() <= set(KNOWLEDGE.observation)


def test_every_cause_has_advice() -> None:
    assert set(KNOWLEDGE.advice_for) == set(KNOWLEDGE.cause)
    assert all(advice.falsifier and advice.fix for advice in KNOWLEDGE.advice)


def test_every_bug_of_the_table_is_spoken_for_by_some_observation() -> None:
    """But for those that only a check of their own can see."""
    spoken = {
        cause
        for row in KNOWLEDGE.table.values()
        for cause, level in row.levels.items()
        if level in {Level.VERY_LIKELY, Level.LIKELY}
    }
    silent = {cause.slug for cause in KNOWLEDGE.causes if cause.prior > 0.0} - spoken
    assert silent == {"unknown", "arch-shared", "arch-position"}


@pytest.mark.parametrize("experiment", KNOWLEDGE.experiments, ids=lambda one: one.slug)
def test_experiment_can_tell_something(experiment: Experiment) -> None:
    assert KEBAB.fullmatch(experiment.slug)
    assert experiment.does
    assert experiment.cost > 0.0
    assert experiment.yields or experiment.repairs


def test_repair_that_is_also_observed_is_very_likely_to_cure_its_cause() -> None:
    for experiment in KNOWLEDGE.experiments:
        for slug in experiment.yields if experiment.repairs else ():
            assert KNOWLEDGE.table[slug].levels[experiment.repairs or ""] is Level.VERY_LIKELY


def test_ladder_climbs_known_experiments_once() -> None:
    assert set(LADDER) <= set(KNOWLEDGE.experiment)
    assert len(set(LADDER)) == len(LADDER)
