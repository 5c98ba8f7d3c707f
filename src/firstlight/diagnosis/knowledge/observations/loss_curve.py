"""What the loss does: its first value, its shape over the steps, and where it comes to rest."""

from firstlight.diagnosis.knowledge.declare import Observation

INITIAL = (
    Observation(
        "init-loss-far-below-chance",
        "the first loss is less than half that of an uninformed guess",
        rate=0.01,
        group="initial-loss",
        very_likely="data-leak-target data-labels-masked loss-mismatch loss-missing-activation",
        likely="data-leak-future loss-scale arch-mask loss-broadcast loss-sign",
        unlikely="data-label-misaligned hp-* arch-capacity",
    ),
    Observation(
        "init-loss-far-above-chance",
        "the first loss is more than twice that of an uninformed guess",
        rate=0.03,
        group="initial-loss",
        very_likely="data-scale arch-init",
        likely="arch-exploding loss-scale loss-mismatch data-label-range data-nonfinite",
        unlikely="loss-double-activation hp-lr-high hp-lr-low",
    ),
    Observation(
        "init-loss-as-expected",
        "the first loss is that of an uninformed guess",
        rate=0.85,
        group="initial-loss",
        very_likely="null-*",
        unlikely="data-scale arch-init data-leak-target data-labels-masked",
    ),
)

VALUES = (
    Observation(
        "loss-negative",
        "the loss is negative although it cannot be, or falls below zero without bound",
        rate=0.01,
        group="loss-value",
        very_likely="loss-missing-activation loss-sign",
        likely="loss-mismatch data-label-range",
        unlikely="data-* hp-*",
    ),
    Observation(
        "loss-frozen",
        "the loss is exactly 0, or exactly the same at every step",
        rate=0.005,
        group="loss-value",
        very_likely="data-labels-masked loss-mismatch",
        likely="loss-detached train-no-step",
        unlikely="hp-* num-*",
    ),
    Observation(
        "nonfinite-values",
        "NaN or infinity, at an unknown step",
        rate=0.025,
        group="nonfinite",
        very_likely="num-nonfinite data-nonfinite num-precision hp-lr-high",
        likely="data-label-range data-outlier arch-exploding arch-init arch-mask num-logit-growth data-labels-masked",
        unlikely="hp-lr-low train-metric train-no-step train-frozen",
    ),
    Observation(
        "nonfinite-at-start",
        "NaN or infinity in the first two steps",
        rate=0.005,
        group="nonfinite",
        very_likely="data-nonfinite num-nonfinite",
        likely="data-label-range arch-init arch-mask data-labels-masked num-precision",
        unlikely="hp-lr-low train-metric",
    ),
    Observation(
        "nonfinite-later",
        "NaN or infinity after some good steps",
        rate=0.02,
        group="nonfinite",
        very_likely="num-nonfinite num-precision hp-lr-high",
        likely="data-outlier data-nonfinite arch-exploding num-logit-growth",
        unlikely="train-no-step",
    ),
)

SHAPES = (
    Observation(
        "loss-falls-steadily",
        "the loss falls well below an uninformed guess and stays there",
        rate=0.7,
        group="loss-curve",
        very_likely="null-* env-* data-leak-*",
        likely="train-metric train-mode train-checkpoint data-split-shift data-label-range arch-unused arch-mask",
        unlikely="train-no-step train-frozen loss-detached loss-double-activation loss-dim hp-lr-low "
        "hp-lr-high hp-clip hp-regularisation data-degenerate data-label-misaligned data-labels-masked "
        "data-nonfinite arch-dead-units arch-vanishing num-nonfinite train-schedule",
    ),
    Observation(
        "loss-falls-slowly",
        "the loss falls far more slowly than the size of the steps suggests",
        rate=0.1,
        group="loss-curve",
        very_likely="hp-lr-low null-slow",
        likely="train-schedule train-params-missing hp-clip hp-optimizer hp-regularisation loss-scale "
        "loss-double-activation arch-vanishing arch-init data-scale",
        unlikely="hp-lr-high train-no-step loss-detached loss-sign",
    ),
    Observation(
        "loss-flat-from-start",
        "the loss does not move from its first value",
        rate=0.05,
        group="loss-curve",
        very_likely="train-no-step loss-detached train-frozen hp-lr-low",
        likely="train-params-missing data-degenerate loss-dim hp-clip hp-regularisation data-label-misaligned "
        "train-schedule arch-vanishing train-order null-slow",
        unlikely="hp-lr-high",
    ),
    Observation(
        "loss-rises-from-start",
        "the loss rises from the first step",
        rate=0.01,
        group="loss-curve",
        very_likely="loss-sign",
        likely="hp-lr-high train-order loss-gradient rl-*",
        unlikely="hp-lr-low data-leak-*",
    ),
    Observation(
        "loss-falls-then-explodes",
        "the loss falls at first and then explodes",
        rate=0.03,
        group="loss-curve",
        very_likely="hp-lr-high train-no-zero-grad",
        likely="num-precision num-nonfinite train-accumulation arch-exploding num-logit-growth hp-warmup "
        "train-schedule",
        unlikely="loss-detached hp-lr-low data-imbalance",
    ),
    Observation(
        "loss-oscillates",
        "the loss oscillates from step to step, or its noise grows",
        rate=0.05,
        group="loss-curve",
        very_likely="hp-lr-high",
        likely="hp-batch hp-optimizer data-not-shuffled data-augment",
        unlikely="hp-lr-low train-frozen",
    ),
    Observation(
        "loss-repeats-each-epoch",
        "the loss has the same shape in every epoch",
        rate=0.05,
        group="loss-curve",
        very_likely="data-not-shuffled data-duplicates",
        likely="train-checkpoint data-stale-batch",
    ),
    Observation(
        "loss-spikes-and-recovers",
        "the loss has single spikes and recovers",
        rate=0.15,
        group="loss-curve",
        very_likely="data-outlier",
        likely="num-precision hp-lr-high hp-optimizer",
        unlikely="loss-double-activation",
    ),
    Observation(
        "plateau-at-constant-predictor",
        "the loss plateaus where a constant prediction would put it",
        rate=0.04,
        group="plateau",
        very_likely="data-degenerate loss-detached data-label-misaligned",
        likely="data-imbalance arch-dead-units arch-vanishing hp-regularisation train-params-missing loss-dim "
        "arch-output",
        unlikely="data-leak-*",
    ),
    Observation(
        "plateau-at-double-activation-floor",
        "the loss plateaus at the lowest value it can reach with an activation applied twice",
        rate=0.005,
        group="plateau",
        very_likely="loss-double-activation",
        unlikely="*",
    ),
)

OBSERVATIONS = INITIAL + VALUES + SHAPES
