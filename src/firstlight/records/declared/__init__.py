"""What probes of a declared experiment saw. Judged as they are; each is complete in itself."""

from typing import Any

from firstlight.records.declared.contact import Built, Output, ProbeEnded, SizesTried, Stumble
from firstlight.records.declared.data import (
    Baselines,
    Batching,
    CacheTried,
    ColumnAhead,
    FeaturesAhead,
    LabelsSeen,
    LagSeen,
    Score,
    TimeOrder,
    Vocabulary,
)
from firstlight.records.declared.fact import DeclaredFact
from firstlight.records.declared.learning import Choice, Overfit, Predictions, Repeat, SelectorTried
from firstlight.records.declared.loss import GradientTried, InitialLoss, LossSense, MetricTried, Penalty
from firstlight.records.declared.model import (
    Activations,
    AttentionRows,
    EmbeddingUse,
    Gates,
    GradientProfile,
    ModeGap,
    Normalisation,
    PositionTried,
    PrecisionTried,
    ShapeTrace,
    Weights,
)
from firstlight.records.declared.upkeep import (
    Along,
    FeaturesMade,
    InvariantTried,
    Loaded,
    LogTried,
    NoiseScale,
    RoundTrip,
    ScheduleTried,
    Surface,
)
from firstlight.records.observed import OBSERVED
from firstlight.records.sighting import Sighting
from firstlight.records.wire import any_of

Logged = Sighting | DeclaredFact
"""Whatever a line of the event log may hold, and below, what it is read as."""
LOGGED: Any = OBSERVED | any_of(DeclaredFact)
