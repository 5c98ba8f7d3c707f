"""What the layers of a model do with one real batch."""

import msgspec

from firstlight.records.declared.fact import DeclaredFact
from firstlight.records.places import Site


class WeightGradient(msgspec.Struct, frozen=True, kw_only=True):
    """One weight matrix or kernel, in the order of the forward pass."""

    name: str
    weight: float
    """Root mean square, and so below."""
    gradient: float


class GradientProfile(DeclaredFact, frozen=True, kw_only=True, tag="gradient-profile"):
    """Gradients along the depth of the model, at the first step and after a few."""

    model: str
    weights: tuple[WeightGradient, ...]
    total_norm: float
    most_norm: float
    most_name: str
    zero_after_steps: tuple[str, ...]
    """Tensors whose gradient is exactly zero at every look after real steps; zero at the first is common."""
    tensors: int
    loss: float
    site: Site | None = None


class UnitGroup(msgspec.Struct, frozen=True, kw_only=True):
    """The outputs of one activation on one batch."""

    name: str
    kind: str
    units: int
    saturated: float
    """Share of values at the flat ends."""
    std: float


class Activations(DeclaredFact, frozen=True, kw_only=True, tag="activations"):
    model: str
    groups: tuple[UnitGroup, ...]
    site: Site | None = None


class WeightGroup(msgspec.Struct, frozen=True, kw_only=True):
    name: str
    shape: tuple[int, ...]
    std: float
    nearest: str
    """The usual initialisation that comes closest."""
    ratio: float
    """Of the spread to that of the nearest."""
    equal_rows: bool
    last: bool
    """Nothing but this layer's own output follows: zeros are harmless there."""


class Weights(DeclaredFact, frozen=True, kw_only=True, tag="weights"):
    """Weight matrices as they are built."""

    model: str
    groups: tuple[WeightGroup, ...]
    pretrained: bool
    watched: bool = False
    """The experiment is trained under observation as well."""
    half: bool = False
    """It declares to be trained in half precision."""
    site: Site | None = None


class Gates(DeclaredFact, frozen=True, kw_only=True, tag="gates"):
    """One layer and direction of a recurrent net, on a real batch."""

    name: str
    kind: str
    forget_bias: float | None
    """Mean of both biases together; LSTM only."""
    forget_open: float | None
    """Mean of the forget gate."""
    hidden_norm: float
    """The largest singular value of the hidden-to-hidden matrix, over its gates."""
    through_time: float | None
    """Gradient of the last output at the first step over that at the last step."""
    steps: int
    site: Site | None = None


class Normalisation(DeclaredFact, frozen=True, kw_only=True, tag="normalisation"):
    """A batch norm, with how many values it normalises over."""

    name: str
    values: int
    """Per channel: examples times space."""
    examples: int
    smallest_batch: int
    """Of the batches seen."""
    momentum: float | None
    site: Site | None = None


class ModeGap(DeclaredFact, frozen=True, kw_only=True, tag="mode-gap"):
    """The same batch in train and in eval mode, after a short training."""

    steps: int
    train_loss: float
    eval_loss: float
    without_dropout: float
    """In train mode with every dropout off: what is left is the normalisation's doing."""
    cosine: float
    """Of the outputs, dropout off."""
    batch_norms: int
    strongest_dropout: float
    site: Site | None = None


class AttentionRows(DeclaredFact, frozen=True, kw_only=True, tag="attention-rows"):
    """Attention weights of one module at the first batch."""

    name: str
    keys: int
    entropy: float
    """Mean over rows, as a share of that of even attention."""
    largest_score: float
    site: Site | None = None


class PositionTried(DeclaredFact, frozen=True, kw_only=True, tag="position-tried"):
    """Whether a sequence model can tell the order of its inputs."""

    length: int
    change: float
    """Of the output when earlier inputs change places, against its spread."""
    predicts_next: bool
    site: Site | None = None


class EmbeddingUse(DeclaredFact, frozen=True, kw_only=True, tag="embedding-use"):
    name: str
    rows: int
    highest: int
    """Of the ids seen."""
    seen: int
    """Distinct ids."""
    ids: int
    padding: int | None
    padding_share: float
    site: Site | None = None


class TracedCall(msgspec.Struct, frozen=True, kw_only=True):
    name: str
    kind: str
    given: tuple[tuple[int, ...], ...]
    gave: tuple[tuple[int, ...], ...]
    dtype: str
    parameters: int
    microseconds: float


class Stretch(msgspec.Struct, frozen=True, kw_only=True):
    """An operation in which both sides were stretched to fit the other."""

    operation: str
    left: tuple[int, ...]
    right: tuple[int, ...]
    result: tuple[int, ...]
    module: str
    over_batch: bool
    """Examples were paired with one another."""
    site: Site | None = None


class ShapeTrace(DeclaredFact, frozen=True, kw_only=True, tag="shape-trace"):
    """Every leaf module's call in order, and every operation that broadcast both of its sides."""

    model: str
    calls: tuple[TracedCall, ...]
    calls_in_all: int
    never_called: tuple[str, ...]
    called_again: tuple[str, ...]
    stretches: tuple[Stretch, ...]
    site: Site | None = None


class PrecisionTried(DeclaredFact, frozen=True, kw_only=True, tag="precision-tried"):
    """One forward and backward of the same weights and batch in full and in the declared precision."""

    precision: str
    full_loss: float
    low_loss: float
    cosine: float | None
    """Of all gradients together; None where some are not finite, or all zero."""
    nonfinite: int
    """Gradients with values that are not finite in the lower precision alone."""
    tensors: int
    vanished: float
    """Share of gradient values that are zero in the lower precision alone."""
    headroom: float
    """The largest output of a layer, as a share of the largest number of the type."""
    largest: str
    """That layer."""
    site: Site | None = None
