"""A short training with the experiment's own pieces, under the observers that watch unmodified scripts.

The plainest loop there is. What the observers see of it is judged by the same checks as a script, and the copies forked
at its first batch are the same paired experiments.
"""

import os
import sys

from firstlight.experiments.declared.bench import Bench
from firstlight.experiments.declared.fitting import step
from firstlight.observe.inside import sites
from firstlight.observe.inside.observer import Stop, observe


def training(bench: Bench) -> None:
    assert bench.spec is not None
    sites.look_within(sys._getframe(), bench.experiment.declared_at)
    observer = observe(bench.spec)
    model = bench.model()
    optimizer = bench.optimizer(model)
    scheduler = bench.scheduler(optimizer) if bench.experiment.scheduler is not None else None
    bench.seed()
    try:
        for batch in bench.forever():
            step(bench, model, optimizer, batch)
            if scheduler is not None and bench.experiment.schedule_every == "step":
                scheduler.step()
    except Stop:
        observer.light = True
    except Exception:
        if observer.timeline:
            os._exit(1)  # in a copy: its change cannot be made, which says nothing of the pieces
        raise
