"""Where to look when training goes wrong and no check has spoken: symptoms, an order, and what not to do."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Symptom:
    seen: str
    causes: tuple[str, ...]
    """Most likely first."""
    test: str
    """The cheapest that tells them apart."""
    fix: str


SYMPTOMS: tuple[Symptom, ...] = (
    Symptom("shapes do not fit", ("data-schema",), "preflight names the module and both shapes (FL030)",
            "make the number of features the model's"),
    Symptom("a checkpoint does not load", ("train-checkpoint",), "preflight compares names and shapes (FL332)",
            "the same constructor arguments; strip the prefix named"),
    Symptom("the loss is NaN at the first steps",
            ("data-nonfinite", "num-nonfinite", "data-label-range", "arch-mask", "num-precision"),
            "FL601 names the first bad value", "mend that operation or example, not the last one"),
    Symptom("the loss turns NaN later", ("hp-lr-high", "num-precision", "num-nonfinite", "data-outlier"),
            "the same run with a tenth of the learning rate, and in single precision", "the one that survives tells"),
    Symptom("gradients are zero", ("arch-dead-units", "loss-detached", "train-frozen"),
            "FL433 after real steps, not at the first", "reconnect the graph; revive the units"),
    Symptom("gradients vanish", ("arch-vanishing", "arch-init"), "FL413 along the depth", "shortcuts and norms"),
    Symptom("gradients explode", ("hp-lr-high", "arch-exploding", "data-scale"), "FL432, and the scale of the inputs",
            "scale the data, then the start, then the rate; clip last"),
    Symptom("the loss rises from the start", ("loss-sign", "hp-lr-high"), "FL232 asks the loss itself", "the sign"),
    Symptom("the loss is stuck from the start",
            ("train-params-missing", "train-frozen", "loss-detached", "loss-double-activation", "hp-lr-low"),
            "learn two examples by heart (FL531)", "what its failure shape says"),
    Symptom("the loss swings", ("hp-lr-high", "hp-batch", "data-not-shuffled"), "a third of the learning rate",
            "shuffle; lower the rate; warm up"),
    Symptom("the loss rests too high",
            ("loss-double-activation", "hp-regularisation", "hp-lr-low", "arch-capacity"),
            "the same without regularisation", "remove the activation; then capacity"),
    Symptom("the first loss is far too low", ("data-leak-target", "data-labels-masked"), "FL230 with the targets seen",
            "take the leak out of the inputs"),
    Symptom("noise as input trains as well", ("data-degenerate", "loss-detached"), "print tensors stage by stage",
            "the stage at which they become alike"),
    Symptom("one class is always predicted", ("data-imbalance", "arch-init"), "count the labels of ten batches",
            "weights or resampling; start the bias at the class frequencies"),
    Symptom("predictions are all alike", ("data-scale", "arch-dead-units", "loss-mismatch"), "FL533",
            "standardise the targets"),
    Symptom("training is fine and validation is not",
            ("data-split-shift", "train-mode", "train-metric", "null-overfit"),
            "validate on training data: it must agree (FL440)", "parity first; only then call it overfitting"),
    Symptom("the loss is fine and the metric is not", ("train-metric", "loss-mismatch"),
            "give the metric the labels as predictions: it must be perfect", "its axis, averaging or direction"),
    Symptom("seeds disagree", ("null-noise", "env-seed", "arch-init"), "the same seed twice (FL537)",
            "report the spread over seeds"),
    Symptom("a spike after resuming", ("train-checkpoint",), "FL332 trains on after the reload",
            "save optimizer, schedule, random states and place in the data"),
    Symptom("it trains slowly and steadily", ("env-input-bound", "null-slow", "hp-lr-low"),
            "time one batch without the model", "workers; then the learning rate"),
)  # fmt: skip


def guided(text: str) -> Symptom | None:
    """The symptom whose title that is."""
    return next((symptom for symptom in SYMPTOMS if symptom.seen == text.strip().lower()), None)


TRIAGE: tuple[str, ...] = (
    "An exception ends the search: read the piece, the line and the two shapes (FL030), and stop there.",
    "Make it happen twice: same seed, one worker, one rank. What vanishes then is a race or the seed.",
    "Lint the sources and check three steps: the cheapest look, and the most specific one.",
    "Anything not finite: find the first bad value before changing any arithmetic.",
    "Look at the data as it enters the model: ranges, labels, masks, order, duplicates, splits.",
    "The first loss, and the spread of the scores behind it.",
    "Learn two examples by heart, with the optimizer at hand and with Adam.",
    "Learns by heart, yet stands still: the rate that is really applied, frozen parameters, label alignment.",
    "Falls, then explodes: norms before clipping, a tenth of the rate, precision, the batch at the spike.",
    "Good on training data alone: the split, the preprocessing, eval mode, the metric. Only then overfitting.",
    "Good loss and bad metric: test the metric with perfect answers.",
    "Constant outputs: imbalance, dead units, the start.",
    "Ranks, mixed precision, compilation: switch each off once.",
    "Healthy and slow: throughput, batch size, learning rate.",
    "Two rounds without a place to point at: read an implementation that works, and build the smallest failing case.",
)

HABITS: tuple[tuple[str, str], ...] = (
    ("turning the learning rate first", "settings are a twentieth of all bugs; look at the data, then at the loss"),
    ("adding eps or clamp where the NaN shows", "it hides the first bad value, which is somewhere else"),
    ("changing several things at once", "one change a run, with the same seed, or nothing is learnt from it"),
    ("calling it overfitting", "a wrong split, mode or metric looks the same; rule them out first"),
    ("judging by one seed", "the difference may be luck; three seeds cost less than a wrong conclusion"),
    ("clipping gradients to keep a run alive", "it mitigates; the cause is still there when clipping is taken away"),
    ("watching the loss alone", "a falling loss with a constant prediction is a falling loss"),
    ("catching exceptions in the training loop", "skipped steps look like slow learning"),
)
"""Not to be done, and why."""
