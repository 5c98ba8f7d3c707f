"""One layer stands several times where several layers were meant.

## What it sees
A `ModuleList` or `Sequential` of the user's own model holds the same module object more than once, as
`[layer] * 6` makes it: six places with one set of weights between them.

## When it is fine
Sharing weights on purpose (one head for every level, a layer applied again and again) can be written this way;
calling the one layer in a loop says it more plainly and is not reported. Modules without parameters are not either.
"""

from firstlight.checks.declare import Check, Evidence, Found, NoLimits, Severity, at
from firstlight.records.census import Census


def find(census: Census, _limits: NoLimits) -> Found:
    for again in census.repeated:
        yield Evidence(
            where=at(again.site or census.site, module=again.container, step=census.step, rank=census.rank),
            saw=f"`{again.container}` holds one and the same `{again.module}` {again.times} times: "
            f"{again.parameters.elements} weights in all",
            wanted=f"{again.times} layers with weights of their own, {again.times * again.parameters.elements} in all",
            do=f"build each anew: `nn.{again.kind}([… for _ in range({again.times})])`"
            if again.kind == "ModuleList"
            else None,
            numbers={"times": again.times, "elements": again.parameters.elements},
        )


CHECK = Check(
    id="FL410",
    summary="one layer stands several times where several were meant",
    causes=("arch-shared",),
    likely="`[layer] * n` repeats the object, it does not copy it",
    fix="build each layer anew, in a comprehension, or call the one layer in a loop if sharing is meant",
    severity=Severity.WARNING,
    confidence=0.8,
    find=find,
)
