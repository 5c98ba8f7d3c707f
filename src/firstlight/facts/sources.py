"""For each fact: which taps make it, and what to say when there is none."""

from dataclasses import dataclass

from firstlight.records import (
    contrast,
    dealings,
    declared,
    facts,
    failing,
    feed,
    flows,
    inner,
    learning,
    live,
    log,
    ranks,
    relations,
    restored,
    source,
    symmetry,
    tables,
)
from firstlight.records.averages import Averaged
from firstlight.records.census import Census
from firstlight.records.copies import CopySeen
from firstlight.records.evaluated import EvaluationLeaves
from firstlight.records.inferred import Inferred
from firstlight.records.kept import GraphsKept
from firstlight.records.program import ColumnsDropped, Waiting, Wrapped
from firstlight.records.randomness import RandomAgain
from firstlight.records.rehearsal import Rehearsal
from firstlight.records.resumed import ResumeTried
from firstlight.records.scoring import AnswersScored
from firstlight.records.selection import Selection
from firstlight.records.timelines import CustomGradient, Dependence
from firstlight.records.training import Attention, EvaluationSeen, KeysMasked


@dataclass(frozen=True, slots=True)
class Source:
    taps: frozenset[str]
    absent: str


def _from(*taps: str, absent: str) -> Source:
    return Source(taps=frozenset(taps), absent=absent)


_NO_BACKWARD = "no backward was observed"
_NO_LAYERS = "no network of several layers was seen at work after its first steps"
_NO_TARGETS = "no environment was seen whose rewards could be followed to the loss"
_NO_STEP = "no optimizer step was observed"
_NOT_FOLLOWED = (
    "no step was compared with the weights and gradients before it: it was the only one, or its closure computes the "
    "gradients, as under Lightning"
)
_NOT_READ = "`firstlight lint` judges sources"

