"""What all facts of a live run share."""

import msgspec


class LiveFact(msgspec.Struct, frozen=True, kw_only=True):
    rank: int = 0
    optimizer: int = 0
    step: int = 0
    """The last it knows."""
