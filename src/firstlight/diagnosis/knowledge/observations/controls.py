"""What experiments show: one batch repeated, inputs or targets destroyed, one thing changed and the illness gone."""

from firstlight.diagnosis.knowledge.declare import Observation

ONE_BATCH = (
    Observation(
        "cannot-overfit-one-batch",
        "the program cannot overfit one repeated batch",
        rate=0.05,
        group="one-batch",
        very_likely="loss-sign loss-detached loss-double-activation data-degenerate train-no-step train-frozen "
        "hp-lr-low data-labels-masked hp-clip",
        likely="arch-capacity arch-vanishing arch-dead-units arch-init loss-broadcast loss-dim loss-gradient "
        "arch-output num-nonfinite data-nonfinite hp-regularisation hp-lr-high train-no-zero-grad "
        "train-params-missing train-schedule train-order train-reinit data-scale null-slow",
        unlikely="data-leak-* data-split-shift data-imbalance data-label-misaligned data-not-shuffled train-metric "
        "env-* null-noise null-overfit",
    ),
    Observation(
        "overfits-one-batch",
        "the program overfits one repeated batch",
        rate=0.9,
        group="one-batch",
        very_likely="null-noise null-overfit null-hard data-leak-* data-split-shift env-*",
        likely="data-label-misaligned data-imbalance data-label-noise train-mode train-metric data-not-shuffled "
        "data-stale-batch",
        unlikely="loss-sign loss-detached train-no-step train-frozen hp-lr-low data-nonfinite "
        "loss-double-activation data-labels-masked hp-clip",
    ),
    Observation(
        "one-batch-loss-rises",
        "on one repeated batch the loss rises from the first step",
        rate=0.005,
        group="one-batch",
        very_likely="loss-sign",
        likely="hp-lr-high train-order loss-gradient",
        unlikely="data-* hp-lr-low train-no-step train-frozen",
    ),
    Observation(
        "one-batch-loss-explodes",
        "on one repeated batch the loss explodes",
        rate=0.01,
        group="one-batch",
        very_likely="hp-lr-high train-no-zero-grad",
        likely="arch-exploding data-scale loss-scale num-nonfinite num-precision train-accumulation",
        unlikely="hp-lr-low train-no-step train-frozen loss-detached loss-double-activation",
    ),
    Observation(
        "one-batch-loss-oscillates",
        "on one repeated batch the loss oscillates without falling",
        rate=0.02,
        group="one-batch",
        very_likely="hp-lr-high",
        likely="hp-optimizer train-no-zero-grad arch-norm",
        unlikely="hp-lr-low train-no-step train-frozen data-not-shuffled",
    ),
    Observation(
        "one-batch-loss-plateaus",
        "on one repeated batch the loss stays on a plateau",
        rate=0.03,
        group="one-batch",
        very_likely="loss-double-activation loss-detached data-degenerate train-no-step train-frozen hp-lr-low hp-clip",
        likely="arch-capacity arch-vanishing arch-dead-units arch-output loss-dim loss-broadcast hp-regularisation "
        "train-params-missing train-schedule data-labels-masked",
        unlikely="loss-sign hp-lr-high env-*",
    ),
    Observation(
        "reference-optimizer-cannot-overfit",
        "a reference optimizer cannot overfit one batch either",
        rate=0.03,
        group="one-batch",
        very_likely="loss-sign loss-detached loss-double-activation data-degenerate",
        likely="train-params-missing arch-capacity arch-vanishing arch-dead-units loss-broadcast loss-dim "
        "arch-output num-nonfinite hp-regularisation loss-gradient",
        unlikely="data-leak-* data-split-shift data-imbalance env-*",
    ),
    Observation(
        "reference-optimizer-cures",
        "a reference optimizer learns where the program's own training loop does not",
        rate=0.03,
        group="reference-optimizer",
        very_likely="train-no-zero-grad train-order train-no-step train-schedule hp-optimizer hp-lr-high hp-lr-low "
        "train-params-missing hp-clip",
        likely="train-frozen train-accumulation hp-regularisation train-reinit",
        unlikely="loss-* data-* arch-*",
    ),
)

