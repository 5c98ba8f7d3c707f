"""What the observers inside the user's process saw, one record a sighting, streamed as it happens.

Nothing here is judged and nothing here holds a tensor. Records that would grow with the model name at most a
handful of parameters and count the rest, so that one of them always fits a line of the event log.
"""

from firstlight.records.averages import Averaged
from firstlight.records.census import Census
from firstlight.records.copies import CopySeen
from firstlight.records.dealings import BootstrapSeen, RewardAsked
from firstlight.records.evaluated import EvaluationLeaves
from firstlight.records.failing import Failing
from firstlight.records.feed import CollateSeen, ExamplesMet, FeedSeen, WorkerSeen
from firstlight.records.flows import (
    AlteredSeen,
    CancelSeen,
    ComparisonSeen,
    FreeSeen,
    GuessSeen,
    LevelledSeen,
    MuteSeen,
    PenaltySeen,
    PullSeen,
    ReachSeen,
    TapeSeen,
    TermSeen,
)
from firstlight.records.inner import EntropySeen, Erased, Movement, NormStatistics, ShapesSeen, Touched, Units
from firstlight.records.kept import GraphsKept
from firstlight.records.learning import LearningSign
from firstlight.records.nonfinite import BadOperation, NonFinite, Replayed
from firstlight.records.program import (
    ColumnsDropped,
    Ending,
    LoaderSeen,
    ModelSeen,
    ProcessSeen,
    Unseen,
    Waiting,
    Wrapped,
)
from firstlight.records.randomness import RandomAgain
from firstlight.records.rehearsal import RehearsalEnded, ScheduleBreaks, Shortened
from firstlight.records.relations import RelationsSeen
from firstlight.records.restored import Restored, Resumption, Reused
from firstlight.records.resumed import StateKept, StateResumed
from firstlight.records.scoring import AnswersScored
from firstlight.records.selection import Selection
from firstlight.records.steered import (
    CallsSeen,
    CurvatureSeen,
    EndReached,
    RatesSeen,
    TermJoined,
    ValuesSeen,
    WeightsTaken,
)
from firstlight.records.symmetry import Symmetry
from firstlight.records.timelines import (
    Behaviour,
    CustomGradient,
    Dependence,
    FaultPlanted,
    NurseryOpened,
    TimelineEnded,
)
from firstlight.records.training import (
    Attention,
    BackwardSeen,
    ClipSeen,
    Cut,
    EvaluationSeen,
    KeysMasked,
    LossCall,
    Pairing,
    StepSeen,
)
from firstlight.records.trials import OperationDigests, TrialSeen

Observed = (
    BadOperation
    | Replayed
    | Dependence
    | CustomGradient
    | Behaviour
    | ColumnsDropped
    | NurseryOpened
    | TimelineEnded
    | FaultPlanted
    | ProcessSeen
    | ModelSeen
    | ShapesSeen
    | LoaderSeen
    | Waiting
    | LossCall
    | Pairing
    | Cut
    | Attention
    | KeysMasked
    | BackwardSeen
    | ClipSeen
    | StepSeen
    | Census
    | EvaluationSeen
    | FeedSeen
    | WorkerSeen
    | CollateSeen
    | NonFinite
    | Unseen
    | Ending
    | Movement
    | Touched
    | EntropySeen
    | Erased
    | NormStatistics
    | Wrapped
    | Units
    | Restored
    | Resumption
    | Reused
    | Failing
    | Symmetry
    | LearningSign
    | Shortened
    | ScheduleBreaks
    | RehearsalEnded
    | TapeSeen
    | ReachSeen
    | FreeSeen
    | GuessSeen
    | Selection
    | AnswersScored
    | CopySeen
    | RandomAgain
    | Averaged
    | GraphsKept
    | EvaluationLeaves
    | StateKept
    | StateResumed
    | TermSeen
    | CancelSeen
    | ComparisonSeen
    | AlteredSeen
    | LevelledSeen
    | MuteSeen
    | PenaltySeen
    | PullSeen
    | BootstrapSeen
    | RewardAsked
    | RatesSeen
    | EndReached
    | TermJoined
    | CurvatureSeen
    | CallsSeen
    | ValuesSeen
    | WeightsTaken
    | TrialSeen
    | OperationDigests
    | RelationsSeen
    | ExamplesMet
)
