"""Most units of a layer are never above zero, or a layer says the same for every example.

## What it sees
The outputs of ReLU layers on one batch: units that are zero for every example and place. And any activation whose
output does not change from one example to the next.

## When it is fine
A few dead units are usual, and a small batch shows more of them; layers with few values a unit are not judged.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from firstlight.checks.declare import Check
from firstlight.records.declared import Units
from firstlight.records.finding import Evidence, Severity
from firstlight.records.places import at


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    dead_share: float = 0.9
    """Of a layer's units; healthy layers at the start reach 0.62 on small batches."""
    values_a_unit: int = 32
    """Fewer do not show that a unit is dead."""


def find(units: Units, limits: Limits) -> Iterator[Evidence]:
    for group in units.groups:
        where = at(units.site, module=group.name, rank=units.rank)
        if group.values_a_unit < limits.values_a_unit or not group.units:
            continue
        share = group.dead / group.units
        if share > limits.dead_share:
            yield Evidence(
                where=where,
                saw=f"{group.dead} of {group.units} units of `{group.name}` are zero for every example",
                wanted=f"at most {limits.dead_share:.0%} dead units",
                numbers={"dead": group.dead, "units": group.units},
            )
        elif group.constant:
            yield Evidence(
                where=where,
                saw=f"`{group.name}` ({group.kind}) gives the same output for every example",
                wanted="outputs that differ between examples",
                cause="data-degenerate",
                likely="the inputs are all alike by then: constant data, or a layer before it that wipes them out",
                do="print the spread over the batch after each layer, from the input on",
            )


CHECK = Check(
    id="FL436",
    name="units-dead",
    summary="units of a layer never switch on, or never change",
    causes=("arch-dead-units", "data-degenerate"),
    likely="a large negative bias, a too large step early on, or inputs of one sign and a large scale",
    fix="standardise the inputs, start biases at zero, lower the rate, or use a leaky activation",
    severity=Severity.WARNING,
    confidence=0.85,
    needs=Units,
    limits=Limits(),
    find=find,
)
