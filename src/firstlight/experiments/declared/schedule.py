"""A dry run of the learning-rate schedule over the whole run, without training."""

import torch

from firstlight.experiments.declared.bench import Bench
from firstlight.experiments.declared.stumbling import line_of, using
from firstlight.experiments.dry_run import rates_over, tried

EPOCHS = 10
"""Of a run whose length is not declared."""
MOST_STEPS = 20_000
LEAST_STEPS = 200


def schedule(bench: Bench) -> None:
    experiment = bench.experiment
    model = bench.model()
    optimizer = bench.optimizer(model)
    scheduler = bench.scheduler(optimizer)
    if isinstance(scheduler, torch.optim.lr_scheduler.ReduceLROnPlateau):
        return  # follows a metric, not a clock
    epoch_steps = _length(experiment.train)
    steps = experiment.total_steps or max(LEAST_STEPS, EPOCHS * (epoch_steps or LEAST_STEPS))
    by_epoch = experiment.schedule_every == "epoch" and epoch_steps
    ticks = max(2, steps // epoch_steps) if by_epoch and epoch_steps else min(steps, MOST_STEPS)
    with using("scheduler", "stepping it through the whole run"):
        rates = rates_over(scheduler, optimizer, ticks)
    bench.emit(
        tried(
            rates,
            schedule=type(scheduler).__name__,
            site=line_of(experiment.scheduler),
            every=experiment.schedule_every,
            steps=steps,
            epoch_steps=epoch_steps,
            known_length=experiment.total_steps is not None,
        )
    )


def _length(loader: object) -> int | None:
    try:
        return len(loader)  # type: ignore[arg-type]  # asked of whatever was declared
    except TypeError:
        return None
