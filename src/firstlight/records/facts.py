"""What checks judge. Each is complete in itself: a check never needs a second one.

Derived in `facts/` from what the observers streamed; some sightings (`Census`, `Attention`) are judged as they are.
"""

import statistics

import msgspec

from firstlight.records.inner import Movement, Touched
from firstlight.records.nonfinite import Argument
from firstlight.records.places import Site
from firstlight.records.program import Swallowed
from firstlight.records.sighting import TensorCard


class Ranked(msgspec.Struct, frozen=True, kw_only=True):
    """Every fact belongs to a rank."""

    rank: int = 0


class Labels(msgspec.Struct, frozen=True, kw_only=True):
    """The class targets of one call of a loss function: one target an example."""

    step: int
    examples: int
    low: float
    high: float


class LossSite(Ranked, frozen=True, kw_only=True):
    """All observed training calls of one loss function on one line."""

    function: str
    site: Site | None
    calls: int
    first_step: int
    prediction: TensorCard
    """Shape and type of the first call; the range is that of all calls."""
    target: TensorCard | None
    made_by: str | None
    """The activation that made the prediction, where it was the same at every call."""
    made_at: Site | None
    class_sum_error: float | None
    """The largest over all calls, and so below."""
    class_logsum_error: float | None
    target_sum_error: float | None
    most_ignored: float
    least_ignored: float
    reduction: str = "mean"
    first_value: float | None = None
    """The mean loss of its first calls."""
    began: TensorCard | None = None
    """The prediction of its first call alone."""
    labels: tuple[Labels, ...] = ()
    """Call by call, where the targets are classes and each step has one call."""
    most_classes: int | None = None
    """The longest class axis of all calls; None where the scores have none."""
    classes: tuple[int, ...] = ()
    """How often each class was the target."""
    answers: tuple[int, ...] = ()
    """How often it was the model's answer, in the last calls."""
    answered_step: int = 0
    weighted: bool = False
    counts: tuple[float, ...] = ()
    """How often each class was the target, where the loss was given weights, and below, times its weight."""
    weighed: tuple[float, ...] = ()
    lowest: float | None = None
    """Of all classes asked for, ignored ones left out; and the highest below."""
    highest: float | None = None


class ShapeClash(Ranked, frozen=True, kw_only=True):
    """Two tensors of different shapes were broadcast against each other and the result reduced to one number."""

    operation: str
    site: Site | None
    left: tuple[int, ...]
    right: tuple[int, ...]
    result: tuple[int, ...]
    in_loss: bool
    """Gradients flow through it; otherwise it is a measurement."""
    times: int
    first_step: int


class StepOrder(Ranked, frozen=True, kw_only=True):
    """The order of clearing, backward and step, over all steps of one optimizer."""

    optimizer: str
    site: Site | None
    backward_site: Site | None
    steps: int
    piled_up: int
    """Steps whose gradients were added onto those of the step before."""
    longest_pile: int
    """The most such steps in a row."""
    bare: int = 0
    """Steps at which no parameter had a gradient, and no backward had given one."""
    frozen: float = 0.0
    """Share of the parameters that did not require one, at those steps."""
    gone: int
    """Steps at which no gradient was left although a backward had made some."""
    longest_gone: int
    first_grad_norm: float | None
    last_grad_norm: float | None
    rehearsed: bool = False
    """Seen in a rehearsal, whose loops make a few rounds only."""


class Stepping(Ranked, frozen=True, kw_only=True):
    """Whether backwards led to steps at all."""

    backwards: int
    steps: int
    optimizers: tuple[str, ...]
    unstepped: dict[str, int]
    """Optimizers that never stepped, and how many backwards gave gradients to each."""
    unused: dict[str, tuple[int, int]]
    """By optimizer: backwards whose gradients were cleared before a step used them, and steps."""
    weights_moved: bool | None
    backward_site: Site | None
    swallowed: Swallowed | None = None
    gathered: int = 0
    """Backwards that no closure of a step called."""
    finished: bool = False
    """The program came to its own end: more steps will not follow."""
    whole_epochs: int = 0
    """Examples in the one batch that is a whole epoch of the training loader; 0 where it has several."""
    skipped: Site | None = None
    """The condition on computed values behind which all steps after these backwards stand, where the source has one."""
    gathering: Site | None = None
    """The same where it counts rounds: gradients of several are to be gathered for a step."""


