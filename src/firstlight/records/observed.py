"""What the observers inside the user's process saw, one record a sighting, streamed as it happens.

Nothing here is judged and nothing here holds a tensor. Records that would grow with the model name at most a
handful of parameters and count the rest, so that one of them always fits a line of the event log.
"""

import msgspec

from firstlight.records.failing import Failing
from firstlight.records.feed import FeedSeen, WorkerSeen
from firstlight.records.inner import Erased, Movement, ShapesSeen, Units
from firstlight.records.places import Site
from firstlight.records.restored import Restored, Resumption
from firstlight.records.sighting import Sighting, Some, TensorCard
from firstlight.records.symmetry import Symmetry


class ProcessSeen(Sighting, frozen=True, kw_only=True, tag="process"):
    python: str
    torch: str
    device: str
    threads: int
    world: int = 1


class ModelSeen(Sighting, frozen=True, kw_only=True, tag="model"):
    """A root model: the outermost module called with gradients enabled."""

    model: int
    name: str
    site: Site | None
    tensors: int
    elements: int
    trainable: int
    compiled: bool = False


class LoaderSeen(Sighting, frozen=True, kw_only=True, tag="loader"):
    """A DataLoader began an epoch."""

    loader: int
    epoch: int
    batches: int | None
    batch_size: int | None
    examples: int | None
    sampler: str
    site: Site | None
    shuffled_by: int | None = None
    """The epoch number from which a `DistributedSampler` makes its order."""


class LossCall(Sighting, frozen=True, kw_only=True, tag="loss-call"):
    function: str
    site: Site | None
    training: bool
    """Gradients were enabled."""
    prediction: TensorCard
    target: TensorCard | None
    value: float | None
    made_by: str | None
    """The activation whose output the prediction is, seen through reshapes: `softmax`, `sigmoid`, `log_softmax`, …"""
    made_at: Site | None = None
    class_sum_error: float | None = None
    """Largest distance of a row's sum over the classes from 1."""
    class_logsum_error: float | None = None
    """Largest distance of a row's log-sum-exp over the classes from 0."""
    target_sum_error: float | None = None
    """The same for floating-point targets used as class probabilities."""
    normalised_axis: int | None = None
    """The axis over which the prediction holds log-probabilities, where it is not that of the classes."""
    reduction: str = "mean"
    ignored: float = 0.0
    """Share of targets equal to `ignore_index`."""
    classes: tuple[int, ...] = ()
    """How often each class is the target, where there are few, and below, how often it is the answer."""
    answers: tuple[int, ...] = ()
    weighted: bool = False
    """The classes have weights."""
    lowest: float | None = None
    """The lowest class among those that are not ignored, and the highest below; None where targets are no classes."""
    highest: float | None = None


class Pairing(Sighting, frozen=True, kw_only=True, tag="pairing"):
    """An operation paired every example with every other: (N,) with (N, 1) gave (N, N), and that one number."""

    operation: str
    site: Site | None
    left: tuple[int, ...]
    right: tuple[int, ...]
    result: tuple[int, ...]
    differentiable: bool
    """One side carries gradients and the other does not: a prediction against a target."""


class Cut(Sighting, frozen=True, kw_only=True, tag="cut"):
    """The graph was cut behind a tensor that parameters had made (`detach`, `.data`, `item`, `argmax`, `numpy`)."""

    operation: str
    site: Site | None
    parameters: Some


class Attention(Sighting, frozen=True, kw_only=True, tag="attention"):
    """A call of scaled_dot_product_attention with a mask."""

    site: Site | None
    queries: int
    keys: int
    boolean: bool
    sees_past: float
    """Share of the (query, key) pairs below the diagonal that may attend."""
    sees_self: float
    sees_future: float
    blind_rows: float
    """Share of queries that may attend to nothing."""


class BackwardSeen(Sighting, frozen=True, kw_only=True, tag="backward"):
    site: Site | None
    value: float
    connected: bool
    """The root has a graph behind it that reaches at least one parameter, as far as was looked."""
    leaf: bool = False
    """The root is itself a leaf: `torch.tensor(loss, requires_grad=True)` and the like."""
    parameters: int | None = None
    """Parameter tensors reached by the graph; None where it was not walked."""
    nodes: int | None = None
    retained: bool = False
    functional: bool = False
    """Taken by `torch.func.grad`, which leaves no graph to look at."""
    eval_models: tuple[str, ...] = ()
    """Models of this backward that were in eval mode although they have dropout or batch norm."""
    scale: float = 1.0
    """GradScaler's factor in the root's value."""
    calls: int = 0
    """Root models called for it."""
    negated: float | None = None
    """Value of the single known loss of which the root is the negative."""
    averaged: bool = False
    """The root is the very result of a loss function of torch that averages, undivided."""


class ClipSeen(Sighting, frozen=True, kw_only=True, tag="clip"):
    site: Site | None
    max_norm: float
    norm: float
    fresh: bool
    """A backward had come since the last step of the optimizer that owns these gradients."""
    scaled: bool
    """The gradients still carried GradScaler's factor."""


