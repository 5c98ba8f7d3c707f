"""The untrained model's output, or the loss computed from it, is not finite.

## What it sees
One forward pass of the untrained model on a real batch with finite inputs: the output, or the loss computed from it,
holds a NaN or an infinity. Where the experiment is also trained under observation, FL601 names the operation instead.

## When it is fine
Scores of classes that are ruled out may be minus infinity on purpose, as long as no loss is computed from them.
"""

from firstlight.checks.declare import Check, Evidence, Found, NoLimits, Severity, at
from firstlight.records.declared import Output
from firstlight.records.sighting import TensorCard


def find(output: Output, _limits: NoLimits) -> Found:
    if output.watched or any(card.nonfinite for card in output.inputs):
        return
    whole = [("loss", output.loss)] if output.loss is not None else []
    for name, card in [*(("output", card) for card in output.outputs), *whole]:
        if card.nonfinite:
            yield Evidence(
                where=at(output.site, step=0, rank=output.rank),
                saw=f"in the {name} of the untrained model, {_told(card)} are not finite",
                wanted="only finite values, because the inputs of the batch are finite",
                numbers={"nonfinite": card.nonfinite},
            )
            return


def _told(card: TensorCard) -> str:
    total = 1
    for size in card.shape:
        total *= size
    return f"{card.nonfinite} of {total} values"


CHECK = Check(
    id="FL631",
    summary="the untrained model's output is not finite",
    causes=("num-nonfinite",),
    likely="a logarithm, square root or division is given values outside its domain",
    fix="print the smallest input of each `log`, `sqrt` and division, and keep it away from zero",
    severity=Severity.ERROR,
    confidence=0.95,
    find=find,
)
