"""What is likely before anything is seen: the table of causes, counts of what people asked about, and the program."""

from firstlight.diagnosis.knowledge.declare import Context

BUG_SHARE = 0.82
"""Of all runs brought to us; `null-*` and `unknown` have the rest as their own priors (.13 and .05)."""

COUNTED_SHARE = 0.4
"""How much the counts below weigh against the table: they cover plain scripts, and silent bugs only."""

COUNTED: tuple[tuple[int, str], ...] = (
    (62, "loss-double-activation loss-missing-activation loss-sign loss-mismatch loss-scale arch-output"),
    (56, "train-no-zero-grad train-no-step train-order train-accumulation train-reinit train-schedule"),
    (47, "loss-detached train-params-missing train-frozen"),
    (40, "hp-lr-high hp-lr-low hp-regularisation hp-clip hp-batch hp-warmup"),
    (27, "arch-init"),
    (27, "train-mode train-metric"),
    (23, "data-scale data-degenerate data-split-shift data-label-misaligned data-padding data-augment"),
    (20, "loss-dim loss-broadcast arch-batch-mixing"),
    (18, "arch-capacity arch-norm arch-mask arch-unused arch-vanishing arch-dead-units"),
    (11, "train-state-leak arch-shared"),
    (10, "data-stale-batch data-not-shuffled data-label-range data-leak-split"),
    (7, "env-distributed"),
    (6, "data-nonfinite data-imbalance data-label-noise"),
    (5, "train-checkpoint"),
    (4, "hp-optimizer"),
)
"""Root causes of 365 forum posts on silent bugs; within a line they are shared as the table shares them."""

CONTEXTS: tuple[Context, ...] = (
    Context("amp", times=(("num-precision", 3.0),)),
    Context("fp16", times=(("num-precision", 5.0),)),
    Context("sequence", times=(("arch-mask", 3.0), ("data-padding", 3.0), ("data-leak-future", 3.0))),
    Context("time-series", times=(("data-leak-future", 3.0),)),
    Context("batchnorm", times=(("arch-norm", 3.0), ("train-mode", 3.0))),
    Context("pretrained", times=(("data-split-shift", 3.0), ("train-frozen", 3.0), ("data-tokenizer", 3.0))),
    Context("distributed", times=(("env-distributed", 8.0),)),
    Context("custom-loss", times=(("loss-*", 2.0),)),
    Context("custom-backward", times=(("loss-gradient", 20.0),)),
    Context("many-workers-with-numpy", times=(("env-seed", 2.0),)),
    Context("resumed", times=(("train-checkpoint", 8.0),)),
    Context(
        "rl",
        gives=(
            ("rl-reward", 0.09),
            ("rl-done", 0.06),
            ("rl-target", 0.04),
            ("rl-advantage", 0.03),
            ("rl-obs", 0.02),
            ("rl-explore", 0.01),
            ("rl-stale", 0.01),
        ),
    ),
    Context(
        "pinn", gives=(("pinn-scale", 0.10), ("pinn-bc", 0.08), ("pinn-causality", 0.03), ("pinn-degenerate", 0.02))
    ),
    # What a program demonstrably lacks cannot be what is wrong with it; the rest is for what was not seen.
    Context("full-precision", times=(("num-precision", 0.1),)),
    Context("single-process", times=(("env-distributed", 0.02),)),
    Context("not-resumed", times=(("train-checkpoint", 0.1),)),
    Context("not-compiled", times=(("num-compile", 0.1),)),
    Context("no-attention", times=(("arch-mask", 0.1), ("arch-position", 0.1))),
    Context("no-clipping", times=(("hp-clip", 0.02),)),
    Context("no-schedule", times=(("train-schedule", 0.1),)),
    Context("no-accumulation", times=(("train-accumulation", 0.1),)),
    Context("no-normalisation-layer", times=(("arch-norm", 0.1),)),
    Context("no-regularisation", times=(("hp-regularisation", 0.05), ("data-augment", 0.5))),
    Context("no-text", times=(("data-tokenizer", 0.02), ("data-padding", 0.2))),
    Context("no-classes", times=(("data-imbalance", 0.1), ("data-label-range", 0.2), ("loss-double-activation", 0.1))),
)