SOURCES: dict[type, Source] = {
    facts.LossSite: _from("operations", absent="no training call of a torch loss function was observed"),
    facts.ShapeClash: _from("operations", absent="no single operation was observed"),
    facts.StepOrder: _from(absent=_NO_STEP),
    facts.Stepping: _from(absent=_NO_BACKWARD),
    facts.LossRoot: _from("operations", absent=_NO_BACKWARD),
    facts.Mode: _from(absent=_NO_BACKWARD),
    facts.LossCurve: _from("operations", absent=_NO_BACKWARD),
    facts.FirstBad: _from("nonfinite", absent=_NO_BACKWARD),
    facts.ClipOrder: _from("clipping", absent="the program does not clip gradients with `clip_grad_norm_`"),
    facts.Rate: _from("loaders", absent=_NO_STEP),
    facts.Rebuilding: _from(absent=_NO_STEP),
    facts.Accumulation: _from("loaders", absent=_NO_BACKWARD),
    facts.Feeding: _from("loaders", absent=_NO_STEP),
    facts.WorkerStream: _from("loaders", "workers", absent="no loader has workers whose examples draw random numbers"),
    feed.Collated: _from("collating", absent=_NO_BACKWARD),
    flows.Reach: _from(
        "operations", "tape", absent="no activation was seen between the network and its answers that could be tried"
    ),
    flows.Guessed: _from("operations", "tape", absent="no loss was found that one output for all examples could lower"),
    flows.SilentTerm: _from("operations", "tape", absent=_NO_BACKWARD),
    flows.Cancelling: _from("operations", "tape", absent=_NO_BACKWARD),
    flows.MuteAnswer: _from("operations", "tape", absent=_NO_BACKWARD),
    flows.Penalised: _from("operations", "tape", absent=_NO_BACKWARD),
    flows.Pulling: _from("operations", "tape", absent="no place was found where predictions are compared with answers"),
    dealings.Bootstrapped: _from("operations", "tape", absent=_NO_TARGETS),
    dealings.Discounted: _from("operations", "tape", absent=_NO_TARGETS),
    dealings.Rewarded: _from("operations", "tape", absent=_NO_TARGETS),
    flows.Fading: _from("operations", "tape", absent=_NO_LAYERS),
    flows.Swelling: _from("operations", "tape", absent=_NO_LAYERS),
    flows.TwoComparisons: _from(
        "operations",
        "tape",
        absent="no values were seen to be compared with answers both in training and in evaluation",
    ),
    flows.Altered: _from("altered", absent=_NO_BACKWARD),
    flows.Alike: _from("operations", "tape", absent=_NO_BACKWARD),
    flows.Levelling: _from("operations", "tape", absent=_NO_BACKWARD),
    learning.LearningSign: _from("operations", "tape", absent=_NO_BACKWARD),
    facts.GraphSize: _from(absent=_NO_BACKWARD),
    contrast.Contrast: _from(
        "operations", "loaders", "clipping", absent="no experiments were run on copies of the program"
    ),
    Inferred: _from(absent="nothing was left to explain"),
    facts.Motion: _from("movement", absent=_NOT_FOLLOWED),
    facts.Handling: _from("movement", absent=_NOT_FOLLOWED),
    facts.Precision: _from("operations", "movement", absent="the program computes in full precision"),
    facts.LossTerms: _from("operations", absent="backward is not called on a plain sum of several losses"),
    inner.NormStatistics: _from("norms", absent="no batch norm followed enough batches of enough values"),
    inner.Erased: _from("norms", absent="no normalisation layer was seen to erase its input"),
    Wrapped: _from("wrappers", absent="no model is wrapped in DistributedDataParallel"),
    ranks.Ranks: _from("feeding", "loaders", "wrappers", absent="the program is a single process"),
    ranks.DistributedOrder: _from("loaders", absent="no loader has a shuffling DistributedSampler"),
    restored.Restored: _from("checkpoints", absent="no state was loaded into a model"),
    restored.Resumption: _from("checkpoints", absent="training did not go on from a checkpoint of its own"),
    restored.Reused: _from("checkpoints", absent="no model was called after a state was loaded into it"),
    failing.Failing: _from("failures", absent="no call of a model raised"),
    Waiting: _from("loaders", absent="no DataLoader was read between steps"),
    inner.EntropySeen: _from("entropy", absent="no entropy of a distribution is a part of the loss"),
    inner.Units: _from("operations", absent="no ReLU, sigmoid or tanh was seen inside a model"),
    Selection: _from(absent="no rehearsal came to a number that is held against the best so far"),
    AnswersScored: _from(absent="no rehearsal came to answers that are held against targets"),
    CopySeen: _from(absent="no rehearsal came to a copy of a model in training"),
    Averaged: _from(absent="no rehearsal came to a sum over an evaluation that is divided in an odd way"),
    EvaluationLeaves: _from(absent="no rehearsal found a model changed by its evaluation"),
    GraphsKept: _from(absent="no rehearsal found a graph that outlives its step"),
    ResumeTried: _from(absent="the program has no checkpoint of its training that it loads when it is started again"),
    RandomAgain: _from(absent="no rehearsal found a random state again"),
    Rehearsal: _from(absent="no rehearsal of the whole program was made"),
    facts.ScriptOutcome: _from(absent="nothing was run"),
    facts.CheckCrash: _from(absent="no check was run"),
    Census: _from("census", "checkpoints", "operations", absent="no model with parameters was seen in training"),
    EvaluationSeen: _from("evaluations", absent="no trained model was called in eval mode or without gradients"),
    source.SourceFile: _from(absent=_NOT_READ),
    source.TrainingLoop: _from(absent=_NOT_READ),
    source.LossUse: _from(absent=_NOT_READ),
    source.Bootstrap: _from(absent="no target of a reward and a discounted value is written"),
    source.Triplet: _from(absent="no loss of a positive, a negative and a margin is written"),
    log.LogSeen: _from(absent="`firstlight log validate` judges event logs"),
    feed.FeedSeen: _from("feeding", "loaders", absent="no model was seen in training"),
    relations.Relations: _from(
        "operations", "tape", "loaders", "relations", absent="no examples were seen together with their answers"
    ),
    Dependence: _from(absent="the model was not probed"),
    symmetry.Symmetry: _from(absent="the model was not probed"),
    ColumnsDropped: _from("columns", absent="no Hugging Face Trainer dropped columns"),
    CustomGradient: _from(absent="no hand-written backward of the user's own was called"),
    declared.Stumble: _from(absent="nothing was tried"),
    declared.Built: _from(absent="the model was not built"),
    declared.Output: _from(absent="the model was not called"),
    declared.SizesTried: _from(absent="the batch is not made of a row for each example, or there is only one"),
    declared.ProbeEnded: _from(absent="nothing was probed"),
    declared.MiniTraining: _from(absent="no short training was made"),
    declared.Overfit: _from(absent="nothing was learnt by heart"),
    declared.Baselines: _from(absent="no quick training was scored beside simple answers"),
    declared.TimeOrder: _from(absent="the declared table does not tell times of training and validation rows"),
    declared.FeaturesAhead: _from(absent="the rows of the declared table are not in order of a time"),
    declared.LabelsSeen: _from(absent="the targets are not one class for each example"),
    declared.LagSeen: _from(absent="there is no sequence among the inputs that the target could be a piece of"),
    declared.CacheTried: _from(absent="the experiment declares no `fresh`"),
    declared.Vocabulary: _from(absent="the ids of the batches go into no embedding"),
    declared.PrecisionTried: _from(absent="the experiment declares no `precision`, or it cannot be had here"),
    declared.QuickValidation: _from(absent="no quick validation was made"),
    declared.Predictions: _from(absent="there are no predictions with targets of the same kind"),
    declared.Repeat: _from(absent="nothing was done twice"),
    declared.SelectorTried: _from(absent="no selector was tried"),
    declared.InitialLoss: _from(absent="the first loss was not measured"),
    declared.LossSense: _from(absent="no ideal predictions are known for this loss"),
    declared.MetricTried: _from(absent="no ideal predictions are known for this loss"),
    declared.Penalty: _from(absent="the experiment declares no `penalty`"),
    declared.GradientTried: _from(absent="no hand-written backward of the user's own was called"),
    declared.GradientProfile: _from(absent="no gradients were measured"),
    declared.Activations: _from(absent="the model has no activations that saturate"),
    declared.Weights: _from(absent="the model has no weight matrices"),
    declared.Gates: _from(absent="the model has no recurrent layers"),
    declared.Normalisation: _from(absent="the model has no batch norms"),
    declared.ModeGap: _from(absent="the model has no layers that differ between train and eval mode"),
    declared.AttentionRows: _from(absent="the model has no attention that can be looked at"),
    declared.PositionTried: _from(absent="the model does not predict the next of a sequence"),
    declared.EmbeddingUse: _from(absent="the model has no embeddings"),
    declared.ShapeTrace: _from(absent="no shapes were traced"),
    declared.Loaded: _from(absent="no loader was read"),
    declared.FeaturesMade: _from(absent="no features were computed"),
    declared.Updates: _from(absent="no optimizer step was measured"),
    declared.Surface: _from(absent="no first step was looked at"),
    declared.NoiseScale: _from(absent="there are too few batches to compare their gradients"),
    declared.ScheduleTried: _from(absent="no schedule was tried"),
    declared.RoundTrip: _from(absent="no checkpoint was written"),
    declared.LogTried: _from(absent="no log was tried"),
    declared.InvariantTried: _from(absent="no invariant was declared"),
    Attention: _from("operations", absent="`scaled_dot_product_attention` was not called with a mask"),
    KeysMasked: _from("operations", absent="no attention mask with a row for each example was seen"),
}

