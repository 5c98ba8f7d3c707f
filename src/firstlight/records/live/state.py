"""What is read besides gradients and weights: the memory of the optimizer, the labels, the room on the disk."""

import msgspec

from firstlight.records.live.fact import LiveFact


class MomentState(msgspec.Struct, frozen=True, kw_only=True):
    """One weight matrix and what Adam remembers of its gradients, on a sample of its elements."""

    name: str
    pace: float
    """Root mean square of the gradient over what Adam divides it by, a median of the last three looks; 1 is usual."""
    drowned: float
    """Share of the elements that have a memory for which epsilon is a good part of the divisor, likewise."""
    zeros: float
    """Share of its gradient that is exactly zero."""


class MomentTrack(LiveFact, frozen=True, kw_only=True):
    """The second moments of an optimizer of Adam's kind."""

    looks: int
    beta: float
    """How much of the memory is kept from step to step; the lowest of the groups'."""
    epsilon: float
    """The largest of the groups'."""
    tensors: tuple[MomentState, ...]
    remaining: float
    """Level of the loss over its start; 1 where nothing was learnt yet or nothing is known."""
    falling: float
    """Share by which the loss has come down within the last 128 steps; below 0 where it has risen."""


class LabelTrack(LiveFact, frozen=True, kw_only=True):
    """The classes among the targets, as the loader gave them."""

    batches: int
    classes: int
    apart: float
    """Of the last fifty batches: the share of labels that would have to be others to look like all before."""
    chance: float
    """How likely so large a difference is if labels come in random order."""
    alone: float
    """Share of the last fifty batches that held one class only."""
    commonest: int
    """The class that is most over its usual share."""


class InputTrack(LiveFact, frozen=True, kw_only=True):
    """How large the numbers of the inputs are: root mean squares of samples of the batches."""

    batches: int
    usual: float
    """Of the last 128 batches but the very last eight, as a median."""
    least: float
    """Of those eight."""
    most: float


class RoomTrack(LiveFact, frozen=True, kw_only=True):
    """The disk that holds the run."""

    free: float
    """In bytes."""
    checkpoint: float
    """Bytes of all weights, buffers and optimizer state."""
    path: str


class OrderTrack(LiveFact, frozen=True, kw_only=True):
    """A loader that gives the same batches in the same order, over the last three epochs."""

    batches: int
    """Of an epoch."""
    swing: float
    """Between the best and the worst eighth of an epoch, over the level of the loss."""
    alike: float
    """How much the course within an epoch is that of the others, as the least of their rank correlations."""
