"""Training and evaluation feed the model inputs that were prepared differently.

## What it sees
The same input of the same model is compared over many batches of each side. In evaluation its features vary much more
or much less than in training, or lie far away from where they were. Smaller differences are reported if one rule makes
all of them, as no shift in the data does: one factor and offset for all features, the features of one side in another
order, mirrored or moved, or the values of each example sorted on one side only. Batches, from loaders or sliced by
hand, are also followed to the model: one order of values in every training call that no evaluation call has is
reported, however alike both sides look.

## When it is fine
A shift in the data is rarely as large. Inputs that a model made or an agent observes, and those that only a few rows
set apart, are left out.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.feed import Fed, FeedSeen

ALIKE = "inputs prepared the same way on both sides"
TURNED = ("data-split-shift", "height and width, or two other axes, are swapped on one side only")
"""Swapped axes are the same data, read in another way; columns in another order are other data."""


class Limits(Settable):
    factor: float = 8.0
    """Smallest ratio of the deviations of a typical feature on both sides; real splits stay within a factor of two."""
    certain_factor: float = 30.0
    """Ratio for an error; pixels of 0 to 255 against 0 to 1 give 255, and no shift in the data gives as much."""
    deviations: float = 4.0
    """Smallest distance of the means of a typical feature, in standard deviations of training."""
    rows: int = 16
    """Fewest rows; fewer are too small a sample."""
    even: float = 0.8
    """Smallest share of the features that one factor and offset fit; then smaller differences are enough."""
    even_factor: float = 3.0
    """Smallest such factor, up or down; mixing or noise in training alone stays within a factor of two."""
    even_deviations: float = 2.0
    """Smallest such offset, in standard deviations of training."""
    independent: float = 3.0
    """Fewest features that vary independently; a series that rises is higher later at every position, by nature."""
    own: float = 4.0
    """Smallest distance of the features as they are, over the distance that chance makes within one side. Put in
    another order, they must be nearer than that: else the order does not explain it."""
    ordered: float = 0.25
    """Largest share of that distance that is left once they are put in another order."""
    calls: int = 2
    """Fewest calls on either side with the same order of values in each batch; augmentation draws anew."""
    crowded: int = 2
    """Most evaluations in a row with just one step in between; with more, they are part of the training."""


def find(feed: FeedSeen, limits: Limits) -> Found:
    for fed in feed.inputs:
        there = fed.evaluated
        if there is None or min(fed.train.rows, there.rows) < limits.rows or not there.std or not fed.train.std:
            continue
        ratio = max(fed.wider, 1 / fed.wider) if fed.wider and fed.prepared.times >= limits.even_factor else 0.0
        if ratio >= limits.factor or fed.apart >= limits.deviations:
            yield Evidence(
                where=at(feed.eval_site or feed.site, module=feed.name, rank=feed.rank),
                saw=f"`{fed.train.name}` is {_told(fed, False)} in training and {_told(fed, True)} in evaluation",
                wanted=ALIKE,
                severity=Severity.ERROR if ratio >= limits.certain_factor else Severity.WARNING,
                numbers={"wider": fed.wider, "apart": fed.apart, "train_std": fed.train.std, "eval_std": there.std},
            )
        elif feed.crowded <= limits.crowded and (rule := _rule(fed, limits)):
            yield Evidence(
                where=at(feed.eval_site or feed.site, module=feed.name, rank=feed.rank),
                saw=f"`{fed.train.name}` {rule[0]}",
                wanted=ALIKE,
                cause=rule[1],
                likely=rule[2],
                numbers={"factor": fed.prepared.factor, "offset": fed.prepared.offset, "own": fed.prepared.own},
            )


def _rule(fed: Fed, limits: Limits) -> tuple[str, str, str | None] | None:
    """What one rule does to all features, its cause, and the likely reason."""
    seen, carried = fed.prepared, fed.carried
    if carried.apart and carried.calls >= limits.calls:
        told = f"reaches the model {carried.training} in training, and {carried.evaluation} in evaluation"
        return told, *(TURNED if carried.turned else ("data-schema", "a line of the loop changes their order"))
    if seen.ascending:
        told = f"is sorted by value within each example of {seen.ascending}, but not on the other side"
        return told, "data-schema", "the values of an example are sorted on one side only"
    alike = seen.ordered <= limits.ordered * seen.own and seen.ordered < limits.own
    if seen.order and seen.own >= limits.own and alike:
        told = (
            f"matches training only {seen.order}: as it is, it is {seen.own:.1f} times as far away as by chance, "
            f"and then {seen.ordered:.1f} times"
        )
        return told, *(TURNED if seen.turned else ("data-schema", "columns are in another order on one side"))
    wider = seen.times >= limits.even_factor
    apart = abs(seen.offset) >= limits.even_deviations
    if seen.even >= limits.even and seen.places >= limits.independent and (wider or apart):
        of = f"{seen.factor:.3g} times its training values {seen.offset:+.2g} standard deviations of training"
        return f"is in evaluation {of}, for {seen.even:.0%} of the features", "data-split-shift", None
    return None


def _told(fed: Fed, evaluated: bool) -> str:
    seen = (fed.evaluated if evaluated else None) or fed.train
    return f"{seen.mean:.3g} ± {seen.std:.3g}"


CHECK = Check(
    id="FL151",
    summary="evaluation feeds the model inputs that were prepared differently from training",
    causes=("data-split-shift", "data-schema"),
    likely="a preprocessing step (a division by 255, a scaler, a normalization) is applied to one split only",
    fix="prepare both splits with one function, and compare the mean and deviation of a batch of each",
    severity=Severity.ERROR,
    confidence=0.9,
    find=find,
)
