"""Probes that question the model on one batch."""

from firstlight.experiments.declared.probes.declare import Probe
from firstlight.records import declared

OF_MODEL: tuple[Probe, ...] = (
    Probe(
        name="gradients",
        asks="do gradients reach every layer in a size that can be used?",
        makes=(declared.GradientProfile,),
        typical_seconds=1.0,
        most_seconds=20.0,
    ),
    Probe(
        name="inspection",
        asks="what do units, weights, batch norms and embeddings do with one batch?",
        makes=(declared.Activations, declared.Weights, declared.Normalisation, declared.EmbeddingUse),
        typical_seconds=0.5,
        most_seconds=10.0,
    ),
    Probe(
        name="sequences",
        asks="what do recurrent layers and attention do with one batch?",
        makes=(declared.Gates, declared.AttentionRows, declared.PositionTried),
        typical_seconds=0.5,
        most_seconds=10.0,
    ),
    Probe(
        name="tracing",
        asks="which shapes pass through the model, and what is broadcast?",
        makes=(declared.ShapeTrace,),
        typical_seconds=0.5,
        most_seconds=10.0,
    ),
    Probe(
        name="sizes",
        asks="does it work for other numbers of examples, those of the last batches among them?",
        makes=(declared.SizesTried,),
        needs=("train",),
        typical_seconds=0.5,
        most_seconds=10.0,
    ),
    Probe(
        name="derivatives",
        asks="does a hand-written backward agree with finite differences?",
        makes=(declared.GradientTried,),
        typical_seconds=1.0,
        most_seconds=20.0,
    ),
    Probe(
        name="precision",
        asks="is the first step the same in the declared precision as in full precision?",
        makes=(declared.PrecisionTried,),
        needs=("data", "loss|step", "precision"),
        typical_seconds=1.0,
        most_seconds=30.0,
    ),
    Probe(
        name="invariants",
        asks="does what must hold hold on real batches?",
        makes=(declared.InvariantTried,),
        needs=("data", "invariants"),
        function="looking:looking",
        typical_seconds=0.3,
        most_seconds=20.0,
    ),
)
