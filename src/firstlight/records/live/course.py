"""Windows over the steps of one optimizer, as far as it has come. Levels are medians."""

import math

import msgspec

from firstlight.records.live.fact import LiveFact


class Turned(LiveFact, frozen=True, kw_only=True):
    """The first NaN or infinity of a run that was finite before."""

    kind: str
    """`loss`, `gradient` or `weight`; where several turned at one step, the one nearest to the cause. Or
    `evaluation`: a loss that the program told of."""
    name: str | None
    """The parameter, where the loss was still finite: the one nearest to the loss."""
    bad: int
    """Tensors with a NaN or an infinity at that step, of the same kind."""
    tensors: int
    lr: float | None
    earlier: tuple[float, ...]
    """The last losses before it."""
    norms: tuple[float, ...]
    """The last gradient norms before it."""
    module: str | None = None
    """For a loss: the module in or after which the first bad number of its graph was seen."""
    origin: str = ""
    """How that number came about, in words."""
    masked: bool = False
    """It is a mean over no targets at all: every one is the ignored index."""
    fed: int = 0
    """For a loss: values of the batch, or of a target, that are not finite."""
    holding: str = ""
    """Where in the batch they are, in words: "`1` in row 5 of 16"."""
    half: bool = False
    """For a loss: numbers left the range of half precision."""
    evaluation: str = ""
    """The name under which it was told."""
    leapt_at: int | None = None
    """The step at which the gradients had leapt, where they had not come back."""


class LossTrack(LiveFact, frozen=True, kw_only=True):
    """The loss an optimizer was driven by."""

    steps: int
    """Losses seen."""
    start: float
    """Level of the first sixteen."""
    best: float
    """The lowest stretch so far."""
    level: float
    """Of the last sixteen."""
    noise: float
    """Spread of the last 128 about their own course."""
    trend: tuple[float, ...]
    """Means of equal stretches over the last 128 losses, oldest first."""
    rising: float
    """How likely so clear a rise over those stretches is by chance."""
    flips: float
    """Share of the last 128 differences that change sign."""
    same: int
    """The last so many losses are equal to the bit."""
    spikes: int
    """Single losses of the last thousand that stood far above their neighbours and above the start, and came back;
    without those whose gradient was clipped."""
    spiked_at: tuple[int, ...] = ()
    """Their steps."""
    since_best: int
    """Steps since the lowest stretch."""
    positive: bool
    """No loss was below zero."""
    negated: str | None = None
    """The loss function whose negative is trained on: one that is never below zero itself."""
    rivals: int
    """Optimizers that step in this run; with several, losses pull against each other."""
    fed: bool
    """A loader feeds the run: the loss is over data, and meant to fall."""
    warming: bool
    """The learning rate rose within the last 128 steps."""
    lr_share: float = 1.0
    """The learning rate over the highest it had."""


class GradientTrack(LiveFact, frozen=True, kw_only=True):
    """The norm of all gradients, before clipping where the program clips."""

    steps: int
    start: float
    usual: float
    """Level of the last 128 but the very last five."""
    level: float
    """Of the last five."""
    piled: int
    """The last so many steps added onto gradients that nobody had cleared since the step before."""
    warming: bool
    module: str | None = None
    """Where most of the norm is now."""
    leapt_at: int | None = None
    """The step at which the norm leapt to where it is, if it did so at once."""
    leapt_to: float = 0.0


class TensorState(msgspec.Struct, frozen=True, kw_only=True):
    """One parameter over the looks at it, each some steps after the other."""

    name: str
    matrix: bool
    """Of two or more dimensions: biases and gains follow other rules."""
    half: bool
    """Kept in 16 bits."""
    grad_start: float
    grad_now: float
    weight_start: float
    weight_now: float
    update_now: float
    """Length of an update over that of the weight; NaN until there were two looks."""
    still: int
    """The last so many looks found not one sampled element moved."""
    mute: int
    """The last so many looks found a gradient of exactly zero."""
    gone: int
    """The last so many looks found no gradient at all, after there had been one, though one is asked for."""
    absent: float = 0.0
    """How often a look before those found none, a little on the high side: layers may be left out at random."""
    lr: float | None = None
    grad_zeros: float = 0.0
    """Share of its gradient that is exactly zero: rows of an embedding that do not occur."""


class TensorTrack(LiveFact, frozen=True, kw_only=True):
    """All parameters of an optimizer."""

    looks: int
    tensors: tuple[TensorState, ...]
    remaining: float
    """Level of the loss over its start; 1 where nothing was learnt yet or nothing is known."""
    lr_share: float = 1.0


