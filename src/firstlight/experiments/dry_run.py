"""A schedule of the learning rate, stepped through a whole run without training."""

import warnings
from itertools import accumulate, pairwise
from typing import Any

import torch

from firstlight.records.declared import ScheduleTried
from firstlight.records.places import Site

SHOWN = 41
SPENT = 1e-3
AT_PEAK = 0.99
"""Of the highest rate: one that nears it for ever is there."""
SETTLED = 0.9
"""Of the steps it was asked for: what changes later still is no end."""
LEVEL = 1e-6
"""Of the peak; rates that differ by less are one."""


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


def held_against(rates: list[float], ticks: int, over: bool) -> dict[str, Any]:
    """What `ticks` steps see of a schedule, and what it was planned to do: `rates` go on beyond them, to its end where
    it raised then (`over`)."""
    peak = max(rates)
    top = next(i for i, rate in enumerate(rates) if rate >= AT_PEAK * peak)
    low = min(rates[top:])
    end = next(i for i in range(top, len(rates)) if rates[i] <= low + LEVEL * peak)
    settled = over or end < SETTLED * len(rates)
    seen = rates[:ticks]
    return {
        "first": seen[0],
        "highest": max(seen),
        "last": seen[-1],
        "peak": peak if over or top < SETTLED * len(rates) else None,
        "peak_after": top,
        "length": (len(rates) if over else end) if settled else None,
        "swings": _swings(seen),
    }


def _swings(rates: list[float]) -> int:
    found, falling = 0, False
    for before, after in pairwise(rates):
        found += falling and after > before
        falling = after < before or (falling and after == before)
    return found
