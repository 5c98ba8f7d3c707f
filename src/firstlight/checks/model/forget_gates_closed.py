"""A recurrent layer forgets at once, or passes nothing through time.

## What it sees
For each layer and direction of an LSTM: how far the forget gate is open on a real batch, and the sum of torch's two
biases for it. For all recurrent layers: the gradient of the last output at the first step, relative to that at the last
step.

## When it is fine
Tasks that need no memory. Gradients usually fade over hundreds of steps, so only short sequences are judged.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.declared import Gates


class Limits(Settable):
    open_share: float = 0.1
    """Smallest mean of the forget gate; after five steps a hundred-thousandth of the state is left."""
    bias: float = -2.0
    """Smallest sum of both biases; below it, the gate starts nearly shut."""
    through_time: float = 1e-9
    """Smallest gradient at the first step relative to the last; torch's default start gives 1e-6 over twenty steps."""
    steps: int = 30
    """Longest sequence judged; over longer ones, gradients fade in every plain recurrent net."""


def find(gates: Gates, limits: Limits) -> Found:
    where = at(gates.site, module=gates.name, rank=gates.rank)
    opened, bias = gates.forget_open, gates.forget_bias
    if opened is not None and bias is not None and (opened < limits.open_share or bias < limits.bias):
        yield Evidence(
            where=where,
            saw=f"the forget gate is {opened:.2g} open on average, with a bias of {bias:.2g}",
            wanted=f"at least {limits.open_share:g} open, and a bias of at least {limits.bias:g}; +1 is a good start",
            numbers={"open": opened, "bias": bias},
        )
    elif gates.through_time is not None and gates.steps <= limits.steps and gates.through_time < limits.through_time:
        yield Evidence(
            where=where,
            saw=f"of the last output's gradient {gates.through_time:.1e} is left {gates.steps} steps earlier",
            wanted=f"at least {limits.through_time:g}",
            cause="arch-vanishing",
            likely=f"the hidden-to-hidden weights are too small (largest singular value {gates.hidden_norm:.2g})",
            do="initialize the hidden-to-hidden weights orthogonally; use an LSTM with a forget bias of +1",
            numbers={"through_time": gates.through_time, "hidden_norm": gates.hidden_norm},
        )


CHECK = Check(
    id="FL435",
    summary="a recurrent layer forgets at once",
    causes=("arch-init", "arch-vanishing"),
    likely="the forget bias was set to a large negative number, or the wrong slice of the bias was set",
    fix="set the forget slice (the second quarter) of one bias to +1 and that of the other to 0",
    severity=Severity.WARNING,
    confidence=0.85,
    find=find,
)
