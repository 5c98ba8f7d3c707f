"""Layers are kept in a Python list or dict, where the model does not find them.

## What it sees
A module has an attribute that is a plain list, tuple or dict of layers. They take part in the loss, but
`model.parameters()` does not return them, so no optimizer holds them. Nor are they moved to a device or saved.

## When it is fine
A list used to keep a frozen teacher out of `parameters()` takes no part in the loss and is not reported.
"""

from firstlight.checks.declare import Check, Evidence, Found, NoLimits, Severity, at
from firstlight.records.census import Census


def find(census: Census, _limits: NoLimits) -> Found:
    for hidden in census.hidden:
        proper = "nn.ModuleDict" if hidden.container == "dict" else "nn.ModuleList"
        yield Evidence(
            where=at(hidden.site or census.site, module=hidden.owner, step=census.step, rank=census.rank),
            saw=f"`{hidden.owner}.{hidden.attribute}` is a plain {hidden.container} with "
            f"{hidden.parameters.tensors} parameter tensors ({hidden.parameters.elements} values) "
            "that no optimizer holds",
            wanted=f"an `{proper}`, which registers them",
            do=f"wrap the {hidden.container} in `{proper}(…)`",
            numbers={"tensors": hidden.parameters.tensors, "elements": hidden.parameters.elements},
        )


CHECK = Check(
    id="FL402",
    summary="layers are hidden in a plain Python container and never train",
    causes=("train-params-missing",),
    likely="a Python list is used where `nn.ModuleList` is needed",
    fix="use `nn.ModuleList` or `nn.ModuleDict` instead",
    severity=Severity.ERROR,
    confidence=0.98,
    find=find,
)
