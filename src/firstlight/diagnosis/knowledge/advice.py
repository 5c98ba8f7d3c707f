"""Per cause: the cheapest test that would clear it, and what to change when it is there."""

from firstlight.diagnosis.knowledge.declare import Advice

DATA = (
    Advice("data-nonfinite", "count NaN and infinity per column and row", "drop or impute the rows; guard the loader"),
    Advice(
        "data-scale", "print mean and standard deviation per feature and target", "standardize with training statistics"
    ),
    Advice("data-degenerate", "print the batch after each transform", "fix the transform that makes it constant"),
    Advice("data-label-misaligned", "look at twenty inputs and labels", "shuffle jointly; join by key, not order"),
    Advice(
        "data-label-range", "print the smallest and largest label", "map labels to 0..C-1; match the size of the head"
    ),
    Advice("data-imbalance", "print the recall of each class", "weight or resample classes; use a metric per class"),
    Advice("data-leak-split", "hash the rows and intersect the splits", "split first, by group; then augment"),
    Advice("data-leak-target", "train on each feature alone", "remove the feature that reveals the label"),
    Advice(
        "data-leak-future",
        "corrupt later rows and see which outputs change",
        "split by time; mask and shift exactly once",
    ),
    Advice("data-stale-batch", "hash consecutive batches", "create the iterator once per epoch; check the cache"),
    Advice(
        "data-not-shuffled", "print the labels of three batches", "use shuffle=True, or reseed the sampler each epoch"
    ),
    Advice("data-split-shift", "compare statistics of both splits", "use one preprocessing function for both splits"),
    Advice(
        "data-padding", "count ignored targets and positions", "use ignore_index, masked pooling, an attention mask"
    ),
    Advice("data-schema", "print column names and dtypes", "select columns by name, with explicit dtypes"),
    Advice("data-label-noise", "read the most confident mistakes", "relabel where the model disagrees most"),
    Advice("data-labels-masked", "count the targets that are not ignored", "fix the mask or the response template"),
    Advice("data-augment", "train once without augmentation", "reduce it; transform the labels too"),
    Advice("data-outlier", "replay the batch of the spike alone", "filter or clip those samples"),
    Advice("data-tokenizer", "decode one batch and read it", "use the model's own tokenizer, template and BOS"),
    Advice("data-cache-stale", "delete the cache and run again", "key the cache by a hash of the code"),
    Advice("data-duplicates", "hash the training rows", "de-duplicate"),
    Advice("data-too-little", "train on a tenth and compare", "get more data, or pretrained features"),
)

LOSS = (
    Advice("loss-double-activation", "print the row sums of the loss's input", "delete the activation; keep logits"),
    Advice("loss-missing-activation", "print the range of the loss's input", "use cross_entropy or BCEWithLogits"),
    Advice("loss-sign", "take one tiny step and compare the loss", "minimize: remove the minus or the maximize flag"),
    Advice("loss-broadcast", "print both shapes at the loss", "give both the same shape; squeeze(-1) the predictions"),
    Advice("loss-dim", "print the sums over each dimension", "use dim=-1 for classes; transpose for (B, C, T)"),
    Advice("loss-mismatch", "name task, head and loss side by side", "pair the task with its head and loss"),
    Advice("loss-scale", "halve the batch and compare the loss", "use the mean; balance terms by gradient norm"),
    Advice(
        "loss-detached",
        "list the parameters whose gradient is None",
        "keep every tensor between them and the loss in the graph",
    ),
    Advice("loss-conflict", "print the cosine between the terms' gradients", "reweight, project, or drop a term"),
    Advice("loss-gradient", "run torch.autograd.gradcheck on the function", "derive the backward again, or drop it"),
)

TRAIN = (
    Advice("train-no-zero-grad", "print the gradient norm of five steps", "call zero_grad once per step"),
    Advice("train-no-step", "compare a weight before and after a step", "call step; check the conditions around it"),
    Advice("train-order", "log the calls of one step", "order: zero, backward, unscale, clip, step, update, schedule"),
    Advice(
        "train-params-missing",
        "compare the model's parameters with the optimizer's",
        "register them before you build the optimizer",
    ),
    Advice("train-frozen", "list the parameters without requires_grad", "set requires_grad on those that should train"),
    Advice("train-mode", "print model.training in each phase", "call train() and eval() around the phases"),
    Advice(
        "train-schedule", "print the learning rate per step", "correct the schedule's unit (steps or epochs) and length"
    ),
    Advice("train-reinit", "print id(model) and id(optimizer) per epoch", "construct both once, outside the loop"),
    Advice("train-state-leak", "watch memory over fifty steps", "detach carried state; store floats, not tensors"),
    Advice("train-accumulation", "compare with one large batch", "divide by the number of batches, or by all tokens"),
    Advice("train-checkpoint", "resume and compare ten losses", "save model, optimizer, scheduler, scaler, RNG"),
    Advice("train-metric", "feed the metric perfect predictions", "check axis, averaging and label mapping"),
    Advice("train-swallowed", "count the steps that were applied", "re-raise what the except block catches"),
    Advice("train-ema", "compare both copies after ten steps", "use a deep copy; call the update each step"),
)

