"""What surrounds training: enough data, steps of the right size, schedule, checkpoint, log, invariants."""

import msgspec

from firstlight.records.declared.fact import DeclaredFact
from firstlight.records.places import Site


class Loaded(DeclaredFact, frozen=True, kw_only=True, tag="loaded"):
    """One split, read from its beginning for a while."""

    split: str
    examples: int
    """Read; of all, where it ended."""
    batches: int
    whole: bool
    """It ended: there is no more."""
    declared: int | None
    """Examples of the data set, by its own word."""
    batch_size: int | None
    dropped: int
    """Examples the loader leaves out, for a last batch that is not full."""
    parameters: int
    site: Site | None = None


class FeaturesMade(DeclaredFact, frozen=True, kw_only=True, tag="features-made"):
    """The features as computed from the declared table."""

    rows_in: int
    rows_out: int
    columns: tuple[str, ...]
    nonfinite: tuple[str, ...]
    """Columns with missing or infinite values, and so below."""
    constant: tuple[str, ...]
    worst_share: float
    repeatable: bool
    site: Site | None = None


class Along(msgspec.Struct, frozen=True, kw_only=True):
    part: float
    """Of the step."""
    loss: float


class Surface(DeclaredFact, frozen=True, kw_only=True, tag="surface"):
    """The loss on one batch along the experiment's own first step."""

    optimizer: str
    lr: float
    loss: float
    """Before the step."""
    along: tuple[Along, ...]
    """The smallest part first, the whole step last."""
    site: Site | None = None


class NoiseScale(DeclaredFact, frozen=True, kw_only=True, tag="noise-scale"):
    """The gradient's noise scale: the number of examples whose gradient is half signal and half noise."""

    batch: int
    """Examples of one batch."""
    batches: int
    """Looked at, at each moment."""
    steps: int
    """Of training between the two."""
    first: float | None
    """In examples, at the first weights; infinite where there is no signal beside the noise, None where it is not
    known."""
    later: float | None
    site: Site | None = None


class ScheduleTried(DeclaredFact, frozen=True, kw_only=True, tag="schedule-tried"):
    """The learning rate of the whole run, from a dry run of its schedule."""

    schedule: str
    every: str
    """`step`, `epoch`, or `never` for one that is made and not stepped."""
    steps: int
    """Of the optimizer, over the whole run."""
    epoch_steps: int | None
    rates: tuple[float, ...]
    """At evenly spaced steps, the first and the last among them."""
    peak_at: float
    """Share of the run at which the rate is highest."""
    spent_at: float | None
    """Share of the run from which on it stays below a thousandth of the peak."""
    known_length: bool
    """`total_steps` was declared."""
    site: Site | None = None


class RoundTrip(DeclaredFact, frozen=True, kw_only=True, tag="round-trip"):
    """A checkpoint written, read back into new objects, and used."""

    kind: str
    """`own` functions, an earlier `file`, or `plain`: state dicts by torch.save and a safe torch.load."""
    missing: tuple[str, ...]
    unexpected: tuple[str, ...]
    reshaped: tuple[str, ...]
    """Tensors whose shapes differ, with both."""
    rename: str
    """What would make the names agree, where something does."""
    output_difference: float | None
    """Of the outputs in eval mode before and after, relative."""
    next_loss_difference: float | None
    """Of the losses of the next few steps, relative."""
    lost: tuple[str, ...]
    """Pieces whose state alone explains the difference."""
    unsafe: str
    """Why it cannot be loaded without running code, where it cannot."""
    random_lost: tuple[str, ...] = ()
    """Generators that steps draw from (`torch`, `numpy`, `random`) and that loading does not bring back."""
    place_lost: bool = False
    """The loader's next batch after the reload is another one than it would have been."""
    error: str = ""
    site: Site | None = None


class LogTried(DeclaredFact, frozen=True, kw_only=True, tag="log-tried"):
    """An event written to where the run will log, and read back."""

    path: str
    written: bool
    read_back: bool
    free_bytes: int
    error: str = ""


class InvariantTried(DeclaredFact, frozen=True, kw_only=True, tag="invariant-tried"):
    """What the user said must hold, looked at on real batches."""

    name: str
    on: str
    check: str
    severity: str
    looks: int
    broken: int
    first: str
    """What was there instead, the first time."""
    missing: str = ""
    """Why it could not be looked at."""
    step: int | None = None
    """Of the look, in a live run."""
    site: Site | None = None
