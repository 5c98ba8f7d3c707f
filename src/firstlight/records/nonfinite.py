"""The first NaN or infinity, and the operation that made it."""

import msgspec

from firstlight.records.places import Site
from firstlight.records.sighting import Sighting, TensorCard


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
    row: int | None = None
    """The first row of what it made that is not finite, where others are: most often the number of an example."""
    rows: int = 0


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
    outliers: str = ""
    """Which rows of the captured batch are far larger than the others, in words."""
