"""Scores of held-back examples, as a program that came to its end tells them, beside what chance would get."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from firstlight.records.feed import FeedSeen
from firstlight.records.relations import HeldBackScore, Relations

HELD_BACK = frozenset({"val", "valid", "validation", "test", "held", "heldout", "holdout", "eval", "evaluation", "dev"})
ACCURACIES = frozenset({"acc", "accuracy"})
BALANCED = frozenset({"balanced", "bal"})
RANKS = frozenset({"auc", "auroc", "rocauc"})
"""How often a positive example is ranked above a negative one."""
BY_SHARE = frozenset({"pr", "prc", "auprc", "precision", "recall"})
"""Of these curves chance gets as much as there are positive examples, which nobody tells."""
EXPLAINED = frozenset({"r2", "corr", "correlation", "pearson", "pearsonr", "spearman", "spearmanr"})
AGREED = frozenset({"kappa", "mcc", "matthews", "corrcoef"})
"""Of values and of classes, those for which chance gets 0."""
EVEN, NONE = 0.5, 0.0
PERCENT = 100.0


def held_back_scores(facts: Iterable[Any], told: Mapping[str, Sequence[float]]) -> Iterator[HeldBackScore]:
    """`told` is what the program printed, by name; metrics of scikit-learn were seen with the examples they are of."""
    known = tuple(facts)
    trained = next((one for one in known if isinstance(one, Relations) and one.scored), None)
    if trained is None:
        return
    transfer = trained.seen.transfer
    sites = (one.eval_site for one in known if isinstance(one, FeedSeen) and one.eval_site is not None)
    site = next(sites, transfer.site)
    held = {name: values for name, values in told.items() if HELD_BACK.intersection(_words(name))}
    for name, values in {**held, **{name: (value,) for name, value in transfer.scores}}.items():
        words = _words(name.removesuffix("_score"))
        guess = _by_chance(words, trained)
        if guess is not None:
            yield HeldBackScore(
                rank=trained.rank,
                name=name,
                value=values[-1] / (PERCENT if max(values) > 1 else 1.0),
                guess=guess,
                accuracy=words[-1] in ACCURACIES,
                own=trained.seen.skills.own,
                foretold=trained.seen.skills.plain,
                site=site,
            )


def _words(name: str) -> list[str]:
    return [word for word in re.split(r"[^a-z0-9]+", name.lower()) if word]


def _by_chance(words: Sequence[str], trained: Relations) -> float | None:
    """By the last word of the name; None where it cannot be known."""
    skills, classes, kind = trained.seen.skills, trained.seen.classes, words[-1] if words else ""
    of_classes = skills.common > 0
    if kind in ACCURACIES and of_classes:
        return skills.common if not BALANCED.intersection(words) else 1 / classes if classes > 1 else None
    if kind in RANKS and of_classes and not BY_SHARE.intersection(words):
        return EVEN
    return NONE if kind in (AGREED if of_classes else EXPLAINED) else None
