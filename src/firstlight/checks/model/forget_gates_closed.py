"""A recurrent layer forgets at once, or lets nothing through time.

## What it sees
For each layer and direction of an LSTM the forget gate on a real batch (both of torch's biases together); for all
recurrent layers, the gradient of the last output at the first step against that at the last.

## When it is fine
Tasks without memory. Fading over hundreds of steps is usual; it is judged for short sequences alone.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.declared import Gates


class Limits(Settable):
    open_share: float = 0.1
    """Mean of the forget gate; after five steps a hundred-thousandth is left."""
    bias: float = -2.0
    """Sum of both biases: the gate starts nearly shut."""
    through_time: float = 1e-9
    """Gradient at the first step over that at the last; torch's default start gives 1e-6 over twenty steps."""
    steps: int = 30
    """Longer sequences fade in every plain recurrent net."""


def find(gates: Gates, limits: Limits) -> Found:
    where = at(gates.site, module=gates.name, rank=gates.rank)
    opened, bias = gates.forget_open, gates.forget_bias
    if opened is not None and bias is not None and (opened < limits.open_share or bias < limits.bias):
        yield Evidence(
            where=where,
            saw=f"the forget gate is {opened:.2g} open on average, its bias {bias:.2g}",
            wanted=f"at least {limits.open_share:g} open, and a bias from {limits.bias:g} on; +1 is a good start",
            numbers={"open": opened, "bias": bias},
        )
    elif gates.through_time is not None and gates.steps <= limits.steps and gates.through_time < limits.through_time:
        yield Evidence(
            where=where,
            saw=f"of the last output's gradient {gates.through_time:.1e} is left {gates.steps} steps earlier",
            wanted=f"at least {limits.through_time:g}",
            cause="arch-vanishing",
            likely=f"hidden-to-hidden weights too small (largest singular value {gates.hidden_norm:.2g})",
            do="initialise the hidden-to-hidden weights orthogonally; use an LSTM with a forget bias of +1",
            numbers={"through_time": gates.through_time, "hidden_norm": gates.hidden_norm},
        )


CHECK = Check(
    id="FL435",
    summary="a recurrent layer forgets at once",
    causes=("arch-init", "arch-vanishing"),
    likely="the forget bias was set to a large negative number, or the wrong slice of the bias was set",
    fix="set the forget slice (the second quarter) of one bias to +1 and of the other to 0",
    severity=Severity.WARNING,
    confidence=0.85,
    find=find,
)
