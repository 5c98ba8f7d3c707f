"""A dry run of the learning-rate schedule over the whole run, without training."""

import warnings

import torch

from firstlight.experiments.declared.bench import Bench
from firstlight.experiments.declared.stumbling import line_of, using
from firstlight.records.declared import ScheduleTried

EPOCHS = 10
"""Of a run whose length is not declared."""
MOST_STEPS = 20_000
LEAST_STEPS = 200
SHOWN = 41
SPENT = 1e-3


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
    rates = []
    with using("scheduler", "stepping it through the whole run"), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it warns when the optimizer itself does not step, which a dry run never does
        for _ in range(ticks):
            rates.append(float(optimizer.param_groups[0]["lr"]))
            scheduler.step()
    peak = max(rates)
    spent = next((i for i in range(len(rates)) if max(rates[i:]) <= SPENT * peak), None)
    shown = [round(i * (len(rates) - 1) / (SHOWN - 1)) for i in range(SHOWN)]
    bench.emit(
        ScheduleTried(
            schedule=type(scheduler).__name__,
            every=experiment.schedule_every,
            steps=steps,
            epoch_steps=epoch_steps,
            rates=tuple(rates[i] for i in shown),
            peak_at=rates.index(peak) / len(rates),
            spent_at=None if spent is None else spent / len(rates),
            known_length=experiment.total_steps is not None,
            site=line_of(experiment.scheduler),
        )
    )


def _length(loader: object) -> int | None:
    try:
        return len(loader)  # type: ignore[arg-type]  # asked of whatever was declared
    except TypeError:
        return None
