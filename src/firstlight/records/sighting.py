"""What every sighting is made of."""

from typing import ClassVar

import msgspec

UNTOLD = -1


class Sighting(msgspec.Struct, frozen=True, kw_only=True, tag_field="fact"):
    """Every sighting knows its step and its rank; where none are told, the observer writes those it is at."""

    step: int = UNTOLD
    rank: int = 0


class TensorCard(msgspec.Struct, frozen=True, kw_only=True):
    shape: tuple[int, ...]
    dtype: str
    low: float = 0.0
    high: float = 0.0
    mean: float = 0.0
    std: float = 0.0
    nonfinite: int = 0


class Some(msgspec.Struct, frozen=True, kw_only=True):
    """A set of parameter tensors: how many, how large, and the first few by name."""

    MOST_NAMES: ClassVar[int] = 6

    tensors: int = 0
    elements: int = 0
    names: tuple[str, ...] = ()
