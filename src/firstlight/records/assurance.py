"""What a verdict is worth: the evidence that the program learns, can learn, and was seen whole."""

import msgspec


class Learns(msgspec.Struct, frozen=True, kw_only=True):
    status: str
    """`certified`, `no-sign` or `not-certified`; the last says nothing about the program."""
    reason: str = ""
    first: float | None = None
    last: float | None = None
    without_inputs: float | None = None
    """What a copy reaches that cannot know which answer belongs to which input."""
    guess: float | None = None
    """What the best answer gets that is one and the same for all examples, on the last batch it was sought for."""
    steps: int = 0


class ByHeart(msgspec.Struct, frozen=True, kw_only=True):
    """One batch, repeated: the loss it began with, and the one it came to."""

    first: float
    last: float
    steps: int


class Beside(msgspec.Struct, frozen=True, kw_only=True):
    """How well the program foretells its answers, beside a plain fit to a few hundred of its examples.

    0 is what one answer for all examples gets, 1 is never wrong.
    """

    own: float
    plain: float
    rows: int
    """Examples of the plain fit."""
    step: int
    """When the program's own was last measured."""


class Returns(msgspec.Struct, frozen=True, kw_only=True):
    """Mean sums of rewards of a policy's first episodes, and of the last quarter of them."""

    first: float
    last: float
    episodes: int
    to_end: bool
    """Of the whole run."""
    risen: bool = False
    """By far more than they differ by chance."""


class Rehearsed(msgspec.Struct, frozen=True, kw_only=True):
    """The whole program, shortened."""

    reached_end: bool
    stopped_at: str | None = None
    seconds: float = 0.0
    epochs: int = 0
    evaluations: int = 0
    checkpoints: int = 0
    why: str = ""
    """What stopped it, where it did not reach the end."""
    by_shortening: bool = False
    """What stopped it may come from having been shortened."""
    full_seconds: float | None = None
    """What the whole program is expected to take."""
    written: int = 0
    """Bytes of the files it wrote."""
    full_bytes: int | None = None
    """Bytes the whole program is expected to write."""
    peak_bytes: int = 0
    """Of memory."""
    curves: dict[str, tuple[float, ...]] = {}
    """Numbers the program tells of itself, by name: given to a tracker, or printed."""


class Assurance(msgspec.Struct, frozen=True, kw_only=True):
    learns: Learns | None = None
    by_heart: ByHeart | None = None
    beside: Beside | None = None
    returns: Returns | None = None
    rehearsal: Rehearsed | None = None
    sensitivity: dict[str, float] = {}
    """For each flow, the share of the faults planted in this program that are noticed."""
