"""All units of a layer are the same, and training keeps them so.

## What it sees
Some steps into training, all rows of a layer's weight matrix are still exactly equal: every unit computes the same,
gets the same gradient, and stays a copy of the others. The layer has effectively one unit, whatever its width. Or every
matrix before the last is exactly zero after the first steps: nothing of the input comes through, and no gradient comes
back. Noise such as dropout may make the units differ in time.

## When it is fine
Never, if it lasts. An experiment that is not trained here is judged by its weights as built (`weights-symmetric`,
FL438). The rows of a matrix that starts at zero at the end of a branch begin to differ with its first gradient; it is
not reported.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.facts import Motion
from firstlight.records.inner import Movement


class Limits(Settable):
    step: int = 10
    """Earliest step judged; zeros at the end of a branch need one or two steps to become different."""
    looks: int = 2
    """Number of last looks, all of which must find the rows equal."""
    units: int = 3
    """Fewest units; two outputs that mirror each other may start alike."""
    born: int = 2
    """Latest step at which a matrix that is exactly zero counts as initialized to zero."""
    matrices: int = 2
    """Fewest matrices before the last one; a branch may end in one that is zero."""


def find(motion: Motion, limits: Limits) -> Found:
    late = [look for look in motion.looks if look.step >= limits.step][-limits.looks :]
    if motion.looks and motion.looks[0].step <= limits.born:
        yield from _born_zero(motion, motion.looks[0], limits)
    if len(late) < limits.looks:
        return
    alike = [{one.name for one in look.tensors if one.alike and one.shape[:1] >= (limits.units,)} for look in late]
    found = [one for one in late[-1].tensors if all(one.name in names for names in alike)]
    if not found:
        return
    first = found[0]
    more = f" (and {len(found) - 1} more like it)" if len(found) > 1 else ""
    yield Evidence(
        where=at(motion.site, step=late[-1].step, rank=motion.rank, module=first.name),
        saw=f"after {late[-1].step} steps all {first.shape[0]} rows of `{first.name}`{more} are exactly equal",
        wanted="units that differ",
        numbers={"rows": first.shape[0], "matrices": len(found)},
    )


def _born_zero(motion: Motion, look: Movement, limits: Limits) -> Found:
    inner = [one for one in look.tensors if len(one.shape) > 1][:-1]
    if len(inner) < limits.matrices or any(one.weight != 0 for one in inner):
        return
    yield Evidence(
        where=at(motion.site, step=look.step, rank=motion.rank, module=inner[0].name),
        saw=f"`{inner[0].name}` and all {len(inner)} weight matrices before the last are zero after {look.step} steps",
        wanted="weights that let the input through",
        numbers={"matrices": len(inner)},
    )


CHECK = Check(
    id="FL412",
    summary="all units of a layer are the same and stay the same",
    causes=("arch-init",),
    likely="the weights were set to a constant: `zeros_`, `ones_`, `constant_`",
    fix="initialize weight matrices at random (`kaiming_uniform_`, `xavier_uniform_`, or leave torch's default)",
    severity=Severity.ERROR,
    confidence=0.96,
    find=find,
)