ARCH = (
    Advice(
        "arch-dead-units",
        "count units that are zero for all inputs",
        "lower the learning rate; use LeakyReLU or GELU; normalize",
    ),
    Advice(
        "arch-vanishing",
        "print the gradient norm per layer",
        "add residuals and normalization; change activation or init",
    ),
    Advice(
        "arch-exploding", "print the activation norm per layer", "scale residuals, add normalization, clip gradients"
    ),
    Advice(
        "arch-init",
        "print the standard deviation of the first logits",
        "use the init scheme for that activation and width",
    ),
    Advice("arch-unused", "list the modules that forward never calls", "call them in forward, or remove them"),
    Advice(
        "arch-batch-mixing", "change one row and see which outputs change", "use permute, not view; check batch_first"
    ),
    Advice(
        "arch-mask", "change a later token and see which outputs change", "check polarity and shape; mask no row fully"
    ),
    Advice("arch-capacity", "double the width and overfit one batch", "add width, depth or a nonlinearity"),
    Advice("arch-norm", "compare outputs at batch sizes 1 and 32", "check the axis; use GroupNorm for small batches"),
    Advice("arch-output", "compare the ranges of outputs and targets", "remove or replace the final activation"),
    Advice("arch-shared", "look for parameters with equal data_ptr", "construct separate modules"),
    Advice("arch-position", "shift the input by one position", "check axis and offset of the encoding"),
)

SETTINGS = (
    Advice("hp-lr-high", "run with a tenth of the learning rate", "go below the rate at which it diverges; warm up"),
    Advice("hp-lr-low", "run with ten times the learning rate", "raise the learning rate"),
    Advice("hp-regularisation", "run without dropout, decay and smoothing", "reduce them one by one"),
    Advice("hp-clip", "run without clipping", "clip at the 90th percentile of the norms"),
    Advice("hp-optimizer", "run with default betas and eps", "go back to the defaults"),
    Advice("hp-batch", "run with half and twice the batch size", "choose batch size and learning rate together"),
    Advice("hp-warmup", "warm up over a tenth of the steps", "keep a warm-up of 1 to 10 %"),
    Advice("num-nonfinite", "find the first op whose output is not finite", "use the stable form of that op"),
    Advice("num-precision", "run in full precision", "use bf16, a scaler, or fp32 master weights"),
    Advice("num-logit-growth", "plot the largest logit", "normalize queries and keys; add z-loss; lower the rate"),
    Advice("num-compile", "run without compilation", "run that part eagerly and report the bug"),
    Advice("env-seed", "run the same seed twice", "seed everything, and each worker from it"),
    Advice("env-distributed", "run on one rank", "call the DDP wrapper; call set_epoch; synchronize"),
    Advice("env-input-bound", "time the loader alone", "use more workers, or cache"),
    Advice("env-sdc", "repeat the step on another device", "take the device out of service"),
    Advice("env-memory", "print allocated memory per step", "free references; checkpoint activations"),
    Advice("env-version", "run with the earlier version", "pin the version that works"),
)

DOMAINS = (
    Advice("rl-reward", "check the reward in a one-step environment", "correct the sign and scale; do not shift it"),
    Advice("rl-done", "check values at an episode's end", "mask terminated states, bootstrap truncated ones"),
    Advice("rl-target", "check that the target network moves", "detach it and update it on schedule"),
    Advice("rl-advantage", "compute one advantage by hand", "correct the recursion and its masks"),
    Advice("rl-explore", "plot the policy's entropy", "add an entropy bonus or a slower schedule"),
    Advice("rl-stale", "check the age of the sampled data", "align the buffer with the policy"),
    Advice("rl-obs", "plot the observations' range", "standardize them with running statistics"),
    Advice("pinn-scale", "print the size of each residual term", "make the equations dimensionless"),
    Advice("pinn-bc", "print each term's gradient norm", "reweight, or build the boundary into the model"),
    Advice("pinn-causality", "plot the residual over time", "weight early times first"),
    Advice("pinn-degenerate", "plot the estimated parameter", "bound it, or estimate it on its own"),
    Advice("eval-judge", "swap the order of the answers", "use another judge and a human sample"),
)

NOTHING_WRONG = (
    Advice("null-noise", "repeat with four seeds", "report the spread; do not judge by single runs"),
    Advice("null-slow", "see whether the loss still falls", "give it more steps"),
    Advice("null-overfit", "check that both splits are scored the same way", "regularize, or get more data"),
    Advice("null-hard", "compare with a simple baseline", "accept the error, or change the task"),
    Advice(
        "unknown", "reproduce it in the smallest case that fails", "compare with a working implementation, part by part"
    ),
)

ADVICE = DATA + LOSS + TRAIN + ARCH + SETTINGS + DOMAINS + NOTHING_WRONG