OF_A_REHEARSAL = frozenset(
    {
        Rehearsal,
        restored.Restored,
        restored.Resumption,
        restored.Reused,
        declared.ScheduleTried,
        declared.RoundTrip,
        facts.Mode,
        facts.StepOrder,
        EvaluationSeen,
        Selection,
        AnswersScored,
        CopySeen,
        RandomAgain,
        Averaged,
        GraphsKept,
        EvaluationLeaves,
        ResumeTried,
        facts.CheckCrash,
    }
)
"""What is known of a program once all of it was run, shortened."""

ABSENCE_IS_CLEAN = frozenset(
    {
        facts.ShapeClash,
        facts.FirstBad,
        inner.Erased,
        failing.Failing,
        Inferred,
        flows.SilentTerm,
        flows.Cancelling,
        flows.MuteAnswer,
        flows.Penalised,
        flows.Altered,
        flows.Alike,
        flows.Levelling,
        feed.Collated,
    }
)
"""Facts that exist only where something is odd: having none, once training was observed, is an answer."""

_LIVE_ABSENT: dict[type, str] = {
    live.Turned: "no step was judged",
    live.LossTrack: "too few losses were heard",
    live.GradientTrack: "too few gradients were measured",
    live.TensorTrack: "the parameters were not looked at often enough",
    live.RateTrack: "too few learning rates were seen",
    live.ClipTrack: "gradients were not clipped by norm, or not for long enough",
    live.ScaleTrack: "no loss scaler was at work, or not for long enough",
    live.FeedTrack: "no loader was heard, or not for long enough",
    live.PaceTrack: "too few steps were timed",
    live.ActivationTrack: "activations were not looked at often enough",
    live.PredictionTrack: "there was no `fixed_batch`, or it was not looked at often enough",
    live.EvalTrack: "too few evaluations were told of: `guard.log(val_loss=…)`",
    live.Resumed: "no optimizer was given the state of an earlier run",
    live.RankTrack: "the program is a single process, or its ranks were not compared often enough",
    live.MomentTrack: "no Adam was looked at often enough",
    live.LabelTrack: "too few batches had classes for targets",
    live.InputTrack: "too few batches of floating-point inputs were fed",
    live.OrderTrack: "no loader gave three epochs in the same order",
    live.RoomTrack: "the disk was not looked at",
    live.ScoreTrack: "too few scores were told of beside a loss",
    live.TermTrack: "no terms of the loss were told of, or not often enough",
}
LIVE = frozenset(_LIVE_ABSENT)
"""Facts of the guard, made step by step while a program runs for real."""

