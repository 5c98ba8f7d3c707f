"""What the ranks of a program have in common, and what they should have."""

import msgspec

from firstlight.records.places import Site


class Ranks(msgspec.Struct, frozen=True, kw_only=True):
    """The ranks of one program, step by step against each other."""

    world: int
    """Ranks that were observed."""
    site: Site | None
    """Where the model is called in training."""
    loader_site: Site | None
    """Where the training loader is read, if there is one."""
    optimizer_site: Site | None
    wrapped: bool
    """Some model is inside DistributedDataParallel."""
    compared: int
    """Steps whose inputs were compared."""
    same_batch: int
    """Of them, those at which all ranks were fed the same values."""
    examples: int
    """Trained on by the rank that saw the fewest, until one came back."""
    common: float
    """Share of the examples of all ranks, each until one came back, that every rank had."""
    apart: tuple[float, ...]
    """How far the norms of the weights lie apart, relative to the largest, at each step at which all are known."""


class DistributedOrder(msgspec.Struct, frozen=True, kw_only=True):
    """The epoch numbers from which a loader's `DistributedSampler` made its order, pass by pass."""

    rank: int = 0
    site: Site | None
    epochs: tuple[int, ...]
