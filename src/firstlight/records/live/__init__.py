"""Facts of a live run. Each is complete in itself; the guard makes them, nobody else."""

from firstlight.records.live.course import (
    ActivationTrack,
    ClipTrack,
    FeedTrack,
    GradientTrack,
    LossTrack,
    ModuleState,
    PaceTrack,
    PredictionTrack,
    RankTrack,
    RateTrack,
    Resumed,
    ScaleTrack,
    TensorState,
    TensorTrack,
    Turned,
)
from firstlight.records.live.fact import LiveFact
from firstlight.records.live.state import InputTrack, LabelTrack, MomentState, MomentTrack, OrderTrack, RoomTrack
from firstlight.records.live.told import EvalTrack, ScoreTrack, TermTrack
