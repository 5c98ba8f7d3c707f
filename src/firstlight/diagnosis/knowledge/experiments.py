"""What can be tried, what each try can show, what it costs and what it has to hold. Repairs are in `repairs.py`."""

from firstlight.diagnosis.knowledge.declare import Experiment

WATCHING = (
    Experiment(
        slug="watch-first-steps",
        does="watch every call of the first steps",
        cost=0.05,
        yields=(
            "gradients-missing",
            "gradients-exactly-zero",
            "parameters-unchanged-by-step",
            "gradient-norm-grows-every-step",
            "loss-negative",
            "loss-frozen",
            "nonfinite-at-start",
            "batch-repeats",
            "batches-hold-one-label",
        ),
    ),
    Experiment(
        slug="watch-initial-loss",
        does="compare the first loss with a blind guess",
        cost=0.05,
        yields=("init-loss-far-below-chance", "init-loss-far-above-chance", "init-loss-as-expected"),
        needs=frozenset({"loss"}),
    ),
    Experiment(
        slug="describe-data",
        does="describe the batches: ranges, labels, constants",
        cost=0.05,
        yields=(
            "inputs-not-normalised",
            "features-constant",
            "classes-tenfold-imbalanced",
            "classes-hundredfold-imbalanced",
        ),
        needs=frozenset({"batch"}),
    ),
    Experiment(
        slug="compare-splits",
        does="compare training and validation rows",
        cost=0.2,
        yields=("train-and-validation-differ", "validation-rows-in-training"),
        needs=frozenset({"loader", "validation"}),
    ),
    Experiment(
        slug="watch-layers",
        does="read gradients, updates and activations of every layer over some steps",
        cost=0.2,
        yields=(
            "gradients-vanish-with-depth",
            "gradients-explode",
            "init-gradient-far-too-small",
            "units-dead",
            "activations-saturated",
            "update-ratio-too-high",
            "update-ratio-too-low",
            "clipped-on-every-step",
        ),
        needs=frozenset({"model", "optimizer"}),
    ),
    Experiment(
        slug="watch-baseline",
        does="run the program as it is and read its loss curve",
        cost=1.0,
        yields=(
            "loss-falls-steadily",
            "loss-falls-slowly",
            "loss-flat-from-start",
            "loss-rises-from-start",
            "loss-falls-then-explodes",
            "loss-oscillates",
            "loss-repeats-each-epoch",
            "loss-spikes-and-recovers",
            "nonfinite-later",
            "plateau-at-constant-predictor",
            "plateau-at-double-activation-floor",
            "loss-scale-collapses",
            "memory-grows",
            "step-waits-for-data",
        ),
        needs=frozenset({"loss"}),
    ),
    Experiment(
        slug="watch-validation",
        does="run the program to its evaluation and compare with training",
        cost=2.0,
        yields=(
            "validation-at-chance-while-training-improves",
            "validation-below-chance",
            "validation-far-better-than-training",
            "loss-falls-metric-does-not",
            "gap-grows-late",
        ),
        needs=frozenset({"validation"}),
    ),
)

PROBES = (
    Experiment(
        slug="probe-dependence",
        does="see on which rows and positions an output depends",
        cost=0.05,
        yields=("rows-depend-on-other-rows", "outputs-see-the-future"),
        needs=frozenset({"model", "batch"}),
    ),
    Experiment(
        slug="probe-outputs",
        does="compare the model's outputs over a batch",
        cost=0.05,
        yields=("predictions-constant",),
        needs=frozenset({"model", "batch"}),
    ),
    Experiment(
        slug="probe-repeat",
        does="evaluate one batch twice",
        cost=0.05,
        yields=("same-batch-gives-different-outputs",),
        needs=frozenset({"model", "batch"}),
    ),
    Experiment(
        slug="probe-parity",
        does="score training data through the evaluation path",
        cost=0.2,
        yields=("eval-differs-from-train-on-same-data",),
        needs=frozenset({"model", "batch", "loss"}),
    ),
    Experiment(
        slug="probe-gradient",
        does="compare the gradient with small changes of the parameters",
        cost=0.1,
        yields=("gradient-disagrees-with-differences",),
        needs=frozenset({"model", "batch", "loss"}),
    ),
)

TIMELINES = (
    Experiment(
        slug="overfit-one-batch",
        does="repeat one batch",
        cost=0.5,
        # That it cannot learn the batch is said by the way in which it fails.
        yields=(
            "overfits-one-batch",
            "one-batch-loss-rises",
            "one-batch-loss-explodes",
            "one-batch-loss-oscillates",
            "one-batch-loss-plateaus",
        ),
        needs=frozenset({"batch", "optimizer"}),
    ),
    Experiment(
        slug="noise-inputs",
        does="replace inputs by noise of the same statistics",
        cost=1.0,
        yields=("noise-inputs-learn-as-well",),
        needs=frozenset({"batch"}),
    ),
    Experiment(
        slug="permute-targets",
        does="permute targets within the batch",
        cost=1.0,
        yields=("permuted-targets-learn-as-well",),
        needs=frozenset({"batch", "targets"}),
    ),
    Experiment(
        slug="shuffle-labels",
        does="train on shuffled labels and validate",
        cost=2.0,
        yields=("shuffled-labels-still-validate",),
        needs=frozenset({"loader", "targets", "validation"}),
    ),
    Experiment(
        slug="reference-optimizer",
        does="train with Adam at 1e-3, no schedule and no decay",
        cost=1.0,
        yields=("reference-optimizer-cures", "reference-optimizer-cannot-overfit"),
        needs=frozenset({"model", "batch", "loss"}),
    ),
    Experiment(
        slug="synthetic-data",
        does="train on synthetic, separable data of the same shapes",
        cost=1.0,
        yields=("learns-synthetic-data-only",),
        needs=frozenset({"batch", "targets"}),
    ),
    Experiment(
        slug="simple-baseline",
        does="fit a linear model on the same batches",
        cost=0.2,
        yields=("simple-baseline-wins",),
        needs=frozenset({"batch", "targets"}),
    ),
    Experiment(
        slug="same-seed",
        does="run the same seed twice",
        cost=1.0,
        yields=("same-seed-differs",),
    ),
    Experiment(slug="other-seeds", does="run other seeds", cost=3.0, yields=("seeds-differ-wildly",)),
    Experiment(
        slug="single-process",
        does="run with one worker and one rank",
        cost=1.0,
        yields=("single-process-cures",),
        needs=frozenset({"workers"}),
    ),
    Experiment(
        slug="resume",
        does="stop, resume, and compare with an uninterrupted run",
        cost=2.0,
        yields=("loss-jumps-after-resume",),
        needs=frozenset({"checkpoint"}),
    ),
)

EXPERIMENTS = WATCHING + PROBES + TIMELINES

LADDER: tuple[str, ...] = (
    "watch-first-steps",
    "watch-initial-loss",
    "describe-data",
    "overfit-one-batch",
    "probe-dependence",
    "probe-parity",
    "noise-inputs",
    "reference-optimizer",
    "lr-tenth",
    "lr-tenfold",
    "fp32",
    "no-regularisation",
    "permute-targets",
    "same-seed",
    "other-seeds",
)
"""The order while nothing is known: cheapest and most specific first."""