class LossRoot(Ranked, frozen=True, kw_only=True):
    """All backwards called on one line."""

    site: Site | None
    backwards: int
    first_step: int
    cut: int
    """Those whose loss had no graph behind it."""
    leaves: int
    """Those called on a tensor made anew with `requires_grad=True`."""
    cut_by: str | None = None
    cut_at: Site | None = None


class Mode(Ranked, frozen=True, kw_only=True):
    """Train or eval mode of the models behind the backwards of one line."""

    site: Site | None
    models: tuple[str, ...]
    backwards: int
    in_eval: int


class LossCurve(Ranked, frozen=True, kw_only=True):
    """The values on which backward was called on one line, in order."""

    site: Site | None
    optimizers: int
    values: tuple[float, ...]
    weight_norms: tuple[float, ...]
    lr: float | None
    lr_site: Site | None = None
    """Where the optimizer was made."""


class FirstBad(Ranked, frozen=True, kw_only=True):
    """The first NaN or infinity of the run, and what came before it."""

    kind: str
    step: int
    site: Site | None
    module: str | None
    operation: str | None
    detail: str
    share: float
    earlier: tuple[float, ...]
    """The losses before it."""
    lr: float | None
    lr_site: Site | None = None
    """Where the optimizer was made."""
    inputs: tuple[Argument, ...] = ()
    """What the operation was given, where the step was repeated to find it."""
    remedy: str = ""
    in_float32: float | None = None
    """The loss of the same step done again in float32, where everything is finite there."""


class ClipOrder(Ranked, frozen=True, kw_only=True):
    """All clippings on one line."""

    site: Site | None
    times: int
    first_step: int
    late: int
    """After the step, with no backward in between: they clip gradients already used."""
    scaled: int
    """On gradients still multiplied by the loss scale."""
    max_norm: float
    median_norm: float


class Rate(Ranked, frozen=True, kw_only=True):
    """The learning rate of one optimizer, step by step, with the length of an epoch."""

    optimizer: str
    site: Site | None
    first_lr: float | None
    lrs: tuple[float, ...]
    epoch_steps: int | None
    """Steps from the beginning of an epoch of the training loader to the next."""
    by_hand: bool = False
    """At no step was it what the optimizer was built with, or what a schedule had given it."""


class Rebuilding(Ranked, frozen=True, kw_only=True):
    """The optimizers that were built on one line."""

    optimizer: str
    site: Site | None
    times: int
    """It was built again for the same parameters, the one before having stepped, and the weights left as they were."""
    lives: tuple[int, ...]
    """Steps of each, in order."""
    forgotten: int = 0
    """Times that the state of one of them was emptied between two of its steps."""
    stateful: bool
    closure: bool
    model: str = ""
    """The model that was built anew with it, where its weights are others each time."""
    given_up: tuple[int, ...] = ()
    """In a rehearsal, steps of each such model that was let go of before anybody had asked, read or kept it."""
    used: int = 0
    """Others of them, the last one included."""


class Accumulation(Ranked, frozen=True, kw_only=True):
    """Backwards for one step, on one line."""

    site: Site | None
    optimizer: str | None
    """None where steps are not made by one optimizer alone."""
    backwards: tuple[int, ...]
    """For each step."""
    averages: float | None
    """Each was called on so many times the result of a loss function that averages over its batch; None where one was
    called on something else."""
    separate: bool
    """Each had a call of the model of its own, and no other line calls backward."""
    untouched: int
    """Steps at which the summed gradients were looked at and nobody had clipped or divided them."""
    reworked: int
    closure: bool
    loaders: int
    """Loaders being read when training began: several may be several tasks."""


