"""Probes that question the model on one batch."""

from firstlight.experiments.declared.probes.declare import SMALLER, Probe
from firstlight.records import declared

OF_MODEL: tuple[Probe, ...] = (
    Probe(
        name="gradients",
        asks="do gradients reach every layer in a size that can be used?",
        makes=(declared.GradientProfile,),
        needs=("data",),
        run="gradients:gradients",
        typical_seconds=1.0,
        most_seconds=20.0,
        action=SMALLER,
    ),
    Probe(
        name="inspection",
        asks="what do units, weights, batch norms and embeddings do with one batch?",
        makes=(
            declared.Activations,
            declared.Weights,
            declared.Normalisation,
            declared.EmbeddingUse,
        ),
        needs=("data",),
        run="inspection:inspection",
        typical_seconds=0.5,
        most_seconds=10.0,
        action=SMALLER,
    ),
    Probe(
        name="sequences",
        asks="what do recurrent layers and attention do with one batch?",
        makes=(
            declared.Gates,
            declared.AttentionRows,
            declared.PositionTried,
        ),
        needs=("data",),
        run="sequences:sequences",
        typical_seconds=0.5,
        most_seconds=10.0,
        action=SMALLER,
    ),
    Probe(
        name="tracing",
        asks="which shapes pass through the model, and what is broadcast?",
        makes=(declared.ShapeTrace,),
        needs=("data",),
        run="tracing:tracing",
        typical_seconds=0.5,
        most_seconds=10.0,
        action=SMALLER,
    ),
    Probe(
        name="derivatives",
        asks="does a hand-written backward agree with finite differences?",
        makes=(declared.GradientTried,),
        needs=("data",),
        run="derivatives:derivatives",
        typical_seconds=1.0,
        most_seconds=20.0,
        action=SMALLER,
    ),
    Probe(
        name="precision",
        asks="is the first step the same in the declared precision as in full precision?",
        makes=(declared.PrecisionTried,),
        needs=("data", "loss|step", "precision"),
        run="precision:precision",
        typical_seconds=1.0,
        most_seconds=30.0,
        action=SMALLER,
    ),
    Probe(
        name="invariants",
        asks="does what must hold hold on real batches?",
        makes=(declared.InvariantTried,),
        needs=(
            "data",
            "invariants",
        ),
        run="looking:looking",
        typical_seconds=0.3,
        most_seconds=20.0,
        action=SMALLER,
    ),
)
