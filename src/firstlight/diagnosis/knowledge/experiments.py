"""What can be tried, what each try can show, what it costs and what it has to hold. Repairs are in `repairs.py`."""

from firstlight.diagnosis.knowledge.declare import Experiment


def _experiment(slug: str, does: str, cost: float, yields: str, *, needs: str = "") -> Experiment:
    """What it yields and needs are words of one string."""
    return Experiment(slug=slug, does=does, cost=cost, yields=tuple(yields.split()), needs=frozenset(needs.split()))


WATCHING = (
    _experiment(
        "watch-first-steps",
        "watch every call of the first steps",
        0.05,
        "gradients-missing gradients-exactly-zero parameters-unchanged-by-step gradient-norm-grows-every-step "
        "loss-negative loss-frozen nonfinite-at-start batch-repeats batches-hold-one-label",
    ),
    _experiment(
        "watch-permuted-answers",
        "compute the loss of every step again with the labels given to other examples",
        0.1,
        "answers-do-not-matter",
        needs="loss",
    ),
    _experiment(
        "watch-initial-loss",
        "compare the first loss with an uninformed guess",
        0.05,
        "init-loss-far-below-chance init-loss-far-above-chance init-loss-as-expected",
        needs="loss",
    ),
    _experiment(
        "describe-data",
        "describe the batches: ranges, labels, constants",
        0.05,
        "inputs-not-normalised features-constant classes-tenfold-imbalanced classes-hundredfold-imbalanced",
        needs="batch",
    ),
    _experiment(
        "compare-splits",
        "compare training and validation rows",
        0.2,
        "train-and-validation-differ validation-rows-in-training",
        needs="loader validation",
    ),
    _experiment(
        "watch-layers",
        "read gradients, updates and activations of every layer over some steps",
        0.2,
        "gradients-vanish-with-depth gradients-explode init-gradient-far-too-small units-dead "
        "activations-saturated network-narrows update-ratio-too-high update-ratio-too-low clipped-on-every-step",
        needs="model optimizer",
    ),
    _experiment(
        "watch-baseline",
        "run the program as it is and read its loss curve",
        1.0,
        "loss-falls-steadily loss-falls-slowly loss-flat-from-start loss-rises-from-start "
        "loss-falls-then-explodes loss-oscillates loss-repeats-each-epoch loss-spikes-and-recovers "
        "nonfinite-later plateau-at-constant-predictor plateau-at-double-activation-floor "
        "loss-scale-collapses memory-grows step-waits-for-data",
        needs="loss",
    ),
    _experiment(
        "watch-validation",
        "run the program to its evaluation and compare with training",
        2.0,
        "validation-at-chance-while-training-improves validation-below-chance "
        "validation-far-better-than-training loss-falls-metric-does-not gap-grows-late",
        needs="validation",
    ),
)

PROBES = (
    _experiment(
        "probe-dependence",
        "find which rows and positions an output depends on",
        0.05,
        "rows-depend-on-other-rows outputs-see-the-future",
        needs="model batch",
    ),
    _experiment(
        "probe-outputs", "compare the model's outputs over a batch", 0.05, "predictions-constant", needs="model batch"
    ),
    _experiment(
        "probe-repeat", "evaluate one batch twice", 0.05, "same-batch-gives-different-outputs", needs="model batch"
    ),
    _experiment(
        "probe-parity",
        "score training data through the evaluation path",
        0.2,
        "eval-differs-from-train-on-same-data",
        needs="model batch loss",
    ),
    _experiment(
        "probe-gradient",
        "compare the gradient with small changes of the parameters",
        0.1,
        "gradient-disagrees-with-differences",
        needs="model batch loss",
    ),
)

TIMELINES = (
    # That it cannot learn the batch is said by the way in which it fails.
    _experiment(
        "one-batch",
        "repeat one batch",
        0.5,
        "overfits-one-batch one-batch-loss-rises one-batch-loss-explodes one-batch-loss-oscillates "
        "one-batch-loss-plateaus",
        needs="batch optimizer",
    ),
    _experiment(
        "noise-inputs",
        "replace the inputs with noise of the same statistics",
        1.0,
        "noise-inputs-learn-as-well",
        needs="batch",
    ),
    _experiment("zero-inputs", "replace the inputs with zeros", 1.0, "noise-inputs-learn-as-well", needs="batch"),
    _experiment(
        "permuted-targets",
        "shuffle the targets within the batch",
        1.0,
        "permuted-targets-learn-as-well",
        needs="batch targets",
    ),
    _experiment(
        "shuffle-labels",
        "train on shuffled labels and validate",
        2.0,
        "shuffled-labels-still-validate",
        needs="loader targets validation",
    ),
    _experiment(
        "reference-optimizer",
        "train with Adam at 1e-3, without schedule or weight decay",
        1.0,
        "reference-optimizer-cures reference-optimizer-cannot-overfit",
        needs="model batch loss",
    ),
    _experiment(
        "synthetic-data",
        "train on synthetic, separable data of the same shapes",
        1.0,
        "learns-synthetic-data-only",
        needs="batch targets",
    ),
    _experiment(
        "simple-baseline", "fit a linear model on the same batches", 0.2, "simple-baseline-wins", needs="batch targets"
    ),
    _experiment("same-again", "run the same seed twice", 1.0, "same-seed-differs"),
    _experiment("other-seed", "run other seeds", 3.0, "seeds-differ-wildly"),
    _experiment("single-process", "run with one worker and one rank", 1.0, "single-process-cures", needs="workers"),
    _experiment(
        "resume",
        "stop, resume, and compare with an uninterrupted run",
        2.0,
        "loss-jumps-after-resume",
        needs="checkpoint",
    ),
)

EXPERIMENTS = WATCHING + PROBES + TIMELINES

LADDER: tuple[str, ...] = tuple(
    """watch-first-steps watch-initial-loss describe-data one-batch probe-dependence probe-parity noise-inputs
    reference-optimizer lr-tenth lr-tenfold fp32 unregularised permuted-targets same-again other-seed""".split()
)
"""The order while nothing is known: cheapest and most specific first."""