DESTROYED = (
    Observation(
        "answers-do-not-matter",
        "nothing shows that the program learns which target belongs to which input",
        rate=0.01,
        group="certificate",
        very_likely="data-label-misaligned data-degenerate loss-detached train-no-step train-frozen hp-lr-low hp-clip "
        "arch-dead-units loss-sign data-labels-masked arch-vanishing",
        likely="arch-init arch-capacity hp-lr-high hp-regularisation train-schedule train-reinit train-order loss-dim "
        "arch-batch-mixing loss-broadcast loss-double-activation loss-missing-activation train-params-missing "
        "arch-exploding loss-scale num-nonfinite num-precision hp-optimizer data-scale data-label-noise "
        "data-nonfinite loss-gradient train-mode arch-norm arch-output null-slow null-hard",
        unlikely="data-leak-* data-split-shift data-duplicates env-* null-noise null-overfit train-metric "
        "train-checkpoint train-ema",
    ),
    Observation(
        "noise-inputs-learn-as-well",
        "noise, zeros or permuted rows as inputs are learned as well as the real inputs",
        rate=0.01,
        group="controls",
        very_likely="data-degenerate arch-dead-units loss-detached train-frozen",
        likely="data-imbalance hp-regularisation data-label-misaligned",
        unlikely="data-leak-target null-overfit",
    ),
    Observation(
        "permuted-targets-learn-as-well",
        "targets permuted within the batch are learned as well as the true ones",
        rate=0.02,
        group="controls",
        very_likely="data-label-misaligned data-degenerate loss-detached loss-broadcast",
        likely="data-label-noise data-labels-masked data-imbalance arch-dead-units train-frozen loss-dim "
        "arch-batch-mixing",
        unlikely="data-leak-target null-overfit",
    ),
    Observation(
        "shuffled-labels-still-validate",
        "trained on shuffled labels, the validation metric is still far above chance",
        rate=0.005,
        group="controls",
        very_likely="data-leak-split data-leak-target",
        likely="train-metric",
        unlikely="train-* hp-*",
    ),
    Observation(
        "learns-synthetic-data-only",
        "synthetic data of the same shapes is learned, but the real data is not",
        rate=0.03,
        group="synthetic",
        very_likely="data-*",
        likely="loss-mismatch",
        unlikely="train-* arch-*",
    ),
    Observation(
        "simple-baseline-wins",
        "a linear or nearest-neighbour baseline beats the model",
        rate=0.05,
        group="simple-baseline",
        very_likely="data-scale hp-lr-low arch-init loss-*",
        likely="train-* arch-capacity arch-vanishing",
        unlikely="null-hard",
        excluded="data-label-misaligned data-label-noise data-degenerate",
    ),
)

CURES = (
    Observation(
        "lr-tenth-cures",
        "a tenth of the learning rate, or less, fixes it",
        rate=0.03,
        group="lr-tenth",
        very_likely="hp-lr-high hp-warmup",
        likely="train-accumulation loss-scale data-scale train-no-zero-grad num-logit-growth",
        unlikely="data-nonfinite loss-detached",
    ),
    Observation(
        "lr-tenfold-cures",
        "ten times the learning rate, or more, fixes it",
        rate=0.03,
        group="lr-tenfold",
        very_likely="hp-lr-low",
        likely="loss-scale hp-clip train-schedule loss-double-activation",
        unlikely="hp-lr-high",
    ),
    Observation(
        "fp32-cures",
        "full precision fixes it",
        rate=0.01,
        group="fp32",
        very_likely="num-precision",
        likely="num-nonfinite num-logit-growth",
        unlikely="train-* data-*",
    ),
    Observation(
        "no-regularisation-cures",
        "it learns without regularization",
        rate=0.02,
        group="no-regularisation",
        very_likely="hp-regularisation",
        likely="data-augment arch-norm",
        unlikely="data-leak-*",
    ),
    Observation(
        "single-process-cures",
        "one worker and one rank fix it",
        rate=0.02,
        group="single-process",
        very_likely="env-distributed env-seed",
        likely="num-compile env-memory",
        unlikely="loss-* arch-*",
    ),
)

OBSERVATIONS = ONE_BATCH + DESTROYED + CURES
