"""What a model makes of the same inputs, moved: another place in the batch, another size, another order."""

import msgspec

from firstlight.records.places import Site
from firstlight.records.sighting import Sighting


class Straight(msgspec.Struct, frozen=True, kw_only=True):
    """How far the model is from a straight line in its floating-point inputs."""

    bend: float
    """Relative to what the inputs change of the output at all."""
    first: str
    """Two layers with weights, the second of which works on what the first made; and the width between them."""
    second: str
    width: int
    least: int
    """The smaller of what goes into the first and comes out of the second."""


class Order(msgspec.Struct, frozen=True, kw_only=True):
    """Two tokens of a sequence exchanged in every row of a model that attends to itself."""

    layer: str
    """The table that the tokens are looked up in, and the line that does so."""
    site: Site | None = None
    swapped: float
    """Relative change of the output; of its later places, where it has one for each token."""
    replaced: float
    """The same with one of the two tokens made the other: what a token matters at all."""


class Symmetry(Sighting, frozen=True, kw_only=True, tag="symmetry"):
    """The model, in eval mode, on its first batch. None where a question does not apply."""

    site: Site | None
    again: float
    """Relative difference of two calls with the same inputs."""
    placed: float | None = None
    """Relative difference of each example's output when the examples change places."""
    straight: Straight | None = None
    order: Order | None = None
