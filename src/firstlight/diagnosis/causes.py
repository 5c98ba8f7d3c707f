"""The causes: the public vocabulary of every finding and diagnosis. A slug is never renamed.

Priors are where to begin looking, not measured frequencies: data .40, loss .20, train .15, arch .10, hp .05, num
.05 and env .05 of what is wrong, beside .13 for nothing wrong and .05 for a cause outside the list.
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
        "data-scale", "data", "inputs or targets badly scaled (raw 0..255, raw SI units, un-normalised targets)", 0.05
    ),
    Cause("data-degenerate", "data", "inputs constant, zero, or information destroyed by preprocessing", 0.03),
    Cause("data-label-misaligned", "data", "labels do not belong to their inputs", 0.04),
    Cause("data-label-range", "data", "class index / token id out of range or off by one", 0.022),
    Cause("data-imbalance", "data", "one class dominates so that 'always majority' wins", 0.035),
    Cause("data-leak-split", "data", "train/test overlap", 0.025),
    Cause("data-leak-target", "data", "the label (or a function of it) is in the inputs", 0.022),
    Cause(
        "data-leak-future",
        "data",
        "the model sees the future (random split of a time series, unmasked next token, wrong shift)",
        0.025,
    ),
    Cause("data-stale-batch", "data", "loader yields the same batch / identical augmentations over and over", 0.015),
    Cause("data-not-shuffled", "data", "sorted data, shuffle off", 0.018),
    Cause("data-split-shift", "data", "train and eval preprocessed differently / different distributions", 0.025),
    Cause("data-padding", "data", "padding or special tokens counted in loss/pooling/attention", 0.014),
    Cause("data-schema", "data", "column missing / wrong dtype / wrong order", 0.012),
    Cause("data-label-noise", "data", "many wrong labels / ambiguous task", 0.01),
    Cause("data-labels-masked", "data", "every (or nearly every) target is ignored", 0.006),
    Cause("data-augment", "data", "augmentation too strong or label-changing", 0.008),
    Cause("data-outlier", "data", "bad data pocket, rare corrupt samples", 0.006),
    Cause("data-tokenizer", "data", "tokenizer / chat template / BOS / special-token mismatch", 0.005),
    Cause("data-cache-stale", "data", "cached preprocessing no longer matches code", 0.004),
    Cause("data-duplicates", "data", "duplicates/conflicting duplicates inside train", 0.003),
    Cause("data-too-little", "data", "too few examples for the task", 0.005),
    Cause("loss-double-activation", "loss", "softmax before cross_entropy, sigmoid before BCEWithLogits", 0.04),
    Cause("loss-missing-activation", "loss", "raw logits into NLLLoss / BCELoss", 0.015),
    Cause("loss-sign", "loss", "wrong sign", 0.015),
    Cause("loss-broadcast", "loss", "prediction and target shapes broadcast silently", 0.035),
    Cause("loss-dim", "loss", "softmax / reduction over the wrong dimension", 0.015),
    Cause("loss-mismatch", "loss", "wrong loss for the task", 0.025),
    Cause(
        "loss-scale",
        "loss",
        "reduction or weighting makes the loss/gradient scale wrong; terms that drown each other",
        0.022,
    ),
    Cause(
        "loss-detached",
        "loss",
        "loss does not depend on (some) parameters: detach/item/argmax/no_grad/.data/numpy",
        0.025,
    ),
    Cause("loss-conflict", "loss", "terms pull in opposite directions", 0.004),
    Cause(
        "loss-gradient",
        "loss",
        "a hand-written backward (autograd.Function, hook) does not match the forward "
        "(grad_output dropped, wrong factor or sign)",
        0.004,
    ),
    Cause("train-no-zero-grad", "train", "gradients accumulate unintentionally", 0.02),
    Cause("train-no-step", "train", "optimizer.step missing / never reached", 0.01),
    Cause("train-order", "train", "zero_grad/backward/step/clip/unscale/scheduler in the wrong order", 0.016),
    Cause(
        "train-params-missing",
        "train",
        "parameters not in the optimizer (unregistered list, optimizer made before layer swap, wrong model)",
        0.018,
    ),
    Cause("train-frozen", "train", "parameters frozen by accident", 0.012),
    Cause("train-mode", "train", "train()/eval() mode wrong", 0.022),
    Cause("train-schedule", "train", "LR schedule drives lr to ~0 or explodes, stepped at wrong cadence", 0.014),
    Cause("train-reinit", "train", "model or optimizer re-created during training", 0.004),
    Cause("train-state-leak", "train", "hidden state/graph carried across batches, memory grows", 0.008),
    Cause("train-accumulation", "train", "gradient accumulation scaled wrongly", 0.007),
    Cause("train-checkpoint", "train", "resume loses or mismatches model/optimizer/scheduler state", 0.007),
    Cause("train-metric", "train", "the metric is computed wrongly", 0.009),
    Cause("train-swallowed", "train", "exceptions caught, steps silently skipped", 0.002),
    Cause("train-ema", "train", "EMA/target copy aliasing or never updated", 0.001),
    Cause("arch-dead-units", "arch", "dead ReLUs", 0.008),
    Cause("arch-vanishing", "arch", "vanishing gradients", 0.01),
    Cause("arch-exploding", "arch", "exploding gradients/activations", 0.01),
    Cause("arch-init", "arch", "bad initialisation (all zero / symmetric / far too large)", 0.012),
    Cause("arch-unused", "arch", "module defined but not used in forward", 0.005),
    Cause("arch-batch-mixing", "arch", "view/reshape/transpose/softmax mixes examples across the batch", 0.012),
    Cause("arch-mask", "arch", "attention/causal/padding mask missing, inverted or wrong shape", 0.014),
    Cause("arch-capacity", "arch", "cannot express the target (too small, no nonlinearity, bottleneck)", 0.01),
    Cause("arch-norm", "arch", "normalisation layer misused (BatchNorm with batch 1, wrong axis, ...)", 0.009),
    Cause(
        "arch-output",
        "arch",
        "wrong output activation/range (ReLU on a regression output, sigmoid for unbounded target)",
        0.006,
    ),
    Cause("arch-shared", "arch", "parameters unintentionally shared / aliased", 0.002),
    Cause("arch-position", "arch", "positional encoding wrong axis/offset", 0.002),
    Cause("hp-lr-high", "hp", "learning rate too high", 0.018),
    Cause("hp-lr-low", "hp", "learning rate too low", 0.01),
    Cause("hp-regularisation", "hp", "weight decay / dropout / label smoothing so strong nothing is learnt", 0.007),
    Cause("hp-clip", "hp", "gradient clipping so tight nothing moves", 0.003),
    Cause("hp-optimizer", "hp", "momentum/betas/eps wrong", 0.004),
    Cause("hp-batch", "hp", "batch size far too small/large", 0.004),
    Cause("hp-warmup", "hp", "missing/too short warm-up", 0.004),
    Cause("num-nonfinite", "num", "log(0), 0/0, sqrt'(0), exp overflow in the model or loss", 0.022),
    Cause("num-precision", "num", "fp16/bf16 underflow/overflow, missing scaler, low-precision optimizer state", 0.018),
    Cause("num-logit-growth", "num", "attention/output logits grow until unstable", 0.006),
    Cause("num-compile", "num", "compiler/backend kernel miscomputes", 0.004),
    Cause("env-seed", "env", "nondeterminism / unseeded / worker seed duplication", 0.014),
    Cause("env-distributed", "env", "ranks see the same data, gradients not averaged, no set_epoch, desync", 0.014),
    Cause("env-input-bound", "env", "the step waits on the data loader", 0.008),
    Cause("env-sdc", "env", "hardware fault, silent data corruption", 0.003),
    Cause("env-memory", "env", "memory leak / OOM pressure", 0.006),
    Cause("env-version", "env", "library version regression", 0.005),
    Cause("rl-reward", "rl", "reward sign or scale"),
    Cause("rl-done", "rl", "episode boundary handled wrongly"),
    Cause("rl-target", "rl", "bootstrapping or target network wrong"),
    Cause("rl-advantage", "rl", "advantage calc"),
    Cause("rl-explore", "rl", "exploration"),
    Cause("rl-stale", "rl", "stale samples"),
    Cause("rl-obs", "rl", "obs scaling"),
    Cause("pinn-scale", "pinn", "nondimensionalisation"),
    Cause("pinn-bc", "pinn", "BC gradient imbalance"),
    Cause("pinn-causality", "pinn", "later times first"),
    Cause("pinn-degenerate", "pinn", "parameter at bound"),
    Cause("eval-judge", "eval", "LLM judge bias/instability"),
    Cause("null-noise", "null", "seed noise", 0.03),
    Cause("null-slow", "null", "needs more time", 0.04),
    Cause("null-overfit", "null", "honest overfitting", 0.04),
    Cause("null-hard", "null", "irreducible error", 0.02),
    Cause("unknown", "unknown", "cause outside the list", 0.05),
)

BY_SLUG = {cause.slug: cause for cause in CAUSES}


def category_of(slug: str) -> str:
    return BY_SLUG[slug].category
