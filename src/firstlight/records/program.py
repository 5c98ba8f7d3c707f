"""The program under observation: its process, models, loaders and wrappers, and how its observation ended."""

import msgspec

from firstlight.records.places import Site
from firstlight.records.sighting import Sighting


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


class Waiting(Sighting, frozen=True, kw_only=True, tag="waiting"):
    """The training loader, batch by batch, each with a step since the one before; the last record counts."""

    site: Site | None
    """Where it is read."""
    dataset: str
    workers: int
    batches: int
    waited: float
    """Seconds in which nothing but loading was done."""
    elapsed: float
    """Seconds from batch to batch, the waiting included."""


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


class ColumnsDropped(Sighting, frozen=True, kw_only=True, tag="columns-dropped"):
    """Numeric columns the Hugging Face Trainer took away although the user's model takes any keyword."""

    model: str
    takes: str
    """Name of the parameter that takes further keywords."""
    columns: tuple[str, ...]
    site: Site | None


class FitSeen(Sighting, frozen=True, kw_only=True, tag="fit"):
    """A fit of a scikit-learn transformer that evaluated rows went through; the last account of each counts."""

    number: int
    name: str
    """Of its class."""
    site: Site | None
    answers: bool
    """It looks at them: with others, it gives another table."""
    fitted: int
    """Different rows, and so below."""
    inside: int
    """Evaluated and not trained on, and among those it was fitted on."""
    outside: int
    """Evaluated and not trained on, gone through it, and not among them."""


class CodesSeen(Sighting, frozen=True, kw_only=True, tag="codes"):
    """A column of codes that a model is evaluated on, of another call than those it is trained on."""

    given: str
    """The input, and below, the column of it."""
    column: int
    how: str
    """What gave the codes, and below, its line, and that of the call for the training examples."""
    site: Site | None
    trained_site: Site | None
    rows: int
    """Evaluated, and below, those whose category has another code in training."""
    moved: int
    kinds: int
    """Categories that both calls know."""
    example: str
    """The most frequent of those categories, and below, its code in training and in evaluation."""
    here: int
    there: int


class Unseen(Sighting, frozen=True, kw_only=True, tag="unseen"):
    """Something that could not be observed, and why."""

    tap: str
    reason: str


class Swallowed(msgspec.Struct, frozen=True, kw_only=True):
    """An exception that was raised after a backward, no step having followed, in a program that went on."""

    error: str
    site: Site | None
    times: int
    looks: int
    """Backwards after which exceptions were looked for."""


class Ending(Sighting, frozen=True, kw_only=True, tag="ending"):
    """The process let go of the program. Absent when it was killed."""

    reason: str
    """`steps`, `time`, `exit`."""
    backwards: int
    steps: int
    optimizers: tuple[str, ...] = ()
    unstepped: dict[str, int]
    """Optimizers that were built, whose parameters got gradients by so many backwards, and that never stepped."""
    unused: dict[str, tuple[int, int]]
    """By optimizer: backwards whose gradients were cleared before a step used them, and steps."""
    swallowed: Swallowed | None = None
    weights_moved: bool | None = None
    """Where no optimizer exists: whether any weight changed between two backwards."""
    held_back: tuple[str, ...] = ()
    held_back_count: int = 0
    """Of them all: the names are the first few."""