class StepSeen(Sighting, frozen=True, kw_only=True, tag="step"):
    """One optimizer step, or, where no optimizer exists, one backward of a hand-written update."""

    optimizer: int
    """Order of first use; -1 where the program has no torch optimizer."""
    name: str
    site: Site | None
    backward_site: Site | None
    loss: float | None
    seconds: float
    """Since the first step's backward."""
    backwards: int
    closure: bool
    held: int
    """Parameter tensors the optimizer holds."""
    fresh: int
    """How many of them got a new gradient since the last step."""
    bare: bool = False
    """None of them had a gradient, and no backward had given one since the last step."""
    frozen: float = 0.0
    """Share of them that do not require one."""
    stale: int
    """How many of the fresh ones were added onto an old gradient that nobody had cleared."""
    empty: bool
    """A backward gave gradients, yet none was left (all None or zero) when the step came."""
    built: Site | None = None
    """Where the optimizer was made."""
    lr: float | None = None
    first_lr: float | None = None
    """The learning rate the optimizer was built with."""
    grad_norm: float | None = None
    weight_norm: float | None = None
    batch: str | None = None
    """Fingerprint of the inputs of the root model."""
    batch_rebuilt: bool = False
    """The inputs were new tensors, not the same object as in the step before."""
    rebuilt: int = 0
    """So many optimizers were built on the same line before it, for the same parameters, stepped, and were replaced."""
    stateful: bool = False
    """It keeps something from step to step: momentum, second moments."""
    reworked: bool | None = None
    """After several backwards the gradients were changed before the step: clipped, divided; None if not looked at."""


class HiddenModules(msgspec.Struct, frozen=True, kw_only=True):
    """Modules or parameters kept in a plain list, tuple or dict, where torch does not find them."""

    owner: str
    attribute: str
    container: str
    parameters: Some
    site: Site | None = None


class RepeatedModule(msgspec.Struct, frozen=True, kw_only=True):
    """One module with parameters that stands several times in one ModuleList or Sequential."""

    container: str
    """Its path in the model, or its class where it is the model."""
    kind: str
    module: str
    times: int
    parameters: Some
    site: Site | None = None


class Census(Sighting, frozen=True, kw_only=True, tag="census"):
    """Which parameters of a root model train, counted at milestones; the last one counts."""

    model: int
    name: str
    site: Site | None
    steps: int
    """Optimizer steps that touched this model."""
    backwards: int
    trainable: Some
    frozen: Some
    optimized: Some
    unoptimized: Some
    """Got gradients, requires them, and is in no optimizer."""
    uncalled: Some
    """No gradient ever, and the module that owns it was never called."""
    cut_off: Some
    """No gradient ever, although the owning module was called: it ran with gradients disabled, or a cut was seen."""
    wasted: Some
    """No gradient ever, though the owning module ran with gradients on and nothing cut it: its output is not used."""
    zero: Some
    """A gradient arrived at every backward and was exactly zero each time."""
    cut_site: Site | None = None
    cut_by: str | None = None
    own_code: bool = True
    """The classes that own the wasted or cut-off parameters are defined in the user's files."""
    hidden: tuple[HiddenModules, ...] = ()
    repeated: tuple[RepeatedModule, ...] = ()
    strangers: Some = Some()
    """Held by the optimizers, never given a gradient, and part of no model seen."""
    flagged: tuple[str, ...] = ()
    """Modules on which `requires_grad` was set as a plain attribute, which freezes and thaws nothing."""
    flag_site: Site | None = None


class EvaluationSeen(Sighting, frozen=True, kw_only=True, tag="evaluation"):
    """How a trained model was called without gradients, counted at milestones; the last one counts."""

    model: int
    name: str
    site: Site | None
    """The first such call in train mode."""
    phases: int
    """Several calls in a row, or one on far more examples than a training batch, with dropout or batch norm active."""
    crowded: int
    """Phases that came with hardly a step since the one before: a part of the training step, or of acting."""
    in_eval: bool
    """It was also called in eval mode."""
    alone: bool
    """No other model is trained."""


class NonFinite(Sighting, frozen=True, kw_only=True, tag="non-finite"):
    """The first NaN or infinity of its kind."""

    kind: str
    """`input`, `target`, `activation`, `loss`, `gradient` or `parameter`."""
    site: Site | None
    module: str | None = None
    operation: str | None = None
    detail: str = ""
    share: float = 0.0
    earlier: tuple[float, ...] = ()
    """The loss at the steps before."""
    scaled: bool = False
    """With a GradScaler this is expected now and then: the step is skipped."""


class Argument(msgspec.Struct, frozen=True, kw_only=True):
    """What an operation was given under one of its names."""

    name: str
    tensor: TensorCard


