"""Loading a checkpoint does not restore what was saved.

## What it sees
Everything is saved, built again from scratch and loaded; then the outputs or the losses of the next steps differ. Or
the names and shapes in an earlier run's file do not fit the model as it is built today, or the file cannot be loaded
without running code from it. If the experiment has its own save and load functions, two more things are compared:
whether a loader that keeps its place continues there, and, as a note, whether dropout draws the same numbers.

## When it is fine
Weights alone are enough for a model that is only used and not trained further: functions that take the path and the
model, and no optimizer, are not asked how training goes on.
"""

import math

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.declared import RoundTrip


class Limits(Settable):
    difference: float = 1e-6
    """Largest relative difference in outputs or losses; the same operations in the same order give the same results."""


def find(trip: RoundTrip, limits: Limits) -> Found:
    where = at(trip.site, rank=trip.rank)
    apart = [
        (name, value)
        for name, value in (("outputs", trip.output_difference), ("next losses", trip.next_loss_difference))
        if value is not None and not value <= limits.difference
    ]
    if apart:
        lost = " and ".join(trip.lost) or "something outside model, optimizer and schedule"
        told = ", ".join(f"{name} {_differ(value)}" for name, value in apart)
        yield Evidence(
            where=where,
            saw=f"after the reload the {told}; not restored: {lost}",
            wanted="the same outputs and the same next steps",
            numbers={"difference": apart[0][1]},
        )
    if trip.missing or trip.unexpected or trip.reshaped:
        parts = [("lacks", trip.missing), ("also has", trip.unexpected), ("has other shapes for", trip.reshaped)]
        told = "; ".join(f"{verb} {', '.join(names[:3])}" for verb, names in parts if names)
        yield Evidence(
            where=where,
            saw=f"the file {told}",
            wanted="the names and shapes of the model as it is built today",
            likely="the model was built with different arguments, or was wrapped when it was saved",
            do=trip.rename or "build the model with the arguments of the run that saved the file",
        )
    if trip.unsafe:
        yield Evidence(
            where=where,
            saw=f"it cannot be loaded with `weights_only=True`: {trip.unsafe[:200]}",
            wanted="a file of tensors and plain values",
            severity=Severity.WARNING,
            likely="whole objects were saved instead of their state, or the file is damaged",
            do="save `state_dict()`s and plain values",
        )
    if trip.place_lost:
        yield Evidence(
            where=where,
            saw="after the reload the next batch of `train` is not the one it would have been",
            wanted="the batch after the last one trained on",
            severity=Severity.WARNING,
            likely="the loader's `state_dict()` is not saved, or is not loaded",
            do="save `loader.state_dict()` with the rest, and load it before iterating",
        )
    if trip.random_lost:
        yield Evidence(
            where=where,
            saw=f"steps draw from {' and '.join(trip.random_lost)}, and draw different numbers after the reload",
            wanted="the random state at the time of saving, if a resumed run is to repeat an uninterrupted one exactly",
            severity=Severity.NOTE,
            likely="the random state is not part of the checkpoint",
            do="save the random state with the rest (`torch.get_rng_state()` and its like), and set it after loading",
        )


def _differ(value: float) -> str:
    return f"differ by {value:.2g}" if math.isfinite(value) else "are not finite"


CHECK = Check(
    id="FL332",
    summary="loading a checkpoint does not restore what was saved",
    causes=("train-checkpoint",),
    likely="part of the state is not saved, or is not loaded",
    fix="save and load the states of the model, the optimizer and the schedule together",
    severity=Severity.ERROR,
    confidence=0.95,
    find=find,
)
