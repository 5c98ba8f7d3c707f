"""How a fault is declared: its name, cause, place and sentence; the flow it breaks follows from the cause."""

from __future__ import annotations

from zoo.mutations.plant import Plant
from zoo.records import Mutation

_BY_FLOW = {
    "values": "data-degenerate data-nonfinite data-scale arch-dead-units arch-init arch-exploding arch-norm "
    "arch-capacity num-nonfinite num-precision num-logit-growth arch-output",
    "gradients": "loss-detached loss-gradient arch-vanishing arch-unused hp-clip train-order",
    "influence": "arch-batch-mixing arch-mask arch-position arch-shared data-leak-future data-padding data-stale-batch "
    "train-state-leak",
    "updates": "train-no-zero-grad train-no-step train-params-missing train-frozen train-accumulation train-reinit "
    "train-schedule train-swallowed hp-lr-high hp-lr-low hp-optimizer hp-regularisation hp-batch env-distributed",
    "answers": "loss-double-activation loss-missing-activation loss-sign loss-broadcast loss-dim loss-mismatch "
    "loss-scale loss-conflict data-label-range data-labels-masked rl-reward rl-done rl-target rl-advantage rl-explore "
    "rl-stale pinn-bc pinn-scale",
    "life": "train-mode train-checkpoint train-metric train-ema env-seed",
    "data": "data-label-misaligned data-imbalance data-leak-split data-leak-target data-not-shuffled data-split-shift "
    "data-schema data-label-noise data-augment data-outlier data-duplicates data-too-little data-tokenizer",
}
FLOWS = {cause: flow for flow, causes in _BY_FLOW.items() for cause in causes.split()}


def fault(name: str, cause: str, form: str, says: str, plant: Plant) -> Mutation:
    """A fault that makes the program's metric worse."""
    return Mutation(name, cause, FLOWS[cause], form, says, False, plant)


def leak(name: str, cause: str, form: str, says: str, plant: Plant) -> Mutation:
    """A fault that makes the program's own metric better than it should be."""
    return Mutation(name, cause, FLOWS[cause], form, says, True, plant)