class BadOperation(Sighting, frozen=True, kw_only=True, tag="bad-operation"):
    """The operation that was given finite numbers and made the first one that is not, found by repeating the step."""

    phase: str
    """`forward`; `backward`, of which the operation is the one whose slope it is; `given`: it was there before."""
    operation: str
    module: str | None
    site: Site | None
    inputs: tuple[Argument, ...] = ()
    output: TensorCard | None = None
    words: str = ""
    """Why, where that is known: "`log` of 3 zero(s)"."""
    remedy: str = ""
    name: str | None = None
    """What is called that was bad before the step: a parameter, a part of the batch."""


class Replayed(Sighting, frozen=True, kw_only=True, tag="replayed"):
    """A captured step was done again."""

    precision: str
    """`original` or `float32`."""
    bad: str | None
    """What turned non-finite: `loss`, `gradient` or `weight`; None where everything stayed finite."""
    loss: float | None
    loaded: tuple[str, ...]
    """Parts of the artifact that found their place in the program."""
    fed: bool
    """The captured batch or inputs were used."""
    repro: str | None = None
    """Path of a script that shows the same with torch alone."""


class Unseen(Sighting, frozen=True, kw_only=True, tag="unseen"):
    """Something that could not be observed, and why."""

    tap: str
    reason: str


class Ending(Sighting, frozen=True, kw_only=True, tag="ending"):
    """The process let go of the program. Absent when it was killed."""

    reason: str
    """`steps`, `time`, `exit`."""
    backwards: int
    steps: int
    optimizers: tuple[str, ...] = ()
    unstepped: tuple[str, ...] = ()
    """Optimizers that were built, whose parameters got gradients, and that never stepped."""
    weights_moved: bool | None = None
    """Where no optimizer exists: whether any weight changed between two backwards."""
    held_back: tuple[str, ...] = ()


class Dependence(Sighting, frozen=True, kw_only=True, tag="dependence"):
    """What an output was found to depend on, by its gradient, in eval mode."""

    kind: str
    """`examples`: one example's output on the others' inputs; `future`: a position's on later positions; `padding`:
    examples whose output rests on their padding."""
    site: Site | None
    own: bool
    """It depends on what it should depend on."""
    others: int
    """How many of those it should not depend on."""
    of: int


class Behaviour(Sighting, frozen=True, kw_only=True, tag="behaviour"):
    """What the model does with its first batch when it is asked again. Differences are relative to the output."""

    site: Site | None
    output: TensorCard
    again: float
    """Between two calls in eval mode with the same inputs."""
    train: float
    """Between train and eval mode."""
    spread: float | None
    """Of the outputs over the examples, against their size; None for a single example."""
    louder: float | None
    """Change of the output when every floating-point input is doubled; None where there is none."""
    poisoned: int | None
    """Other examples whose output turns NaN when one example's input is NaN; None where that cannot be asked."""


class CustomGradient(Sighting, frozen=True, kw_only=True, tag="custom-gradient"):
    """A hand-written backward, given a gradient and twice that gradient."""

    name: str
    site: Site | None
    ratio: float
    """Of the two results; 2 for every backward that takes account of what it is given."""


class ColumnsDropped(Sighting, frozen=True, kw_only=True, tag="columns-dropped"):
    """Numeric columns the Hugging Face Trainer took away although the user's model takes any keyword."""

    model: str
    takes: str
    """Name of the parameter that takes further keywords."""
    columns: tuple[str, ...]
    site: Site | None


class Wrapped(Sighting, frozen=True, kw_only=True, tag="wrapped"):
    """A DistributedDataParallel wrapper, and whether training goes through it; the last record counts."""

    module: str
    site: Site | None
    """Where the module inside it is called."""
    through: int
    """Calls of the wrapper with gradients enabled."""
    beside: int
    """Calls of the module inside it, with gradients enabled, that did not come through the wrapper."""
    world: int


class NurseryOpened(Sighting, frozen=True, kw_only=True, tag="nursery"):
    """From here on experiments can be made."""

    pid: int
    engine: str = "fork"
    """How: `fork` copies the program at its first batch, `fresh` and `ray` run it again from its beginning."""
    reason: str | None = None
    """Why not by the engine tried first."""


class TimelineEnded(Sighting, frozen=True, kw_only=True, tag="timeline-ended"):
    name: str
    seconds: float
    exit_code: int | None
    """None where it did not end by itself, for taking too long or for a reason told below; negative for a signal."""
    message: str = ""
    """The last line of its error output, where it is known."""


Observed = (
    BadOperation
    | Replayed
    | Dependence
    | CustomGradient
    | Behaviour
    | ColumnsDropped
    | NurseryOpened
    | TimelineEnded
    | ProcessSeen
    | ModelSeen
    | ShapesSeen
    | LoaderSeen
    | LossCall
    | Pairing
    | Cut
    | Attention
    | BackwardSeen
    | ClipSeen
    | StepSeen
    | Census
    | EvaluationSeen
    | FeedSeen
    | WorkerSeen
    | NonFinite
    | Unseen
    | Ending
    | Movement
    | Erased
    | Wrapped
    | Units
    | Restored
    | Resumption
    | Failing
    | Symmetry
)
