"""The selector does not find the best epoch, although it is obvious.

## What it sees
The selector gets made-up histories: clean and noisy ones with a best epoch planted at different places, flat ones, ties
and a NaN. It must choose the planted epoch or one next to it, and follow it when it moves. It must choose the same
twice, ignore the test split, and not prefer the first or last epoch when nothing is better.

## When it is fine
Where a selector does not say what it goes by, the metrics that `record` takes are tried, in both directions where the
name tells none. One that goes by several together needs a `metric` attribute, and `lower_is_better`, that say which
leads.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.declared import SelectorTried


class Limits(Settable):
    hits: float = 0.8
    """Smallest share of the clear and noisy histories in which the planted epoch is found."""
    near: int = 2
    """Largest distance from the planted epoch that counts as found; smoothing and patience shift the choice that
    far."""
    edges: float = 0.5
    """Largest share of the flat histories in which the first or last epoch is chosen; chance gives a twelfth."""


def find(tried: SelectorTried, limits: Limits) -> Found:
    where = at(tried.site, module=tried.selector, rank=tried.rank)
    clear = [choice for choice in tried.choices if choice.kind in ("clear", "noisy") and choice.planted is not None]
    broken = [choice for choice in tried.choices if choice.error]
    if broken:
        yield Evidence(
            where=where,
            saw=f"a {broken[0].kind} history ends in {broken[0].error[:200]}",
            wanted="a choice for every history",
            likely="the selector does not expect ties, NaN or the metrics it is given",
            do="guard `record` and `select` against non-finite values",
        )
        return
    found = [c for c in clear if c.chosen is not None and abs(c.chosen - (c.planted or 0)) <= limits.near]
    if clear and len(found) < limits.hits * len(clear):
        stuck = len({choice.chosen for choice in clear}) == 1
        yield Evidence(
            where=where,
            saw=f"{len(found)} of {len(clear)} planted best epochs are found"
            + (f"; it always chooses epoch {clear[0].chosen}" if stuck else ""),
            wanted=f"at least {limits.hits:.0%} of them",
            likely="the choice does not depend on what is recorded" if stuck else None,
            numbers={"found": len(found), "planted": len(clear)},
        )
    if not tried.repeatable or tried.reads_test:
        told = (
            "its choice follows a metric of the test split"
            if tried.reads_test
            else "equal histories give different choices"
        )
        yield Evidence(
            where=where,
            saw=told,
            wanted="a choice that depends only on the validation metrics",
            cause="data-leak-split" if tried.reads_test else "env-seed",
            do="select by a validation metric; use the test split only at the very end",
        )
    flat = [choice for choice in tried.choices if choice.kind == "flat"]
    edges = [choice for choice in flat if choice.chosen in (0, choice.epochs - 1)]
    if found and flat and len(edges) > limits.edges * len(flat):
        yield Evidence(
            where=where,
            saw=f"in {len(flat)} flat histories, the first or last epoch is chosen {len(edges)} times",
            wanted=f"at most {limits.edges:.0%}",
            severity=Severity.NOTE,
        )


CHECK = Check(
    id="FL536",
    summary="the selector does not find an obvious best epoch",
    causes=("train-metric", "data-leak-split", "env-seed"),
    likely="the comparison runs the wrong way, or the window is longer than the history",
    fix="feed it a history by hand; `firstlight.BestEpoch` is a sound default",
    severity=Severity.ERROR,
    confidence=0.93,
    find=find,
)
