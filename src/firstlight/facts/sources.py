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
    taped,
)
from firstlight.records.averages import Averaged
from firstlight.records.carried import ScoreCarried
from firstlight.records.census import Census
from firstlight.records.copies import CopySeen
from firstlight.records.evaluated import EvaluationLeaves
from firstlight.records.inferred import Inferred
from firstlight.records.kept import GraphsKept
from firstlight.records.lived_on import HeldBack
from firstlight.records.pairs import PairsPulled
from firstlight.records.program import CodesSeen, ColumnsDropped, FitSeen, Waiting, Wrapped
from firstlight.records.randomness import RandomAgain
from firstlight.records.rehearsal import Rehearsal, ScheduleAhead
from firstlight.records.resumed import ResumeTried
from firstlight.records.rounded import RoundedAway
from firstlight.records.scoring import AnswersScored
from firstlight.records.selection import Selection
from firstlight.records.standing_by import GroupFrozen
from firstlight.records.stored import KeptReread
from firstlight.records.stuck import StuckAtZero
from firstlight.records.timelines import CustomGradient, Dependence
from firstlight.records.training import Attention, EvaluationSeen, KeysMasked


@dataclass(frozen=True, slots=True)
class Source:
    taps: frozenset[str]
    absent: str
    bears: str = "run"
    """What a check that needs this fact bears witness of."""
    odd: bool = False
    """It exists only where something is odd: having none, once training was observed, is an answer."""
    rehearsed: bool = False
    """It is known of a program once all of it was run, shortened."""


def _from(*taps: str, absent: str, bears: str = "run", odd: bool = False, rehearsed: bool = False) -> Source:
    return Source(taps=frozenset(taps), absent=absent, bears=bears, odd=odd, rehearsed=rehearsed)


def _taped(absent: str, odd: bool = False) -> Source:
    """Read from the recorded operations."""
    return _from("operations", "tape", absent=absent, bears="tape", odd=odd)


def _rehearsed(absent: str) -> Source:
    """Of a rehearsal alone, which is a copy of the program."""
    return _from(absent=absent, bears="experiment", rehearsed=True)


