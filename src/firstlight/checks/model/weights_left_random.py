"""Most weights of a model are frozen at their random initialization.

## What it sees
Weight matrices of the program's own modules get no gradient, never had one, and no state was loaded into them: they
still have their random initialization, and make up more than half of the model. A copy of the program in which they
train decides: the note becomes a warning if that copy learns and the program hardly does.

## When it is fine
Random features that are meant to stay as they are (a reservoir, a random projection) are few compared with what is
trained on them, or do as well. Weights of a pretrained model that were loaded by other means than `load_state_dict` are
fine too.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.checks.model.parameters_not_optimized import listed
from firstlight.records.census import Census


class Limits(Settable):
    share: float = 0.5
    """Smallest share of the model's values that are frozen this way."""
    backwards: int = 3
    """Fewest backwards; layers that are frozen only for the first steps train by then."""


def find(census: Census, limits: Limits) -> Found:
    frozen, whole = census.left_random, max(1, census.frozen.elements + census.trainable.elements)
    if census.backwards < limits.backwards or not frozen.elements > limits.share * whole:
        return
    share = frozen.elements / whole
    yield Evidence(
        where=at(census.site, module=frozen.names[0], step=census.step, rank=census.rank),
        saw=f"{frozen.tensors} weight matrices ({share:.0%} of `{census.name}`: {listed(frozen)}) do not require a "
        "gradient, were never trained, and were not loaded",
        wanted="weights that are trained now, or were trained before",
        numbers={"tensors": frozen.tensors, "share": share},
    )


CHECK = Check(
    id="FL454",
    summary="most weights of a model are frozen at their random initialization",
    causes=("train-frozen",),
    likely="`requires_grad` was switched off for more parameters than intended",
    fix="list the parameters without `requires_grad`, and switch it on for those that should train",
    severity=Severity.NOTE,
    proven=Severity.WARNING,
    confidence=0.8,
    find=find,
)
