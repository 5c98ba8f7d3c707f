"""In each fold the weights are evaluated on examples that they were trained on in an earlier one.

## What it sees
A training goes through stages that hold other examples back, as the folds of a cross-validation do. Examples that a
later stage holds back were trained on in an earlier stage, and those that the earlier one held back are trained on in
the later one, by weights that were not begun anew in between: neither by a new model nor by layers initialised again
nor by loading the state they began with. Examples are known by all their values, by their row in the dataset, or, where
each fold scales its columns by itself, by their values on a common scale.

## When it is fine
Training in stages and continual learning hold back examples that were never trained on, or never change places with
others. Whoever follows the training examples of an earlier task evaluates them while they are trained on, too. None of
this is reported.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.lived_on import HeldBack


class Limits(Settable):
    share: float = 0.2
    """Smallest share of the examples that each of the two stages holds back and the other one trains on; a rehearsal
    trains on a part of them only."""
    held_back: float = 0.1
    """Most examples trained on while they are evaluated, as a share of those known from the other stage; with more,
    nothing is held back, and batches of the training set are evaluated."""
    by_chance: float = 6.0
    """Fewest of them that would be trained on in the same stage if they were dealt out by chance: one chance in 400."""


def find(seen: HeldBack, limits: Limits) -> Found:
    known = seen.before + seen.after
    both = seen.before >= limits.share * seen.held[1] and seen.after >= limits.share * seen.held[0]
    if not both or not seen.by_chance >= limits.by_chance:
        return
    if sum(seen.now) > limits.held_back * known:
        return
    how = " (each column brought to the same scale)" if seen.rescaled else ""
    where = f" at {seen.site}" if seen.site is not None and seen.made is not None else ""
    yield Evidence(
        where=at(seen.made or seen.site, module=seen.name, step=seen.step, rank=seen.rank),
        saw=f"{seen.before:,} of the {seen.held[1]:,} examples{how} that stage {seen.later} evaluates{where} were "
        f"trained on by the same weights in stage {seen.earlier}, steps {seen.began:,}–{seen.ended:,}"
        f"{' of the shortened run' if seen.shortened else ''}, which held other examples back",
        wanted="weights begun anew in each fold, so that none has seen what it is evaluated on",
        likely=f"the `{seen.name}` made here goes on being trained from fold to fold" if seen.made else None,
        numbers={"before": seen.before, "after": seen.after, "stages": seen.stages, "step": seen.ended},
    )


CHECK = Check(
    id="FL159",
    summary="the model lives on from fold to fold and is evaluated on examples it was trained on",
    causes=("train-reinit", "data-leak-split"),
    likely="the model is made once, before the loop over the folds, and goes on being trained in each of them",
    fix="make the model and its optimizer inside the loop over the folds, or load a copy of the first state there",
    severity=Severity.WARNING,
    confidence=0.93,
    find=find,
)