class RateTrack(LiveFact, frozen=True, kw_only=True):
    """The learning rate."""

    now: float
    highest: float
    """Before this step."""
    jump: float
    """The last upward jump: the rate over the highest before it, in one step; 1 where there was none."""
    jumped_at: int
    zero: int
    """The last so many steps had a rate of zero, after it had not been."""
    steps: int


class ClipTrack(LiveFact, frozen=True, kw_only=True):
    """Clipping by norm over the last 256 steps."""

    steps: int
    engaged: float
    """Share of those steps at which gradients were cut."""
    coefficient: float
    """What a gradient was multiplied with, as a median."""
    usual: float
    """The 90th percentile of the norms before clipping."""
    limit: float
    adaptive: bool
    """The optimizer divides by the size of the gradients (Adam and its like), and hardly notices."""


class ScaleTrack(LiveFact, frozen=True, kw_only=True):
    """A loss scaler at work."""

    steps: int
    """Including those left out."""
    skipped: float
    """Share of the last 500 steps that were left out."""
    scale: float | None
    scheduled: int = 0
    """Steps left out after which the learning rate moved on nevertheless."""


class FeedTrack(LiveFact, frozen=True, kw_only=True):
    """What the loader gave, by fingerprint."""

    steps: int
    distinct: int
    """Different batches among the first hundred."""
    same: int
    """The last so many steps were fed the same batch."""
    wait_share: float
    """Of the step's time, waiting for a batch; a median over 100 steps."""
    step_s: float
    """What a step takes when nothing else holds the machine: a tenth of those 100 were no longer."""
    on_device: bool = False
    """It is an accelerator that waits."""


class PaceTrack(LiveFact, frozen=True, kw_only=True):
    """Time and memory."""

    steps: int
    start_s: float
    level_s: float
    """Of the last 128 steps."""
    samples: int
    """Measurements of memory."""
    memory_start: float
    """In bytes, where the run had settled."""
    memory_now: float
    memory_rising: float
    """How likely so steady a rise is by chance."""
    stutters: int = 0
    """Steps of the last thousand that took five times the usual time and more; none where they come in a rhythm."""
    stutters_s: float = 0.0
    """Seconds that were lost by them."""


class ModuleState(msgspec.Struct, frozen=True, kw_only=True):
    """The outputs of one module over the sampled steps."""

    name: str
    kind: str
    looks: int
    dead: float
    """Share of its units that were zero for every example, at each of the last three looks; the least of them."""
    saturated: float
    """Share of outputs at the flat ends of the function, likewise."""
    saturated_start: float
    rms_start: float
    rms_now: float
    absmax: float
    half: bool


class ActivationTrack(LiveFact, frozen=True, kw_only=True):
    looks: int
    modules: tuple[ModuleState, ...]


class PredictionTrack(LiveFact, frozen=True, kw_only=True):
    """Predictions on a fixed batch, look by look."""

    looks: int
    classes: int
    """0 for a regression."""
    top_share: float
    """Share of the commonest predicted class, as the least of the last five looks."""
    true_share: float
    """Of the commonest class in the targets, or of the first predictions where there are none."""
    spread: float
    """Of the outputs over the batch, over its value at the start."""
    flips: float
    """Share of predictions that changed from look to look, a median of the last five."""
    confidence: float
    remaining: float
    score_level: float = 0.0
    """Size of the logarithm of what a softmax divides by, over the batch; 0 for a regression."""
    score_rising: float = 1.0
    """How likely so steady a rise of it over the last sixteen looks is by chance."""


class Resumed(LiveFact, frozen=True, kw_only=True):
    """An optimizer was given the state of an earlier run."""

    name: str
    parameters: int
    """Of those it holds, the ones that are trained."""
    without_state: int
    mismatched: int
    """Whose state has another shape than the parameter."""
    first: str | None = None
    momentum: float = math.nan
    """At the first step after it: the momentum that was loaded, over what the gradients there account for."""


class RankTrack(LiveFact, frozen=True, kw_only=True):
    """The weights of all ranks at one sampled step."""

    world: int
    looks: int
    first: float
    """How far the ranks lay apart at the first look: the largest difference in a weight's length, relative to it."""
    apart: float
    looks_apart: int
    """The last so many looks found any difference."""
    name: str | None
    """The weight that differs most."""
    wrapped: bool
    """A model is inside DistributedDataParallel, which promises the same weights everywhere."""
