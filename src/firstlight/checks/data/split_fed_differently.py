"""Training and evaluation feed the model values of different scale.

## What it sees
The same input of the same model, over many batches of each: in evaluation its features are spread much wider or much
narrower than in training, or lie far away from where they were. A model answers nonsense on inputs prepared otherwise
than those it learnt from.

## When it is fine
A shift in the data itself: later times, another place, harder examples. Such shifts are rarely as large as that.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from firstlight.checks.declare import Check
from firstlight.records.feed import Fed, FeedSeen
from firstlight.records.finding import Evidence, Severity
from firstlight.records.places import at


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    factor: float = 8.0
    """Between the deviations of a usual feature here and there; real splits stay within a factor of two."""
    certain_factor: float = 30.0
    """Pixels of 0 to 255 against 0 to 1 make 255; no shift of the data makes as much."""
    deviations: float = 4.0
    """Between the means of a usual feature, in deviations of training."""
    rows: int = 16
    """Fewer are no sample."""


def find(feed: FeedSeen, limits: Limits) -> Iterator[Evidence]:
    for fed in feed.inputs:
        there = fed.evaluated
        if there is None or min(fed.train.rows, there.rows) < limits.rows or not there.std or not fed.train.std:
            continue
        ratio = max(fed.wider, 1 / fed.wider) if fed.wider else 0.0
        if not (ratio >= limits.factor or fed.apart >= limits.deviations):
            continue
        yield Evidence(
            where=at(feed.eval_site or feed.site, module=feed.name, rank=feed.rank),
            saw=f"`{fed.train.name}` is {_told(fed, False)} in training and {_told(fed, True)} in evaluation",
            wanted="inputs prepared in the same way on both sides",
            severity=Severity.ERROR if ratio >= limits.certain_factor else Severity.WARNING,
            numbers={"wider": fed.wider, "apart": fed.apart, "train_std": fed.train.std, "eval_std": there.std},
        )


def _told(fed: Fed, evaluated: bool) -> str:
    seen = (fed.evaluated if evaluated else None) or fed.train
    return f"{seen.mean:.3g} ± {seen.std:.3g}"


CHECK = Check(
    id="FL151",
    name="split-fed-differently",
    summary="evaluation feeds the model values of another scale than training",
    causes=("data-split-shift",),
    likely="a step of the preparation (a division by 255, a scaler, a normalisation) is done for one split alone",
    fix="make both splits with one function, and compare the mean and deviation of a batch of each",
    severity=Severity.ERROR,
    confidence=0.9,
    needs=FeedSeen,
    limits=Limits(),
    find=find,
)
