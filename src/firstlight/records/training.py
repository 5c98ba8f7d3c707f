"""What a training step was seen to do: losses, backwards, clipping, optimizer steps; and evaluations between."""

import msgspec

from firstlight.records.places import Site
from firstlight.records.sighting import Sighting, Some, TensorCard


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
    reduction: str = "mean"
    ignored: float = 0.0
    """Share of targets equal to `ignore_index`."""
    classes: tuple[int, ...] = ()
    """How often each class is the target, where there are few, and below, how often it is the answer."""
    answers: tuple[int, ...] = ()
    weighted: bool = False
    """The classes have weights."""
    counts: tuple[float, ...] = ()
    """How often each class is the target, where they have weights and are few, and below, times its weight."""
    weighed: tuple[float, ...] = ()
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
    sees_past: float
    """Share of the (query, key) pairs below the diagonal that may attend."""
    sees_future: float


class KeysMasked(Sighting, frozen=True, kw_only=True, tag="keys-masked"):
    """An attention mask with a row for each example, beside the ids that the model was given."""

    site: Site | None
    examples: int
    kept: int
    """Different ids in the places that may be looked at, and below, in those that may not."""
    blocked: int


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
    terms: int | None = None
    """Numbers that were added up to it, one after the other; None where it was not looked at."""
    within_step: bool = False
    """Called by the closure of an optimizer's step."""
    averages: float | None = None
    """So many times the result of a loss function of torch that averages; None where the root is no such product."""


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
    by_hand: bool = False
    """That rate is neither the one it was built with nor the last one that a schedule gave it."""
    first_lr: float | None = None
    """The learning rate the optimizer was built with."""
    grad_norm: float | None = None
    weight_norm: float | None = None
    batch: str | None = None
    """Fingerprint of the inputs of the root model."""
    batch_rebuilt: bool = False
    """Most of what was fed was in new tensors, not in the same memory as in the step before."""
    answers_kept: bool = False
    """The answers were in the same memory as for the backward before: all there is, not fetched again."""
    rebuilt: int = 0
    """So many optimizers were built on the same line before it, for the same parameters, stepped, and were replaced."""
    stateful: bool = False
    """It keeps something from step to step: momentum, second moments."""
    forgotten: int = 0
    """Times so far that what it kept was gone when its next step came."""
    reworked: bool | None = None
    """After several backwards the gradients were changed before the step: clipped, divided; None if not looked at."""


class EvalDropping(msgspec.Struct, frozen=True, kw_only=True):
    """What was dropped within a model that was in eval mode throughout."""

    operation: str
    """The call that drops, and where."""
    site: Site | None
    calls: int
    """Of the model, in which it did."""
    probability: float
    apart: float
    """By how much two results of that call for the same input differ, as a part of them."""
    resampled: bool
    """The same was given again before the next step, or many times in one batch: it is sampled."""


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
    dropping: EvalDropping | None = None
    """In eval mode."""
    scored: int = 0
    """Answers that it gave in train mode and that were held against targets, in a rehearsal."""
    scored_at_end: int = 0
    """Those of them after the last step, where the rehearsal came to the last line; and below where."""
    scored_site: Site | None = None
