"""Weights start all alike, or with a spread far from any usual one.

## What it sees
Weight matrices as built: their spread is far larger than that of the usual initializations, or all rows are equal, so
that every unit would learn the same forever. If the experiment can be trained, equal rows are left to `units-identical`
(FL412), which sees whether they stay equal: the two never report the same rows.

## When it is fine
The last layer and branches behind a shortcut may start at zero. Pretrained weights may have any scale: declare
`pretrained=True`.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.declared import Weights


class Limits(Settable):
    factor: float = 10.0
    """Largest spread relative to that of the nearest usual initialization."""
    share: float = 0.5
    """Share of the matrices with equal rows below which constant ones are a note: they are branches that start shut, as
    in adapters and residual blocks."""


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
                + (", all one constant" if group.std == 0 else ""),
                wanted="rows that differ, so that units can learn different things",
                severity=Severity.NOTE if branch else None,
                numbers={"std": group.std},
            )
        elif not weights.pretrained and not group.last and group.ratio > limits.factor:
            yield Evidence(
                where=where,
                saw=f"`{group.name}` starts with a spread of {group.std:.3g}, {group.ratio:.0f} times {group.nearest}",
                wanted=f"at most {limits.factor:g} times a usual initialization",
                severity=Severity.WARNING,
                likely="the weights are drawn from a standard normal, or scaled by fan-out instead of fan-in",
                do="initialize with `torch.nn.init.kaiming_normal_`, or keep torch's default",
                numbers={"std": group.std, "ratio": group.ratio},
            )


CHECK = Check(
    id="FL438",
    summary="weights start all alike, or far too large",
    causes=("arch-init",),
    likely="`zeros_`, `ones_` or `constant_` is applied to weights instead of biases",
    fix="initialize weight matrices at random; zeros are for biases and last layers",
    severity=Severity.ERROR,
    confidence=0.92,
    find=find,
)
