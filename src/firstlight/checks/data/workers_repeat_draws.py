"""All loader workers draw the same random numbers.

## What it sees
In every worker process the examples draw from a random stream that starts in the same state: the first example of each
worker is augmented in the same way, and so are the second ones. Only streams that the examples really drew from count.

## When it is fine
Workers that are meant to do the same. A single worker is not reported, and neither are streams that torch itself seeds
for each worker.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.facts import WorkerStream


class Limits(Settable):
    workers: int = 2
    """Fewest workers whose stream started in the same state."""


def find(stream: WorkerStream, limits: Limits) -> Found:
    if stream.alike < limits.workers:
        return
    yield Evidence(
        where=at(stream.site, rank=stream.rank),
        saw=f"{stream.alike} of {stream.workers} workers of `{stream.dataset}` start drawing from {stream.name} "
        "in the same state",
        wanted="a different random stream in each worker",
        numbers={"alike": stream.alike, "workers": stream.workers},
    )


CHECK = Check(
    id="FL156",
    summary="all loader workers draw the same random numbers",
    causes=("env-seed", "data-stale-batch"),
    likely="each worker has a copy of a generator that the dataset keeps, or `worker_init_fn` sets a constant seed",
    fix="draw from `torch`'s own stream, or create the generator in the worker from `torch.initial_seed()`",
    severity=Severity.ERROR,
    confidence=0.95,
    find=find,
)
