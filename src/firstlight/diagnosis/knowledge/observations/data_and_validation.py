"""What the data, the predictions and the validation show."""

from firstlight.diagnosis.knowledge.declare import Observation

DATA = (
    Observation(
        "classes-tenfold-imbalanced",
        "the largest class is more than ten times the smallest",
        rate=0.2,
        group="labels",
        very_likely="data-imbalance",
    ),
    Observation(
        "classes-hundredfold-imbalanced",
        "the largest class is more than a hundred times the smallest",
        rate=0.05,
        group="labels",
        very_likely="data-imbalance",
    ),
    Observation(
        "inputs-not-normalised",
        "inputs or targets are far from mean 0 and deviation 1",
        rate=0.1,
        group="data-statistics",
        very_likely="data-scale",
        likely="data-split-shift data-schema pinn-scale rl-obs",
    ),
    Observation(
        "features-constant",
        "inputs, or many of their features, are constant or copies of each other",
        rate=0.03,
        group="data-statistics",
        very_likely="data-degenerate",
        likely="data-schema data-cache-stale",
    ),
    Observation(
        "train-and-validation-differ",
        "training and validation inputs have different statistics",
        rate=0.05,
        group="splits",
        very_likely="data-split-shift",
        likely="data-schema data-tokenizer",
    ),
    Observation(
        "validation-rows-in-training",
        "more than one validation row in twenty is also a training row",
        rate=0.03,
        group="splits",
        very_likely="data-leak-split",
        likely="data-duplicates",
    ),
    Observation(
        "batch-repeats",
        "the same batch comes again and again",
        rate=0.01,
        group="batches",
        very_likely="data-stale-batch",
        likely="env-distributed train-checkpoint",
    ),
    Observation(
        "batches-hold-one-label",
        "labels arrive sorted, or a batch holds a single label",
        rate=0.03,
        group="batches",
        very_likely="data-not-shuffled",
    ),
)

PREDICTIONS = (
    Observation(
        "predictions-constant",
        "the predictions are the same for every input, or always one class",
        rate=0.03,
        group="predictions",
        very_likely="data-imbalance arch-dead-units arch-init",
        likely="loss-mismatch hp-lr-high data-degenerate loss-dim arch-output data-scale",
        unlikely="data-leak-*",
    ),
    Observation(
        "loss-falls-metric-does-not",
        "the loss falls and the metric does not follow",
        rate=0.05,
        group="predictions",
        very_likely="train-metric loss-mismatch data-label-range",
        likely="data-imbalance loss-scale data-padding arch-output",
        unlikely="train-no-step",
    ),
    Observation(
        "same-batch-gives-different-outputs",
        "the same batch evaluated twice gives different outputs",
        rate=0.01,
        group="repeat",
        very_likely="train-mode",
        likely="arch-norm env-seed",
        unlikely="loss-*",
    ),
    Observation(
        "eval-differs-from-train-on-same-data",
        "the evaluation path scores training data quite differently from the training path",
        rate=0.05,
        group="parity",
        very_likely="train-mode arch-norm",
        likely="data-split-shift train-metric",
        unlikely="hp-lr-low train-no-step",
    ),
)

VALIDATION = (
    Observation(
        "validation-at-chance-while-training-improves",
        "training improves and validation stays at chance",
        rate=0.03,
        group="validation",
        very_likely="data-label-misaligned data-split-shift train-mode",
        likely="data-leak-target train-metric data-label-noise null-overfit",
        unlikely="train-no-step",
    ),
    Observation(
        "validation-below-chance",
        "validation is clearly worse than chance",
        rate=0.003,
        group="validation",
        very_likely="data-label-range train-metric",
        likely="data-split-shift loss-sign",
    ),
    Observation(
        "validation-far-better-than-training",
        "validation is far better than training",
        rate=0.05,
        group="validation",
        very_likely="data-leak-split",
        likely="train-mode data-augment train-metric",
        unlikely="null-overfit",
    ),
    Observation(
        "gap-grows-late",
        "late in training, validation falls behind more and more",
        rate=0.3,
        group="validation",
        very_likely="null-overfit",
        likely="data-too-little data-leak-split data-label-noise",
        unlikely="train-no-step",
    ),
)

RUNS = (
    Observation(
        "same-seed-differs",
        "the same seed gives different losses",
        rate=0.1,
        group="same-seed",
        very_likely="env-seed",
        likely="env-distributed num-compile",
    ),
    Observation(
        "seeds-differ-wildly",
        "other seeds give wildly different results, or some fail",
        rate=0.05,
        group="seeds",
        very_likely="arch-init hp-lr-high",
        likely="env-seed data-too-little arch-dead-units null-noise rl-*",
    ),
    Observation(
        "loss-jumps-after-resume",
        "the loss jumps after resuming",
        rate=0.05,
        group="resume",
        very_likely="train-checkpoint",
        likely="data-stale-batch",
    ),
    Observation(
        "memory-grows",
        "memory or the graph grows from step to step",
        rate=0.02,
        group="memory",
        very_likely="train-state-leak env-memory",
    ),
    Observation(
        "step-waits-for-data",
        "the step waits for the loader more than 30 % of its time",
        rate=0.15,
        group="throughput",
        very_likely="env-input-bound",
    ),
)

OBSERVATIONS = DATA + PREDICTIONS + VALIDATION + RUNS
