"""The probes of a declared experiment: what each asks, which facts it makes, which pieces it needs, its time.

Written by hand and free of torch; the functions are imported in the process that runs them.
"""

from dataclasses import dataclass
from typing import Literal

from firstlight.records import declared, feed

PROFILES = ("quick", "standard", "deep")
SMALLER = "use a smaller batch or model for the check"


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

PROBES: tuple[Probe, ...] = (
    TRAINING,
    Probe(
        name="loading",
        asks="is there enough data, and how much of it is left out?",
        makes=(declared.Loaded,),
        needs=("train",),
        run="surroundings:loading",
        typical_seconds=1.0,
        most_seconds=30.0,
        action="make reading one batch faster: more workers, smaller files, less preprocessing",
    ),
    Probe(
        name="first-loss",
        asks="does the untrained model score what an uninformed one would, and does the loss like what it should?",
        makes=(
            declared.InitialLoss,
            declared.LossSense,
        ),
        needs=(
            "data",
            "loss|step",
        ),
        run="first_loss:first_loss",
        typical_seconds=1.0,
        most_seconds=20.0,
        action=SMALLER,
    ),
    Probe(
        name="penalty",
        asks="does more regularisation raise the loss?",
        makes=(declared.Penalty,),
        needs=("penalty",),
        run="first_loss:penalty",
        typical_seconds=0.3,
        most_seconds=10.0,
        action=SMALLER,
    ),
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
        name="practice",
        asks="does the loss fall in a short training, by steps of a fitting size, to predictions that make sense?",
        makes=(
            declared.MiniTraining,
            declared.Updates,
            declared.Predictions,
            declared.ModeGap,
        ),
        needs=(
            "data",
            "loss|step",
            "optimizer",
        ),
        run="practice:practice",
        typical_seconds=5.0,
        most_seconds=120.0,
        action="lower `steps` in the settings, or use a smaller batch for the check",
    ),
    Probe(
        name="overfit",
        asks="can it learn two examples by heart?",
        makes=(declared.Overfit,),
        needs=(
            "data",
            "loss|step",
        ),
        run="heart:overfit",
        typical_seconds=5.0,
        most_seconds=120.0,
        action=SMALLER,
    ),
    Probe(
        name="quick-validation",
        asks="does it learn a hundred examples in ten epochs?",
        makes=(declared.QuickValidation,),
        needs=(
            "train",
            "loss|step",
        ),
        run="heart:quick_validation",
        typical_seconds=10.0,
        most_seconds=120.0,
        action=SMALLER,
        since="standard",
    ),
    Probe(
        name="repeating",
        asks="does the same seed give the same outputs and losses?",
        makes=(declared.Repeat,),
        needs=("data",),
        run="repeating:repeating",
        typical_seconds=2.0,
        most_seconds=60.0,
        action=SMALLER,
    ),
    Probe(
        name="checkpoint",
        asks="does a checkpoint bring back everything?",
        makes=(declared.RoundTrip,),
        needs=("data",),
        run="checkpoint:checkpoint",
        typical_seconds=2.0,
        most_seconds=60.0,
        action="save fewer tensors, or check on a faster disk",
    ),
    Probe(
        name="schedule",
        asks="what does the schedule make of the learning rate over the whole run?",
        makes=(declared.ScheduleTried,),
        needs=(
            "optimizer",
            "scheduler",
        ),
        run="schedule:schedule",
        typical_seconds=0.2,
        most_seconds=20.0,
        action="declare `total_steps`, the length of the long run",
    ),
    Probe(
        name="selecting",
        asks="does the selector find an epoch that is known to be best?",
        makes=(declared.SelectorTried,),
        needs=("selector",),
        run="selecting:selecting",
        typical_seconds=0.1,
        most_seconds=10.0,
        action="make `record` and `select` cheap: they are called once an epoch",
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
    Probe(
        name="feeding",
        asks="what do both splits feed the model, and which examples are in both?",
        makes=(feed.FeedSeen,),
        needs=("train",),
        run="feeding:feeding",
        typical_seconds=1.0,
        most_seconds=60.0,
        action="make reading one batch faster: more workers, smaller files, less preprocessing",
    ),
    Probe(
        name="baselines",
        asks="is the model, after a quick training, better than answers that need no model?",
        makes=(declared.Baselines,),
        needs=("train", "val", "loss|step", "optimizer"),
        run="baselines:baselines",
        typical_seconds=5.0,
        most_seconds=120.0,
        action=SMALLER,
        since="standard",
    ),
    Probe(
        name="times",
        asks="do the validation rows come after the training rows?",
        makes=(declared.TimeOrder,),
        needs=("frame",),
        run="times:times",
        typical_seconds=0.2,
        most_seconds=20.0,
        action="declare a smaller `frame` for the check",
    ),
    Probe(
        name="log",
        asks="can the log be written?",
        makes=(declared.LogTried,),
        needs=("log",),
        run="surroundings:log_tried",
        typical_seconds=0.05,
        most_seconds=10.0,
        action="choose a path on a local disk",
    ),
    Probe(
        name="features",
        asks="can the features be computed from the table, and twice the same?",
        makes=(declared.FeaturesMade,),
        needs=(
            "features",
            "frame",
        ),
        run="surroundings:features",
        typical_seconds=0.5,
        most_seconds=60.0,
        action="declare a smaller `frame` for the check",
    ),
)