class Feeding(Ranked, frozen=True, kw_only=True):
    """Whether the model is fed something new at each step."""

    site: Site | None
    steps: int
    compared: int
    longest_repeat: int
    """The most steps in a row fed the same values in newly made tensors."""
    one_batch_epochs: bool
    """The loader has a single batch, or all that there is is fed at once: every step is a whole epoch."""


class Passes(Ranked, frozen=True, kw_only=True):
    """The first steps of the second pass over the training data, beside those of the first."""

    site: Site | None
    compared: int
    equal: int
    """Fed the same values."""


class WorkerStream(Ranked, frozen=True, kw_only=True):
    """One random stream that the examples of loader workers draw from."""

    name: str
    dataset: str
    workers: int
    alike: int
    """Workers in which it began in the same state, the most of any state."""
    site: Site | None = None


class GraphSize(Ranked, frozen=True, kw_only=True):
    """Nodes of the graph behind successive backwards on one line."""

    site: Site | None
    nodes: tuple[int, ...]
    retained: bool


class LossTerms(Ranked, frozen=True, kw_only=True):
    """Several loss functions whose plain sum is what backward is called on."""

    site: Site | None
    """Of the backward."""
    steps: int
    names: tuple[str, ...]
    """Function and line, the smallest first."""
    values: tuple[float, ...]
    """Medians over the steps observed in full, in the same order."""


class Motion(Ranked, frozen=True, kw_only=True):
    """How the parameters of one optimizer move, at the steps that were looked at."""

    optimizer: str
    site: Site | None
    settings: dict[str, float]
    looks: tuple[Movement, ...]
    """In order."""
    fell: float | None
    """Share of its first value that the loss had lost at the last look; None where it is not known."""
    answered: bool
    """The loss falls as predictions come nearer to their answers: what is trained on is to fall."""


class Handling(Ranked, frozen=True, kw_only=True):
    """What was done to the weights of one optimizer between its steps."""

    optimizer: str
    site: Site | None
    steps: int
    touches: tuple[Touched, ...]
    optimizers: int = 1
    """That stepped."""

    @property
    def restored(self) -> bool:
        """Every time to what they were at first: the tasks of an inner loop begin from what an outer one moves."""
        return all(one.restored for one in self.touches)

    @property
    def undone(self) -> float:
        """Share of the elements moved by a step that rounding puts back; 0 where most touches are no rounding."""
        rounded = [one.undone for one in self.touches if one.format]
        return statistics.median(rounded) if rounded and 2 * len(rounded) >= len(self.touches) else 0.0

    def median(self, name: str) -> float:
        """Of a measure of all touches."""
        found: float = statistics.median(getattr(one, name) for one in self.touches)
        return found


class Precision(Ranked, frozen=True, kw_only=True):
    """The number formats of a program that computes in fewer bits."""

    site: Site | None
    """Where the loss is taken."""
    scores: str
    """Type of the predictions."""
    weights: str
    scaled: bool
    """A GradScaler multiplies the loss."""
    still: float
    """Share of the elements with a gradient that a step left as they were, in the median tensor."""


class ScriptOutcome(Ranked, frozen=True, kw_only=True):
    """How the script's process ended, as seen from outside."""

    ended: str
    """`stopped` by us, `finished` by itself, `crashed`, `killed` by a signal, `silent` (no step in the time given),
    `refused` a write by the floor and crashed, or `faulted`: by us, because it runs without us."""
    exit_code: int | None
    seconds: float
    backwards: int
    steps: int
    message: str
    """The last line of its error output, for a crash."""
    site: Site | None
    wants_input: bool = False


class CheckCrash(Ranked, frozen=True, kw_only=True):
    """A check of ours that failed."""

    check: str
    error: str