def _probed(absent: str, bears: str = "piece", rehearsed: bool = False) -> Source:
    """Of probes; only a declared experiment can be probed."""
    return _from(absent=absent, bears=bears, rehearsed=rehearsed)


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
    facts.ShapeClash: _from("operations", absent="no single operation was observed", odd=True),
    facts.StepOrder: _from(absent=_NO_STEP, rehearsed=True),
    facts.Stepping: _from(absent=_NO_BACKWARD),
    facts.LossRoot: _from("operations", absent=_NO_BACKWARD),
    facts.Mode: _from(absent=_NO_BACKWARD, rehearsed=True),
    facts.LossCurve: _from("operations", absent=_NO_BACKWARD),
    facts.FirstBad: _from("nonfinite", absent=_NO_BACKWARD, odd=True),
    facts.ClipOrder: _from("clipping", absent="the program does not clip gradients with `clip_grad_norm_`"),
    facts.Rate: _from("loaders", absent=_NO_STEP),
    facts.Rebuilding: _from(absent=_NO_STEP, rehearsed=True),
    facts.Accumulation: _from("loaders", absent=_NO_BACKWARD),
    facts.Feeding: _from("loaders", absent=_NO_STEP, bears="data"),
    facts.Passes: _from("loaders", absent="no second pass over a loader was begun early enough", bears="data"),
    facts.WorkerStream: _from(
        "loaders", "workers", absent="no loader has workers whose examples draw random numbers", bears="data"
    ),
    feed.Collated: _from("collating", absent=_NO_BACKWARD, odd=True, bears="data"),
    taped.ReachSeen: _taped("no activation was seen between the network and its answers that could be tried"),
    taped.AxisSeen: _taped(_NO_BACKWARD, odd=True),
    taped.CrossedSeen: _taped(_NO_BACKWARD, odd=True),
    taped.TwiceSeen: _taped(_NO_BACKWARD, odd=True),
    taped.FloorSeen: _taped(_NO_BACKWARD, odd=True),
    taped.RunawaySeen: _taped(_NO_BACKWARD, odd=True),
    taped.VolumeSeen: _taped(_NO_BACKWARD, odd=True),
    taped.SettledSeen: _taped(_NO_BACKWARD, odd=True),
    flows.Guessed: _taped("no loss was found that one output for all examples could lower"),
    taped.TermSeen: _taped(_NO_BACKWARD, odd=True),
    taped.CancelSeen: _taped(_NO_BACKWARD, odd=True),
    taped.MuteSeen: _taped(_NO_BACKWARD, odd=True),
    taped.PenaltySeen: _taped(_NO_BACKWARD, odd=True),
    flows.Pulling: _taped("no place was found where predictions are compared with answers"),
    dealings.Returning: _taped("no environment was seen whose episodes ended"),
    dealings.Weighed: _taped("no environment was seen, or no likelihoods of actions in a loss"),
    dealings.Bootstrapped: _taped(_NO_TARGETS),
    dealings.Discounted: _taped(_NO_TARGETS),
    dealings.Rewarded: _from("operations", "tape", absent=_NO_TARGETS, bears="experiment"),
    flows.Fading: _taped(_NO_LAYERS),
    flows.Swelling: _taped(_NO_LAYERS),
    flows.TwoComparisons: _taped("no values were seen to be compared with answers both in training and in evaluation"),
    taped.AlteredSeen: _from("altered", absent=_NO_BACKWARD, odd=True),
    flows.Alike: _taped(_NO_BACKWARD, odd=True),
    flows.Levelling: _from("operations", "tape", "relations", absent=_NO_BACKWARD, odd=True),
    learning.LearningSign: _taped(_NO_BACKWARD),
    learning.Unlearnt: _taped(_NO_BACKWARD, odd=True),
    facts.GraphSize: _from(absent=_NO_BACKWARD),
    contrast.Contrast: _from(
        "operations",
        "loaders",
        "clipping",
        absent="no experiments were run on copies of the program",
        bears="experiment",
    ),
    Inferred: _from(absent="nothing was left to explain", odd=True, bears="experiment"),
    facts.Motion: _from("movement", absent=_NOT_FOLLOWED),
    facts.Handling: _from("movement", absent=_NOT_FOLLOWED),
    facts.Precision: _from("operations", "movement", absent="the program computes in full precision"),
    facts.LossTerms: _from("operations", absent="backward is not called on a plain sum of several losses"),
    inner.NormStatistics: _from("norms", absent="no batch norm followed enough batches of enough values"),
    inner.Erased: _from("norms", absent="no normalisation layer was seen to erase its input", odd=True),
    Wrapped: _from("wrappers", absent="no model is wrapped in DistributedDataParallel"),
    ranks.Ranks: _from("feeding", "loaders", "wrappers", absent="the program is a single process"),
    ranks.DistributedOrder: _from("loaders", absent="no loader has a shuffling DistributedSampler", bears="data"),
    restored.Restored: _from("checkpoints", absent="no state was loaded into a model", rehearsed=True),
    restored.Resumption: _from(
        "checkpoints", absent="training did not go on from a checkpoint of its own", rehearsed=True
    ),
    restored.Reused: _from(
        "checkpoints", absent="no model was called after a state was loaded into it", rehearsed=True
    ),
    failing.Failing: _from("failures", absent="no call of a model raised", odd=True),
    PairsPulled: _from("operations", "tape", "relations", absent="no loss was seen to compare the examples of a batch"),
    Waiting: _from("loaders", absent="no DataLoader was read between steps"),
    inner.EntropySeen: _from("entropy", absent="no entropy of a distribution is a part of the loss"),
    inner.Units: _from("operations", absent="no ReLU, sigmoid or tanh was seen inside a model"),
    Selection: _rehearsed("no rehearsal came to a number that is held against the best so far"),
    AnswersScored: _rehearsed("no rehearsal came to answers that are held against targets"),
    CopySeen: _rehearsed("no rehearsal came to a copy of a model in training"),
    ScoreCarried: _rehearsed("no rehearsal came to a score that earlier evaluations are a part of"),
    Averaged: _rehearsed("no rehearsal came to a sum over an evaluation that is divided in an odd way"),
    EvaluationLeaves: _rehearsed("no rehearsal found a model changed by its evaluation"),
    GroupFrozen: _rehearsed("no rehearsal found a group of an optimizer's parameters frozen to the end"),
    RoundedAway: _rehearsed("no rehearsal came to a line that updates tensors of half precision in place"),
    GraphsKept: _rehearsed("no rehearsal found a graph that outlives its step"),
    StuckAtZero: _rehearsed("no rehearsal found several parameters that stay at zero"),
    ResumeTried: _rehearsed("the program has no checkpoint of its training that it loads when it is started again"),
    RandomAgain: _rehearsed("no rehearsal found a random state again"),
    ScheduleAhead: _rehearsed("no rehearsal came to a schedule in a run whose length is known"),
    Rehearsal: _rehearsed("no rehearsal of the whole program was made"),
    facts.ScriptOutcome: _from(absent="nothing was run"),
    facts.CheckCrash: _from(absent="no check was run", rehearsed=True),
    Census: _from(
        "census", "checkpoints", "operations", absent="no model with parameters was seen in training", rehearsed=True
    ),
    EvaluationSeen: _from(
        "evaluations",
        "operations",
        absent="no trained model was called in eval mode or without gradients",
        rehearsed=True,
    ),
    source.SourceFile: _from(absent=_NOT_READ, bears="source"),
    source.TrainingLoop: _from(absent=_NOT_READ, bears="source"),
    source.LossUse: _from(absent=_NOT_READ, bears="source"),
    source.Bootstrap: _from(absent="no target of a reward and a discounted value is written", bears="source"),
    source.Triplet: _from(absent="no loss of a positive, a negative and a margin is written", bears="source"),
    log.LogSeen: _from(absent="`firstlight log validate` judges event logs"),
    feed.FeedSeen: _from("feeding", "loaders", absent="no model was seen in training", bears="data"),
    feed.SplitsScaled: _from(
        "feeding", "loaders", "operations", "tape", "relations", absent="no model was seen in training", bears="data"
    ),
    HeldBack: _from(
        "feeding",
        "loaders",
        absent="no model went on to be trained until other examples were held back from it than before",
        bears="data",
        rehearsed=True,
    ),
    relations.HeldBackScore: _from(
        "operations",
        "tape",
        "relations",
        absent="no program that came to its end told a score of held-back examples",
    ),
    relations.Relations: _from(
        "operations",
        "tape",
        "loaders",
        "relations",
        absent="no examples were seen together with their answers",
        bears="data",
    ),
    Dependence: _from(absent="the model was not probed", bears="experiment"),
    symmetry.Symmetry: _from(absent="the model was not probed", bears="experiment"),
    ColumnsDropped: _from("columns", absent="no Hugging Face Trainer dropped columns", bears="data"),
    CodesSeen: _from(
        "coding",
        "loaders",
        absent="no codes of categories that were given twice, and otherwise, were trained on and evaluated on",
        bears="data",
    ),
    FitSeen: _from(
        "fitting",
        absent="no row that only evaluation has went into the fit of a scikit-learn transformer",
        bears="data",
    ),
    KeptReread: _from(
        "rereading",
        "loaders",
        absent="no examples that a dataset keeps in memory were read again with the same random numbers",
        bears="data",
    ),
    CustomGradient: _from(absent="no hand-written backward of the user's own was called", bears="experiment"),
    declared.Stumble: _probed("nothing was tried"),
    declared.Built: _probed("the model was not built"),
    declared.Output: _probed("the model was not called"),
    declared.SizesTried: _probed("the batch is not made of a row for each example, or there is only one"),
    declared.ProbeEnded: _probed("nothing was probed"),
    declared.Overfit: _probed("nothing was learnt by heart"),
    declared.Baselines: _probed("no quick training was scored beside simple answers"),
    declared.TimeOrder: _probed("the declared table does not tell times of training and validation rows"),
    declared.FeaturesAhead: _probed("the rows of the declared table are not in order of a time"),
    declared.LabelsSeen: _probed("the targets are not one class for each example", bears="data"),
    declared.LagSeen: _probed(
        "there is no sequence among the inputs that the target could be a piece of", bears="data"
    ),
    declared.CacheTried: _probed("the experiment declares no `fresh`"),
    declared.Vocabulary: _probed("the ids of the batches go into no embedding"),
    declared.PrecisionTried: _probed("the experiment declares no `precision`, or it cannot be had here"),
    declared.Predictions: _probed("there are no predictions with targets of the same kind"),
    declared.Repeat: _probed("nothing was done twice"),
    declared.SelectorTried: _probed("no selector was tried"),
    declared.InitialLoss: _probed("the first loss was not measured"),
    declared.LossSense: _probed("no ideal predictions are known for this loss"),
    declared.MetricTried: _probed("no ideal predictions are known for this loss"),
    declared.Penalty: _probed("the experiment declares no `penalty`"),
    declared.GradientTried: _probed("no hand-written backward of the user's own was called"),
    declared.GradientProfile: _probed("no gradients were measured"),
    declared.Activations: _probed("the model has no activations that saturate"),
    declared.Weights: _probed("the model has no weight matrices"),
    declared.Gates: _probed("the model has no recurrent layers"),
    declared.Normalisation: _probed("the model has no batch norms"),
    declared.ModeGap: _probed("the model has no layers that differ between train and eval mode"),
    declared.AttentionRows: _probed("the model has no attention that can be looked at"),
    declared.PositionTried: _probed("the model does not predict the next of a sequence"),
    declared.EmbeddingUse: _probed("the model has no embeddings"),
    declared.ShapeTrace: _probed("no shapes were traced"),
    declared.Loaded: _probed("no loader was read"),
    declared.FeaturesMade: _probed("no features were computed"),
    declared.Surface: _probed("no first step was looked at"),
    declared.NoiseScale: _probed("there are too few batches to compare their gradients"),
    declared.ScheduleTried: _probed("no schedule was tried", rehearsed=True),
    declared.RoundTrip: _probed("no checkpoint was written", rehearsed=True),
    declared.LogTried: _probed("no log was tried"),
    declared.InvariantTried: _probed("no invariant was declared"),
    Attention: _from("operations", absent="`scaled_dot_product_attention` was not called with a mask"),
    KeysMasked: _from("operations", absent="no attention mask with a row for each example was seen"),
}

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
SOURCES.update({kind: _from(absent=reason, bears="live") for kind, reason in _LIVE_ABSENT.items()})
SOURCES.update({kind: _from(absent=reason, bears="data") for kind, reason in _TABLE_ABSENT.items()})

LIVE = frozenset(_LIVE_ABSENT)
"""Facts of the guard, made step by step while a program runs for real."""
READ_FROM_TABLES = frozenset(_TABLE_ABSENT)
"""Facts of `firstlight data`."""
READ_FROM_LOG = frozenset({log.LogSeen})
"""Facts of `firstlight log validate`."""
READ_FROM_SOURCE = frozenset(kind for kind, one in SOURCES.items() if one.bears == "source")
"""Facts of `firstlight lint`; no run of a program makes them."""
EXPERIMENT = frozenset(kind for kind, one in SOURCES.items() if one.bears == "experiment")
"""Facts that copies of the program were asked for."""
DECLARED: frozenset[type] = frozenset(kind for kind in SOURCES if issubclass(kind, declared.DeclaredFact))
"""Facts of probes; only a declared experiment can be probed."""
SEEN_IN_RUNS = frozenset(kind for kind in DECLARED if SOURCES[kind].bears == "data")
"""Facts of probes that a run of a program shows too, where its examples are seen together with their answers."""
OF_A_REHEARSAL = frozenset(kind for kind, one in SOURCES.items() if one.rehearsed)
ABSENCE_IS_CLEAN = frozenset(kind for kind, one in SOURCES.items() if one.odd)
