"""The whole search, played against programs that behave as the table says: it ends, and mostly ends right."""

import random

from firstlight.diagnosis.case import Case
from firstlight.diagnosis.choose import Limits, choose
from firstlight.diagnosis.engine import weigh
from firstlight.diagnosis.knowledge.catalogue import KNOWLEDGE
from firstlight.diagnosis.knowledge.declare import Experiment
from firstlight.diagnosis.prior import prior
from firstlight.diagnosis.trail import Kind, Trail

PROGRAMS = 30
RIGHT = 0.55
"""Seeded; two in three over many. Several causes show the same signs, so that nobody could name them all."""
HANDLES = frozenset({"model", "batch", "optimizer", "loss", "loader", "targets", "regularisation", "validation"})


def run(experiment: Experiment, case: Case, cause: str, chance: random.Random) -> Case:
    """The program answers an experiment as its cause makes likely."""
    place = KNOWLEDGE.slugs.index(cause)
    chances = [KNOWLEDGE.table[slug].chances[place] for slug in experiment.yields]
    seen = chance.choices([*experiment.yields, ""], [*chances, max(0.01, 1.0 - sum(chances))])[0]
    if experiment.repairs is None:
        return case.observing({slug: slug == seen for slug in experiment.yields})
    cured = bool(seen) if experiment.yields else chance.random() < (0.85 if experiment.repairs == cause else 0.02)
    return case.repairing(experiment.slug, worked=cured)


def search(cause: str, chance: random.Random) -> tuple[Case, Trail]:
    case, left, tried = Case(), 120.0, frozenset[str]()
    trail = Trail().learning(KNOWLEDGE, case, case)
    while True:
        limits = Limits(handles=HANDLES, baseline_seconds=3.0, seconds_left=left, tried=tried)
        choice = choose(KNOWLEDGE, case, limits, trail.entropies)
        trail = trail.choosing(choice)
        if choice.experiment is None:
            return case, trail
        after = run(choice.experiment, case, cause, chance)
        trail = trail.learning(KNOWLEDGE, case, after)
        case, left, tried = after, left - choice.seconds, tried | {choice.experiment.slug}


def test_the_search_ends_and_mostly_ends_right() -> None:
    chance = random.Random(20)
    shares = prior(KNOWLEDGE)
    right = 0
    for cause in chance.choices(list(shares), list(shares.values()), k=PROGRAMS):
        case, trail = search(cause, chance)
        first = weigh(KNOWLEDGE, case).ranked[0]
        right += first == cause or (first.startswith("null-") and cause.startswith("null-"))
        assert trail.steps[-1].kind is Kind.STOPPED
    assert right / PROGRAMS >= RIGHT
