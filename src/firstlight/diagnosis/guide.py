"""Where to look when training goes wrong and no check has reported anything: symptoms, an order, and what not to do."""

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
    Symptom("shapes do not match", ("data-schema",), "preflight names the module and both shapes (FL030)",
            "give the data as many features as the model expects"),
    Symptom("a checkpoint does not load", ("train-checkpoint",), "preflight compares names and shapes (FL332)",
            "build the model with the same arguments; strip the prefix that is named"),
    Symptom("the loss is NaN at the first steps",
            ("data-nonfinite", "num-nonfinite", "data-label-range", "arch-mask", "num-precision"),
            "FL601 names the first bad value", "fix that operation or example, not the last one"),
    Symptom("the loss turns NaN later", ("hp-lr-high", "num-precision", "num-nonfinite", "data-outlier"),
            "repeat it with a tenth of the learning rate, and in single precision",
            "apply the change that keeps it finite"),
    Symptom("gradients are zero", ("arch-dead-units", "loss-detached", "train-frozen"),
            "FL433, after some steps instead of at the first", "reconnect the graph; revive the units"),
    Symptom("gradients vanish", ("arch-vanishing", "arch-init"), "FL413 compares layers by depth",
            "add skip connections and normalization"),
    Symptom("gradients explode", ("hp-lr-high", "arch-exploding", "data-scale"), "FL432, and the scale of the inputs",
            "scale the data, then fix the initialization, then the rate; clip last"),
    Symptom("the loss rises from the start", ("loss-sign", "hp-lr-high"), "FL232 tests the loss by itself",
            "correct the sign"),
    Symptom("the loss is stuck from the start",
            ("train-params-missing", "train-frozen", "loss-detached", "loss-double-activation", "hp-lr-low"),
            "overfit two examples (FL531)", "see which way that fails"),
    Symptom("the loss oscillates", ("hp-lr-high", "hp-batch", "data-not-shuffled"),
            "repeat it with a third of the learning rate",
            "shuffle; lower the rate; warm up"),
    Symptom("the loss plateaus too high",
            ("loss-double-activation", "hp-regularisation", "hp-lr-low", "arch-capacity"),
            "repeat it without regularization", "remove the extra activation; then add capacity"),
    Symptom("the first loss is far too low", ("data-leak-target", "data-labels-masked"),
            "FL230 on the targets it trains on",
            "remove the leak from the inputs"),
    Symptom("noise inputs train as well", ("data-degenerate", "loss-detached"), "print the tensors stage by stage",
            "fix the stage at which examples become identical"),
    Symptom("one class is always predicted", ("data-imbalance", "arch-init"), "count the labels of ten batches",
            "weight or resample; initialize the bias to the class frequencies"),
    Symptom("all predictions are the same", ("data-scale", "arch-dead-units", "loss-mismatch"),
            "FL533 compares predictions after a short training", "standardize the targets"),
    Symptom("training is fine and validation is not",
            ("data-split-shift", "train-mode", "train-metric", "null-overfit"),
            "evaluate on training data: both must agree (FL440)",
            "make both agree first; only then call it overfitting"),
    Symptom("the loss is fine and the metric is not", ("train-metric", "loss-mismatch"),
            "give the metric the labels as predictions: the score must be perfect",
            "correct its axis, averaging or direction"),
    Symptom("seeds disagree", ("null-noise", "env-seed", "arch-init"), "run the same seed twice (FL537)",
            "report the spread over seeds"),
    Symptom("a spike after resuming", ("train-checkpoint",), "FL332 saves, reloads and compares the next steps",
            "save optimizer, schedule, random states and position in the data"),
    Symptom("it trains slowly and steadily", ("env-input-bound", "null-slow", "hp-lr-low"),
            "time the loader without the model", "add workers; then raise the learning rate"),
)  # fmt: skip


def guided(text: str) -> Symptom | None:
    """The symptom whose title that is."""
    return next((symptom for symptom in SYMPTOMS if symptom.seen == text.strip().lower()), None)


TRIAGE: tuple[str, ...] = (
    "If there is an exception: read the piece, the line and the two shapes it names (FL030), and fix that first.",
    "Reproduce it: same seed, one worker, one rank. If it disappears, it is a race or the seed.",
    "Lint the sources and check a few steps: that is the cheapest test, and the most specific.",
    "Anything not finite: find the first bad value before changing any arithmetic.",
    "Look at the data as it enters the model: ranges, labels, masks, order, duplicates, splits.",
    "Look at the first loss, and at the spread of the logits behind it.",
    "Overfit two examples, with your own optimizer and with Adam.",
    "It overfits two examples but not the data: check the actual learning rate, frozen parameters, label alignment.",
    "Falls, then explodes: check norms before clipping, a tenth of the rate, precision, the batch at the spike.",
    "Good on training data only: check split, preprocessing, eval mode and metric. Only then call it overfitting.",
    "Good loss, bad metric: test the metric with perfect predictions.",
    "Constant outputs: check class imbalance, dead units, the initialization.",
    "Ranks, mixed precision, compilation: switch each off once.",
    "Healthy but slow: check throughput, batch size, learning rate.",
    "Two rounds without a suspect: compare with an implementation that works, and build the smallest failing case.",
)

HABITS: tuple[tuple[str, str], ...] = (
    ("tuning the learning rate first", "settings cause one bug in twenty; look at the data first, then at the loss"),
    ("adding eps or clamp where the NaN shows", "it hides the first bad value, which is elsewhere"),
    ("changing several things at once", "make one change per run, with the same seed, or you learn nothing from it"),
    ("calling it overfitting", "a wrong split, mode or metric looks the same; rule those out first"),
    ("judging by one seed", "the difference may be luck; three seeds cost less than a wrong conclusion"),
    ("clipping gradients to keep a run alive", "it only hides the cause, which is still there without clipping"),
    ("watching the loss alone", "the loss can fall while every prediction is the same"),
    ("catching exceptions in the training loop", "skipped steps look like slow learning"),
)
"""What not to do, and why."""