SOURCES.update({kind: _from(absent=reason) for kind, reason in _LIVE_ABSENT.items()})

READ_FROM_SOURCE = frozenset({source.SourceFile, source.TrainingLoop, source.LossUse, source.Bootstrap, source.Triplet})
"""Facts of `firstlight lint`; no run of a program makes them."""

READ_FROM_LOG = frozenset({log.LogSeen})
"""Facts of `firstlight log validate`."""

_NO_TARGET = "no target is named, or there are too few rows to learn it from"
_NO_OTHER_SPLIT = "no other split is given"
_TABLE_ABSENT: dict[type, str] = {
    tables.TableSeen: "no table was read",
    tables.RepeatedRows: "no table was read",
    tables.SharedRows: _NO_OTHER_SPLIT,
    tables.SharedGroups: "no other split is given, or no group is named",
    tables.SharedTimes: "no other split is given, or no time is named",
    tables.TargetPower: _NO_TARGET,
    tables.TargetFit: _NO_TARGET,
    tables.LabelDoubts: f"{_NO_TARGET}, or it has no classes",
    tables.SplitDrift: _NO_OTHER_SPLIT,
    tables.TextsSeen: "there are no columns of text",
    tables.ImagesSeen: "there are no images",
    tables.SchemaHeld: "no schema and no other split is given",
}
READ_FROM_TABLES = frozenset(_TABLE_ABSENT)
"""Facts of `firstlight data`."""

SOURCES.update({kind: _from(absent=reason) for kind, reason in _TABLE_ABSENT.items()})

DECLARED: frozenset[type] = frozenset(kind for kind in SOURCES if issubclass(kind, declared.DeclaredFact))
"""Facts of probes; only a declared experiment can be probed."""


SEEN_IN_RUNS = frozenset({declared.LabelsSeen, declared.LagSeen})
"""Facts of probes that a run of a program shows too, where its examples are seen together with their answers."""

EXPERIMENT = frozenset(
    {
        dealings.Rewarded,
        contrast.Contrast,
        Inferred,
        Dependence,
        symmetry.Symmetry,
        CustomGradient,
        Rehearsal,
        Selection,
        AnswersScored,
        CopySeen,
        RandomAgain,
        Averaged,
        GraphsKept,
        EvaluationLeaves,
        ResumeTried,
    }
)
"""Facts that copies of the program were asked for."""

DATA = (
    frozenset(
        {
            feed.FeedSeen,
            facts.Feeding,
            facts.WorkerStream,
            ColumnsDropped,
            ranks.DistributedOrder,
            relations.Relations,
        }
    )
    | SEEN_IN_RUNS
)
"""Facts about what the program is fed."""


TAPE = frozenset(
    {
        flows.Reach,
        flows.Guessed,
        flows.SilentTerm,
        flows.Cancelling,
        flows.MuteAnswer,
        flows.Penalised,
        flows.Pulling,
        dealings.Bootstrapped,
        dealings.Discounted,
        flows.Fading,
        flows.Swelling,
        flows.TwoComparisons,
        flows.Alike,
        learning.LearningSign,
    }
)
"""Facts read from the recorded operations."""


def witness_kind(fact: type) -> str:
    """What a check that needs this fact bears witness of."""
    kinds = (
        ("source", READ_FROM_SOURCE),
        ("live", LIVE),
        ("data", DATA | READ_FROM_TABLES),
        ("piece", DECLARED),
        ("experiment", EXPERIMENT),
        ("tape", TAPE),
    )
    return next((kind for kind, members in kinds if fact in members), "run")
