"""All probes, written by hand, in the order in which they are begun."""

from firstlight.experiments.declared.probes.declare import Probe
from firstlight.experiments.declared.probes.of_data import OF_DATA
from firstlight.experiments.declared.probes.of_model import OF_MODEL
from firstlight.experiments.declared.probes.of_training import OF_TRAINING
from firstlight.records import declared

SMOKE = Probe(
    name="smoke",
    asks="can a batch be read, the model built and called, the loss computed, a backward made?",
    makes=(declared.Stumble, declared.Built, declared.Output),
    needs=("model",),
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
    typical_seconds=5.0,
    most_seconds=120.0,
    action="lower `steps` in the settings, or use a smaller batch for the check",
    alone=True,
)
"""Makes, besides its own, every fact that the observers make of a script."""

PROBES: tuple[Probe, ...] = (TRAINING, *OF_TRAINING, *OF_MODEL, *OF_DATA)
