"""What gradients, updates and activations look like, and which output depends on which input."""

from firstlight.diagnosis.knowledge.declare import Observation

GRADIENTS = (
    Observation(
        "init-gradient-far-too-small",
        "the first gradient is at least five times smaller than the loss and its logits imply",
        rate=0.02,
        group="gradient-norm",
        very_likely="loss-double-activation loss-dim",
        likely="arch-vanishing loss-scale",
        unlikely="hp-*",
    ),
    Observation(
        "gradients-missing",
        "parameters that should be trained get no gradient",
        rate=0.01,
        group="gradient-reach",
        very_likely="loss-detached arch-unused train-params-missing",
        likely="env-distributed train-frozen",
        unlikely="hp-* data-*",
    ),
    Observation(
        "gradients-exactly-zero",
        "gradients are exactly zero after two steps",
        rate=0.01,
        group="gradient-reach",
        very_likely="arch-dead-units loss-detached",
        likely="arch-vanishing loss-dim data-degenerate arch-output loss-gradient",
        unlikely="hp-lr-high hp-lr-low",
    ),
    Observation(
        "gradients-vanish-with-depth",
        "the first layer's gradient is ten thousand times smaller than the last one's",
        rate=0.03,
        group="gradient-norm",
        very_likely="arch-vanishing",
        likely="arch-init arch-dead-units arch-capacity",
        unlikely="loss-sign",
    ),
    Observation(
        "gradients-explode",
        "the gradient norm explodes or has a heavy tail",
        rate=0.05,
        group="gradient-norm",
        very_likely="arch-exploding hp-lr-high data-scale",
        likely="data-outlier loss-scale arch-init num-precision train-no-zero-grad",
        unlikely="hp-lr-low",
    ),
    Observation(
        "gradient-norm-grows-every-step",
        "the gradient norm grows at every step from the first",
        rate=0.01,
        group="gradient-norm",
        very_likely="train-no-zero-grad",
        likely="arch-exploding train-state-leak",
        unlikely="data-*",
    ),
    Observation(
        "gradient-disagrees-with-differences",
        "the gradient does not match the slope measured by small changes of the parameters",
        rate=0.005,
        group="gradient-check",
        very_likely="loss-gradient",
        likely="loss-detached",
        unlikely="data-* hp-*",
    ),
    Observation(
        "clipped-on-every-step",
        "nearly every step is clipped",
        rate=0.1,
        group="clipping",
        very_likely="hp-clip arch-exploding",
        likely="loss-scale hp-lr-high",
    ),
)

UPDATES = (
    Observation(
        "parameters-unchanged-by-step",
        "parameters are the same after a step",
        rate=0.005,
        group="updates",
        very_likely="train-no-step train-frozen train-schedule",
        likely="train-order env-distributed num-precision env-version",
        unlikely="loss-*",
    ),
    Observation(
        "update-ratio-too-high",
        "a step changes the weights by far more than a thousandth of their size",
        rate=0.05,
        group="updates",
        very_likely="hp-lr-high",
        likely="loss-scale train-accumulation",
        unlikely="hp-lr-low",
    ),
    Observation(
        "update-ratio-too-low",
        "a step changes the weights by far less than a thousandth of their size",
        rate=0.05,
        group="updates",
        very_likely="hp-lr-low train-schedule hp-clip",
        likely="num-precision hp-optimizer loss-scale",
        unlikely="hp-lr-high",
    ),
)

ACTIVATIONS = (
    Observation(
        "units-dead",
        "most units of a layer are zero for every example",
        rate=0.05,
        group="activations",
        very_likely="arch-dead-units",
        likely="arch-init hp-lr-high data-scale",
    ),
    Observation(
        "activations-saturated",
        "most units of a layer sit at the end of their range",
        rate=0.03,
        group="activations",
        very_likely="arch-vanishing",
        likely="data-scale arch-init arch-output hp-lr-high",
    ),
    Observation(
        "network-narrows",
        "somewhere in the network fewer numbers stand for an example than its prediction has",
        rate=0.02,
        group="width",
        likely="arch-capacity",
    ),
    Observation(
        "loss-scale-collapses",
        "the mixed-precision loss scale collapses, or many steps are skipped",
        rate=0.02,
        group="loss-scaler",
        very_likely="num-precision arch-exploding",
        likely="data-outlier hp-lr-high",
    ),
)

DEPENDENCE = (
    Observation(
        "rows-depend-on-other-rows",
        "the output of one example depends on another example",
        rate=0.003,
        group="dependence",
        very_likely="arch-batch-mixing loss-dim",
        likely="arch-norm arch-mask",
    ),
    Observation(
        "outputs-see-the-future",
        "the output of one position depends on later positions",
        rate=0.003,
        group="dependence",
        very_likely="arch-mask data-leak-future",
        likely="arch-batch-mixing",
    ),
)

OBSERVATIONS = GRADIENTS + UPDATES + ACTIVATIONS + DEPENDENCE
