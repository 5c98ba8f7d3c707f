"""The graph behind the loss grows with every step.

## What it sees
The number of graph nodes that backward walks rises from step to step by about the same amount: each loss is still
connected to the losses before it, so steps get slower and memory fills up.

## When it is fine
Sequences of growing length and curricula change the graph irregularly. Unrolled optimisation keeps its graph on purpose
for a bounded number of steps.
"""

from itertools import pairwise

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.facts import GraphSize


class Limits(Settable):
    backwards: int = 6
    """Fewest backwards, each with a larger graph than the one before; fewer do not show a trend."""
    growth: float = 1.5
    """Smallest ratio of the last graph's size to the first; a carried state doubles it at the second step."""


def find(graph: GraphSize, limits: Limits) -> Found:
    first = graph.nodes[: limits.backwards]
    if len(first) < limits.backwards or not all(a < b for a, b in pairwise(first)):
        return
    if first[-1] < limits.growth * first[0]:
        return
    yield Evidence(
        where=at(graph.site, rank=graph.rank),
        saw=f"the graph behind the loss grows at every step: {', '.join(map(str, first))} nodes",
        wanted="a graph of about the same size at each step",
        numbers={"first": first[0], "last": first[-1]},
    )


CHECK = Check(
    id="FL306",
    summary="each loss carries the graphs of all earlier steps along",
    causes=("train-state-leak",),
    likely="a hidden state or a running sum is carried over with its graph; `retain_graph=True` hides the error",
    fix="detach what is carried from step to step (`hidden = hidden.detach()`), and drop `retain_graph=True`",
    severity=Severity.ERROR,
    confidence=0.96,
    find=find,
)
