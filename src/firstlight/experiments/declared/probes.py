"""The probes of a declared experiment: what each asks, which facts it makes, which pieces it needs, its time.

Written by hand and free of torch; the functions are imported in the process that runs them.
"""

from dataclasses import dataclass
from typing import Literal

from firstlight.records import declared

PROFILES = ("quick", "standard", "deep")


@dataclass(frozen=True, slots=True, kw_only=True)
class Probe:
    name: str
    asks: str
    makes: tuple[type, ...]
    needs: tuple[str, ...]
    """Pieces of the declaration, all of them; `a|b` takes either. `data` is `train` or `batch`."""
    run: str
    """`module:function` below this package; the function takes a `Bench`."""
    typical_seconds: float
    """For a small model on a CPU."""
    most_seconds: float
    """It is ended after so many."""
    action: str
    """What to do where it takes too long."""
    since: Literal["quick", "standard", "deep"] = "quick"
    """The smallest profile it belongs to."""
    alone: bool = False
    """It changes its whole process, so it runs in a forked copy or not at all."""

    def lacks(self, given: frozenset[str]) -> tuple[str, ...]:
        return tuple(need for need in self.needs if not set(need.split("|")) & given)

    def within(self, profile: str) -> bool:
        return PROFILES.index(self.since) <= PROFILES.index(profile)


SMOKE = Probe(
    name="smoke",
    asks="can a batch be read, the model built and called, the loss computed, a backward made?",
    makes=(declared.Stumble, declared.Built, declared.Output),
    needs=("model",),
    run="smoke:smoke",
    typical_seconds=0.5,
    most_seconds=60.0,
    action="move downloads and preprocessing out of the model's factory and the first batch, or use a smaller model",
)
"""Runs before all others: an experiment that stumbles here is not probed further."""

TRAINING = Probe(
    name="training",
    asks="does a short training with the experiment's own pieces behave, step by step?",
    makes=(),
    needs=("data", "loss|step", "optimizer"),
    run="training:training",
    typical_seconds=5.0,
    most_seconds=120.0,
    action="lower `steps` in the settings, or use a smaller batch for the check",
    alone=True,
)
"""Makes, besides its own, every fact that the observers make of a script."""

PROBES: tuple[Probe, ...] = (TRAINING,)
