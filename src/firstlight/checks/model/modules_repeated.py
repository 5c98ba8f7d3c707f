"""The same layer is repeated where several layers were meant.

## What it sees
A `ModuleList` or `Sequential` of the user's own model holds the same module object more than once, as `[layer] * 6`
creates it: six places that share one set of weights.

## When it is fine
Weights shared on purpose (one head for every level, a layer applied again and again) can be written this way; calling
the one layer in a loop says so more plainly and is not reported. Nor are modules without parameters.
"""

from firstlight.checks.declare import Check, Evidence, Found, NoLimits, Severity, at
from firstlight.records.census import Census


def find(census: Census, _limits: NoLimits) -> Found:
    for again in census.repeated:
        yield Evidence(
            where=at(again.site or census.site, module=again.container, step=census.step, rank=census.rank),
            saw=f"`{again.container}` holds one and the same `{again.module}` {again.times} times: "
            f"{again.parameters.elements} weights in all",
            wanted=f"{again.times} layers, each with its own weights, {again.times * again.parameters.elements} in all",
            do=f"build each layer separately: `nn.{again.kind}([… for _ in range({again.times})])`"
            if again.kind == "ModuleList"
            else None,
            numbers={"times": again.times, "elements": again.parameters.elements},
        )


CHECK = Check(
    id="FL410",
    summary="the same layer is repeated where several layers were meant",
    causes=("arch-shared",),
    likely="`[layer] * n` repeats the object and does not copy it",
    fix="build each layer separately, in a comprehension; if sharing is meant, call the one layer in a loop",
    severity=Severity.WARNING,
    confidence=0.8,
    find=find,
)
