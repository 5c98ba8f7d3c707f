"""A schedule of the learning rate, stepped through a whole run without training."""

import warnings
from itertools import accumulate
from typing import Any

import torch

from firstlight.records.declared import ScheduleTried
from firstlight.records.places import Site

SHOWN = 41
SPENT = 1e-3


def rates_over(scheduler: Any, optimizer: torch.optim.Optimizer, ticks: int) -> list[float]:
    """The rate before each step of the schedule."""
    rates = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it warns when the optimizer itself does not step, which a dry run never does
        for _ in range(ticks):
            rates.append(float(optimizer.param_groups[0]["lr"]))
            scheduler.step()
    return rates


def tried(rates: list[float], *, schedule: str, site: Site | None, **about: Any) -> ScheduleTried:
    """`about` is what the record says of the length of the run."""
    peak = max(rates)
    highest_from = [*accumulate(reversed(rates), max)][::-1]
    spent = next((i for i, highest in enumerate(highest_from) if highest <= SPENT * peak), None)
    shown = [round(i * (len(rates) - 1) / (SHOWN - 1)) for i in range(SHOWN)]
    return ScheduleTried(
        schedule=schedule,
        rates=tuple(rates[i] for i in shown),
        peak_at=rates.index(peak) / len(rates),
        spent_at=None if spent is None else spent / len(rates),
        site=site,
        **about,
    )
