"""The causes: the public vocabulary of every finding and diagnosis. A slug is never renamed.

Priors are where to begin looking, not measured frequencies: data .40, loss .20, train .15, arch .10, hp .05, num
.05 and env .05 of what is wrong, beside .13 for nothing wrong and .05 for a a cause outside this list.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Cause:
    slug: str
    category: str
    meaning: str
    prior: float = 0.0
    """Share among the bugs; 0 where the cause belongs to a domain that says so itself."""


CAUSES: tuple[Cause, ...] = (
    Cause("data-nonfinite", "data", "NaN/Inf in inputs or targets", 0.02),
    Cause(
        "data-scale", "data", "inputs or targets badly scaled (raw 0..255, raw SI units, targets not normalized)", 0.05
    ),
    Cause("data-degenerate", "data", "inputs are constant or zero, or preprocessing destroys their information", 0.03),
    Cause("data-label-misaligned", "data", "labels do not belong to their inputs", 0.04),
    Cause("data-label-range", "data", "class index or token id out of range or off by one", 0.022),
    Cause("data-imbalance", "data", "one class dominates, so always predicting it scores well", 0.035),
    Cause("data-leak-split", "data", "training and test data overlap", 0.025),
    Cause("data-leak-target", "data", "the label (or a function of it) is in the inputs", 0.022),
    Cause(
        "data-leak-future",
        "data",
        "the model sees the future (random split of a time series, unmasked next token, wrong shift)",
        0.025,
    ),
    Cause("data-stale-batch", "data", "loader yields the same batch or identical augmentations over and over", 0.015),
    Cause("data-not-shuffled", "data", "data is sorted and not shuffled", 0.018),
    Cause("data-split-shift", "data", "training and evaluation data differ in preprocessing or distribution", 0.025),
    Cause("data-padding", "data", "padding or special tokens counted in the loss, pooling or attention", 0.014),
    Cause("data-schema", "data", "a column is missing, has the wrong dtype or is in the wrong order", 0.012),
    Cause("data-label-noise", "data", "many wrong labels, or an ambiguous task", 0.01),
    Cause("data-labels-masked", "data", "every (or nearly every) target is ignored", 0.006),
    Cause("data-augment", "data", "augmentation is too strong or changes the label", 0.008),
    Cause("data-outlier", "data", "rare corrupt examples, or a bad stretch of data", 0.006),
    Cause("data-tokenizer", "data", "tokenizer / chat template / BOS / special-token mismatch", 0.005),
    Cause("data-cache-stale", "data", "cached preprocessing no longer matches the code", 0.004),
    Cause("data-duplicates", "data", "duplicates in the training data, some with conflicting labels", 0.003),
    Cause("data-too-little", "data", "too few examples for the task", 0.005),
    Cause("loss-double-activation", "loss", "softmax before cross_entropy, sigmoid before BCEWithLogits", 0.04),
    Cause("loss-missing-activation", "loss", "raw logits into NLLLoss / BCELoss", 0.015),
    Cause("loss-sign", "loss", "the loss has the wrong sign", 0.015),
    Cause("loss-broadcast", "loss", "predictions and targets broadcast silently to another shape", 0.035),
    Cause("loss-dim", "loss", "softmax / reduction over the wrong dimension", 0.015),
    Cause("loss-mismatch", "loss", "the loss does not suit the task", 0.025),
    Cause(
        "loss-scale",
        "loss",
        "reduction or weighting gives the loss or its gradient the wrong scale; one term drowns out another",
        0.022,
    ),
    Cause(
        "loss-detached",
        "loss",
        "loss does not depend on (some) parameters: detach/item/argmax/no_grad/.data/numpy",
        0.025,
    ),
    Cause("loss-conflict", "loss", "terms of the loss pull in opposite directions", 0.004),
    Cause(
        "loss-gradient",
        "loss",
        "a hand-written backward (autograd.Function, hook) does not match the forward "
        "(grad_output dropped, wrong factor or sign)",
        0.004,
    ),
    Cause("train-no-zero-grad", "train", "gradients accumulate unintentionally", 0.02),
    Cause("train-no-step", "train", "optimizer.step is missing or never reached", 0.01),
    Cause("train-order", "train", "zero_grad/backward/step/clip/unscale/scheduler in the wrong order", 0.016),
    Cause(
        "train-params-missing",
        "train",
        "parameters not in the optimizer (unregistered list, optimizer made before layer swap, wrong model)",
        0.018,
    ),
    Cause("train-frozen", "train", "parameters frozen by accident", 0.012),
    Cause("train-mode", "train", "the model is in the wrong mode (train or eval)", 0.022),
    Cause(
        "train-schedule",
        "train",
        "the schedule takes the learning rate to ~0 or far too high, or is stepped at the wrong cadence",
        0.014,
    ),
    Cause("train-reinit", "train", "model or optimizer re-created during training", 0.004),
    Cause("train-state-leak", "train", "hidden state or graph is carried across batches; memory grows", 0.008),
    Cause("train-accumulation", "train", "gradient accumulation scaled wrongly", 0.007),
    Cause("train-checkpoint", "train", "resuming loses or mismatches model, optimizer or scheduler state", 0.007),
    Cause("train-metric", "train", "the metric is computed wrongly", 0.009),
    Cause("train-swallowed", "train", "exceptions are caught and steps silently skipped", 0.002),
    Cause("train-ema", "train", "the EMA or target copy shares the model's weights, or is never updated", 0.001),
    Cause("arch-dead-units", "arch", "dead ReLUs", 0.008),
    Cause("arch-vanishing", "arch", "vanishing gradients", 0.01),
    Cause("arch-exploding", "arch", "exploding gradients or activations", 0.01),
    Cause("arch-init", "arch", "bad initialization (all zero, symmetric or far too large)", 0.012),
    Cause("arch-unused", "arch", "a module is defined but not used in forward", 0.005),
    Cause("arch-batch-mixing", "arch", "view/reshape/transpose/softmax mixes examples across the batch", 0.012),
    Cause("arch-mask", "arch", "attention/causal/padding mask missing, inverted or wrong shape", 0.014),
    Cause(
        "arch-capacity", "arch", "the model cannot express the target (too small, no nonlinearity, bottleneck)", 0.01
    ),
    Cause("arch-norm", "arch", "normalization layer misused (BatchNorm with batch size 1, wrong axis, ...)", 0.009),
    Cause(
        "arch-output",
        "arch",
        "wrong output activation or range (ReLU on a regression output, sigmoid for an unbounded target)",
        0.006,
    ),
    Cause("arch-shared", "arch", "parameters shared unintentionally", 0.002),
    Cause("arch-position", "arch", "positional encoding has the wrong axis or offset", 0.002),
    Cause("hp-lr-high", "hp", "learning rate too high", 0.018),
    Cause("hp-lr-low", "hp", "learning rate too low", 0.01),
    Cause(
        "hp-regularisation", "hp", "weight decay, dropout or label smoothing so strong that nothing is learned", 0.007
    ),
    Cause("hp-clip", "hp", "gradient clipping so tight that nothing moves", 0.003),
    Cause("hp-optimizer", "hp", "momentum, betas or eps wrong", 0.004),
    Cause("hp-batch", "hp", "batch size far too small or too large", 0.004),
    Cause("hp-warmup", "hp", "warm-up missing or too short", 0.004),
    Cause("num-nonfinite", "num", "log(0), 0/0, sqrt'(0), exp overflow in the model or loss", 0.022),
    Cause(
        "num-precision",
        "num",
        "fp16/bf16 underflow or overflow, missing loss scaler, low-precision optimizer state",
        0.018,
    ),
    Cause("num-logit-growth", "num", "attention or output logits grow until training becomes unstable", 0.006),
    Cause("num-compile", "num", "a compiler or backend kernel computes wrong results", 0.004),
    Cause("env-seed", "env", "nondeterminism, missing seeds, or workers that share a seed", 0.014),
    Cause(
        "env-distributed",
        "env",
        "ranks see the same data, gradients are not averaged, no set_epoch, or ranks drift apart",
        0.014,
    ),
    Cause("env-input-bound", "env", "the step waits on the data loader", 0.008),
    Cause("env-sdc", "env", "hardware fault, silent data corruption", 0.003),
    Cause("env-memory", "env", "memory leak, or close to running out of memory", 0.006),
    Cause("env-version", "env", "regression in a library version", 0.005),
    Cause("rl-reward", "rl", "reward has the wrong sign or scale"),
    Cause("rl-done", "rl", "episode boundaries handled wrongly"),
    Cause("rl-target", "rl", "bootstrapping or the target network is wrong"),
    Cause("rl-advantage", "rl", "advantages computed wrongly"),
    Cause("rl-explore", "rl", "exploration"),
    Cause("rl-stale", "rl", "samples too old for the policy"),
    Cause("rl-obs", "rl", "observations badly scaled"),
    Cause("pinn-scale", "pinn", "nondimensionalisation"),
    Cause("pinn-bc", "pinn", "the gradient of the boundary condition is out of balance with the others"),
    Cause("pinn-causality", "pinn", "later times are fitted before earlier ones"),
    Cause("pinn-degenerate", "pinn", "an estimated parameter sits at its bound"),
    Cause("eval-judge", "eval", "the LLM judge is biased or unstable"),
    Cause("null-noise", "null", "the difference is only seed noise", 0.03),
    Cause("null-slow", "null", "it only needs more training", 0.04),
    Cause("null-overfit", "null", "plain overfitting, no bug", 0.04),
    Cause("null-hard", "null", "the remaining error is irreducible", 0.02),
    Cause("unknown", "unknown", "a cause outside this list", 0.05),
)

BY_SLUG = {cause.slug: cause for cause in CAUSES}


def category_of(slug: str) -> str:
    return BY_SLUG[slug].category
