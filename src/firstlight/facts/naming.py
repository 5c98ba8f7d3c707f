"""Which logged curve is the loss, the rate, the gradient norm: by the names the communities use.

`train/loss`, `training_loss`, `Loss/train`, `train_loss_step`; `val_loss`, `eval/loss`, `validation/epoch_loss`;
`lr-AdamW`, `train/learning_rate`; `grad_norm`, `grad_2.0_norm_total`; `val_acc`, `eval/accuracy`. A name is the set of
its words, so that order and punctuation do not matter.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from firstlight.records.curves import Curve, Roles

WORDS = re.compile(r"top1|[a-z]+|\d+(?:\.\d+)?")
JOINED = re.compile(r"(top|held)[_-](1|out)")
HUMPS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
HELD_OUT = frozenset({"val", "valid", "validation", "eval", "evaluation", "dev", "heldout"})
TESTED = frozenset({"test"})
TRAINED = frozenset({"train", "training", "tr", "trn"})
SAYS_NOTHING = frozenset(
    ["epoch", "step", "batch", "minibatch", "iter", "iteration", "mean", "avg", "average", "running", "total"]
) | {"global", "metric", "metrics", "scalar", "scalars", "value", "dataloader", "idx", "0", "log", "logs", "firstlight"}
"""Words that leave a quantity what it is."""
RATES = frozenset({"lr", "learning", "rate"})
NORMS = frozenset({"grad", "gradient", "gradients", "norm", "l2", "gradnorm"})
ACCURACIES = frozenset({"acc", "accuracy", "top1", "accuracies"})
LOSSES = frozenset({"loss", "losses", "nll", "objective", "cost"})
ROLES = ("loss", "val_loss", "lr", "grad_norm", "accuracy", "val_accuracy")


@dataclass(frozen=True, slots=True)
class Reading:
    role: str
    excess: float
    """Words beyond those of the role: `loss_box` is less the loss than `loss` is."""


def assign(curves: Iterable[Curve]) -> Roles:
    """Of several candidates the plainest name wins, then the one with most points."""
    best: dict[str, tuple[tuple[float, int], Curve]] = {}
    known = list(curves)
    for curve in known:
        reading = read(curve.name)
        if reading is None or not curve.values:
            continue
        rank = (reading.excess, -len(curve.values))
        if reading.role not in best or rank < best[reading.role][0]:
            best[reading.role] = (rank, curve)
    taken = {role: curve for role, (_, curve) in best.items()}
    names = {curve.name for curve in taken.values()}
    return Roles(**taken, unread=tuple(curve.name for curve in known if curve.name not in names))


def read(name: str) -> Reading | None:
    """None for a name that is none of the quantities."""
    words = set(WORDS.findall(JOINED.sub(r"\1\2", HUMPS.sub("_", name).lower())))
    plain = words - SAYS_NOTHING - TRAINED
    held_out, tested = bool(plain & HELD_OUT), bool(plain & TESTED)
    plain -= HELD_OUT | TESTED
    behind = 0.5 * tested  # the test split stands in for validation where that was not logged
    if plain & NORMS > {"norm"} or "gradnorm" in plain:
        return Reading("grad_norm", len(plain - NORMS - {"2", "2.0"}))
    if "lr" in plain or plain >= {"learning", "rate"}:
        return Reading("lr", len(plain - RATES))
    if plain & LOSSES:
        return Reading("val_loss" if held_out or tested else "loss", len(plain - LOSSES) + behind)
    if plain & ACCURACIES:
        return Reading("val_accuracy" if held_out or tested else "accuracy", len(plain - ACCURACIES) + behind)
    return None
