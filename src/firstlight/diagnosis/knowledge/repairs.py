"""Repairs run as experiments: each takes one cause away, and a paired improvement over the baseline verifies it."""

from firstlight.diagnosis.knowledge.declare import Experiment


def _repair(slug: str, cause: str, does: str, *needs: str, shows: str | None = None) -> Experiment:
    return Experiment(
        slug=slug, does=does, cost=1.0, yields=() if shows is None else (shows,), needs=frozenset(needs), repairs=cause
    )


GROUPS = "groups"
"""What few optimizers have: several of parameters, at different rates. Only who saw them asks for such a repair."""
REPAIRS: tuple[Experiment, ...] = (
    _repair("lr-tenth", "hp-lr-high", "use a tenth of the learning rate", "optimizer", shows="lr-tenth-cures"),
    _repair("lr-hundredth", "hp-lr-high", "use a hundredth of the learning rate", "optimizer", shows="lr-tenth-cures"),
    *(
        _repair(slug, "hp-lr-high", f"use {share} of the learning rate", "optimizer", shows="lr-tenth-cures")
        for slug, share in (("lr-thousandth", "a thousandth"), ("lr-millionth", "a millionth"))
    ),
    *(
        _repair(slug, "hp-lr-low", f"use {times} times the learning rate", "optimizer", shows="lr-tenfold-cures")
        for slug, times in (
            ("lr-tenfold", "ten"),
            ("lr-hundredfold", "a hundred"),
            ("lr-thousandfold", "a thousand"),
            ("lr-millionfold", "a million"),
        )
    ),
    _repair("rates-evened", "hp-lr-low", "give every parameter group the highest learning rate", GROUPS),
    _repair("fp32", "num-precision", "compute in full precision", "low-precision", shows="fp32-cures"),
    _repair(
        "unregularised",
        "hp-regularisation",
        "switch off dropout, weight decay and label smoothing",
        "regularisation",
        shows="no-regularisation-cures",
    ),
    _repair("zeroed-gradients", "train-no-zero-grad", "clear the gradients before each backward", "optimizer"),
    _repair("step-after-backward", "train-no-step", "step the optimizer after each backward", "optimizer"),
    _repair("activation-undone", "loss-double-activation", "give the loss logits instead of probabilities", "loss"),
    _repair("activation-added", "loss-missing-activation", "add the activation that the loss expects", "loss"),
    _repair("sign-flipped", "loss-sign", "minimize the negative of the loss", "loss"),
    _repair("target-reshaped", "loss-broadcast", "give target and prediction the same shape", "loss", "targets"),
    _repair("sharpened", "loss-scale", "multiply the scores by 100 before the softmax", "loss"),
    _repair("mean-reduction", "loss-scale", "divide the loss by its number of terms", "loss"),
    _repair("unclipped", "hp-clip", "switch off clipping", "clipping"),
    _repair("lr-constant", "train-schedule", "keep the learning rate of the first step", "schedule"),
    _repair("all-optimized", "train-params-missing", "add the missing parameters to the optimizer", "optimizer"),
    _repair("thawed", "train-frozen", "let every parameter require a gradient", "model", "optimizer"),
    _repair("in-train-mode", "train-mode", "keep the model in training mode", "model"),
    _repair("standardised", "data-scale", "standardize the inputs", "batch"),
    _repair("targets-standardised", "data-scale", "standardize the targets", "loss", "targets"),
    _repair("reinitialise", "arch-init", "initialize the weights with the standard scheme", "model"),
    _repair("shuffle", "data-not-shuffled", "shuffle the examples", "loader"),
    _repair("leaky-units", "arch-dead-units", "replace ReLU by LeakyReLU", "model"),
    _repair("clip-gradients", "arch-exploding", "clip the gradient at its usual norm", "optimizer"),
    _repair("add-warmup", "hp-warmup", "warm up the learning rate", "optimizer"),
    _repair("smaller-batch", "hp-batch", "use a smaller batch", "loader"),
    _repair("fresh-batches", "data-stale-batch", "take a new batch at each step", "loader"),
    _repair("skip-bad-batches", "data-outlier", "skip the batches at the spikes", "loader"),
    _repair("default-betas", "hp-optimizer", "use the optimizer's default momentum and epsilon", "optimizer"),
    _repair("no-compile", "num-compile", "run without compilation", "compiled"),
    _repair("data-kept", "data-degenerate", "feed the inputs as they were before that call", "batch"),
    _repair("finite-inputs", "data-nonfinite", "replace NaN and infinity in the batch with zeros", "batch"),
)


def repairs_of(cause: str) -> tuple[Experiment, ...]:
    """The mildest first."""
    return tuple(experiment for experiment in REPAIRS if experiment.repairs == cause)
