"""What a copy of a program that was steered through other rates or other weights saw on its way."""

import msgspec

from firstlight.records.sighting import Sighting


class GroupRate(msgspec.Struct, frozen=True, kw_only=True):
    """One parameter group of an optimizer."""

    rate: float
    """As the program means it: the peak of a schedule, where it has one."""
    tensors: int
    elements: int


class RatesSeen(Sighting, frozen=True, kw_only=True, tag="rates"):
    """The learning rates of one optimizer when its first step began."""

    optimizer: str
    groups: tuple[GroupRate, ...]
