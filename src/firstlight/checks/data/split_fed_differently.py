"""Training and evaluation feed the model inputs that were prepared differently.

## What it sees
The same input of the same model, over many batches of each: in evaluation its features are spread much wider or much
narrower than in training, or lie far away from where they were. Smaller differences are told where one rule makes all
of them, as no shift of the data does: one factor and offset for all features, the features of one side in another
order, mirrored or moved, the values of each example sorted on one side alone. Batches, from loaders or cut by hand, are
followed to the model: one order at every call of training and none of evaluation is told however alike both look.

## When it is fine
A shift in the data is rarely as large. What a model made, an agent sees, or a few rows alone set apart is left out.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.feed import Fed, FeedSeen

ALIKE = "inputs prepared in the same way on both sides"
TURNED = ("data-split-shift", "height and width, or another two axes, are taken for one another on one side alone")
"""The same data, read in another way; columns in another order are other data."""


class Limits(Settable):
    factor: float = 8.0
    """Between the deviations of a usual feature here and there; real splits stay within a factor of two."""
    certain_factor: float = 30.0
    """Pixels of 0 to 255 against 0 to 1 make 255; no shift of the data makes as much."""
    deviations: float = 4.0
    """Between the means of a usual feature, in deviations of training."""
    rows: int = 16
    """Fewer are no sample."""
    even: float = 0.8
    """Share of the features that one factor and offset fit; where they do, less is enough."""
    even_factor: float = 3.0
    """As wide as in training, or as narrow; what is mixed or made noisy in training alone stays within twice."""
    even_deviations: float = 2.0
    """Away from training, at which one offset for all features is told."""
    independent: float = 3.0
    """Features that vary by themselves; a series that rises is later higher at every place, by nature."""
    own: float = 4.0
    """Distance of the features as they are, in that which chance makes between samples of one side."""
    ordered: float = 0.25
    """Of that distance is left, at most, once they are put in another order."""
    calls: int = 2
    """On either side, whose batches come in the same order of values; augmentation draws anew."""
    crowded: int = 2
    """Evaluations right after one another, with a step in between: those are a part of the training."""


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
    """What one rule does to all features, its cause, and what is likely behind it."""
    seen, carried = fed.prepared, fed.carried
    if carried.apart and carried.calls >= limits.calls:
        told = f"reaches the model {carried.training} in training, and {carried.evaluation} in evaluation"
        return told, *(TURNED if carried.turned else ("data-schema", "a line of the loop changes their order"))
    if seen.ascending:
        told = f"is sorted by value within each example of {seen.ascending}, and not on the other side"
        return told, "data-schema", "the values of an example are sorted on one side alone"
    if seen.order and seen.own >= limits.own and seen.ordered <= limits.ordered * seen.own:
        told = (
            f"fits training only {seen.order}: {seen.own:.1f} times as far from it as chance makes it as it is, "
            f"{seen.ordered:.1f} times so"
        )
        return told, *(TURNED if seen.turned else ("data-schema", "columns come in another order on one side"))
    wider = seen.times >= limits.even_factor
    apart = abs(seen.offset) >= limits.even_deviations
    if seen.even >= limits.even and seen.places >= limits.independent and (wider or apart):
        of = f"{seen.factor:.3g} times what it is in training, {seen.offset:+.2g} of its deviations"
        return f"is, in evaluation, {of}, in {seen.even:.0%} of the features", "data-split-shift", None
    return None


def _told(fed: Fed, evaluated: bool) -> str:
    seen = (fed.evaluated if evaluated else None) or fed.train
    return f"{seen.mean:.3g} ± {seen.std:.3g}"


CHECK = Check(
    id="FL151",
    summary="evaluation feeds the model inputs prepared otherwise than in training",
    causes=("data-split-shift", "data-schema"),
    likely="a step of the preparation (a division by 255, a scaler, a normalisation) is done for one split alone",
    fix="make both splits with one function, and compare the mean and deviation of a batch of each",
    severity=Severity.ERROR,
    confidence=0.9,
    find=find,
)
