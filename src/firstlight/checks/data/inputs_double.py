"""Inputs arrive in double precision although the model computes in a lower one.

## What it sees
The types of the inputs and outputs of one real batch are compared. The model casts the inputs somewhere, or it would
have failed; until then they take twice the memory and transfer.

## When it is fine
Differences of large numbers (times, prices) that only float64 can tell apart, computed before the cast.
"""

from firstlight.checks.declare import Check, Evidence, Found, NoLimits, Severity, at
from firstlight.records.declared import Output


def find(output: Output, _limits: NoLimits) -> Found:
    wide = [place for place, card in enumerate(output.inputs) if card.dtype == "float64"]
    if not wide or any(card.dtype == "float64" for card in output.outputs) or not output.outputs:
        return
    yield Evidence(
        where=at(output.site, rank=output.rank),
        saw=f"input {wide[0]} is float64 {output.inputs[wide[0]].shape}, and the output is {output.outputs[0].dtype}",
        wanted="float32 inputs",
        numbers={"inputs": len(wide)},
    )


CHECK = Check(
    id="FL138",
    summary="inputs are float64 while the model computes in lower precision",
    causes=("data-schema",),
    likely="`torch.from_numpy` keeps NumPy's default type, float64",
    fix="convert once, in the dataset: `torch.as_tensor(values, dtype=torch.float32)`",
    severity=Severity.NOTE,
    confidence=0.8,
    find=find,
)
