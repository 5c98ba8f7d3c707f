"""Which timeline mends which cause: if it does, and the loss shows it, the cause is proven."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Repair:
    cause: str
    experiment: str
    words: str
    """Said of the timeline: "with …, the same steps reach …"."""


REPAIRS: tuple[Repair, ...] = (
    Repair("train-no-zero-grad", "zeroed-gradients", "the gradients cleared after each step"),
    Repair("loss-double-activation", "activation-undone", "the extra activation undone before the loss"),
    Repair("loss-missing-activation", "activation-added", "the missing activation added before the loss"),
    Repair("loss-broadcast", "target-reshaped", "the target given the prediction's shape"),
    Repair("train-params-missing", "all-optimized", "every parameter behind the loss in the optimizer"),
    Repair("train-frozen", "thawed", "all parameters thawed"),
    Repair("hp-lr-high", "lr-tenth", "a tenth of the learning rate"),
    Repair("hp-lr-high", "lr-hundredth", "a hundredth of the learning rate"),
    Repair("hp-lr-low", "lr-tenfold", "ten times the learning rate"),
    Repair("train-schedule", "lr-constant", "the learning rate held at its configured value"),
    Repair("hp-regularisation", "unregularised", "dropout, weight decay and label smoothing off"),
    Repair("hp-clip", "unclipped", "clipping off"),
    Repair("num-precision", "fp32", "full precision"),
    Repair("loss-scale", "sharpened", "the scores multiplied by 100 before the softmax"),
    Repair("data-scale", "standardised", "standardised inputs"),
)


def repairs_of(cause: str) -> tuple[Repair, ...]:
    """The mildest first."""
    return tuple(repair for repair in REPAIRS if repair.cause == cause)
