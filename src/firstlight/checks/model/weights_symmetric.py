"""Weights start all alike or on a scale far from any usual one.

## What it sees
Weight matrices as built: a spread far from that of the usual initialisations, or all rows equal, so that every unit
would learn the same for ever. Where the experiment can be trained, equal rows are left to `units-identical` (FL412),
which sees whether they stay so: the two never tell of the same rows.

## When it is fine
The last layer and branches behind a shortcut may start at zero. Pretrained weights have the scale they have: declare
`pretrained=True`.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.declared import Weights


class Limits(Settable):
    factor: float = 10.0
    """Times the spread of the nearest usual initialisation."""
    share: float = 0.5
    """Of the matrices; fewer constant ones are branches that start shut, as adapters and residual blocks do."""


def find(weights: Weights, limits: Limits) -> Found:
    alike = sum(group.equal_rows for group in weights.groups)
    for group in weights.groups:
        where = at(weights.site, module=group.name, rank=weights.rank)
        if group.equal_rows and weights.watched:
            continue
        if group.equal_rows and not group.last:
            branch = group.std == 0 and alike < limits.share * len(weights.groups)
            yield Evidence(
                where=where,
                saw=f"all {group.shape[0] if group.shape else 0} rows of `{group.name}` are equal"
                + (", one constant" if group.std == 0 else ""),
                wanted="rows that differ, so that units can learn different things",
                severity=Severity.NOTE if branch else None,
                numbers={"std": group.std},
            )
        elif not weights.pretrained and not group.last and group.ratio > limits.factor:
            yield Evidence(
                where=where,
                saw=f"`{group.name}` starts with a spread of {group.std:.3g}, {group.ratio:.0f} times {group.nearest}",
                wanted=f"at most {limits.factor:g} times a usual initialisation",
                severity=Severity.WARNING,
                likely="weights drawn from a standard normal, or scaled by fan-out where fan-in was meant",
                do="initialise by `torch.nn.init.kaiming_normal_` or leave torch's own start",
                numbers={"std": group.std, "ratio": group.ratio},
            )


CHECK = Check(
    id="FL438",
    summary="weights start all alike, or far too large",
    causes=("arch-init",),
    likely="`zeros_`, `ones_` or `constant_` over weights where biases were meant",
    fix="initialise weight matrices at random; zeros are for biases and last layers",
    severity=Severity.ERROR,
    confidence=0.92,
    find=find,
)
