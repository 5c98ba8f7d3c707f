"""Faults that can be planted in a running program without changing its source: what each does, and what it is called.

Each stands for a mistake people make. How it is planted is in `experiments.inside.faults`, under the same name.
"""

from dataclasses import dataclass

FLOWS = ("values", "gradients", "influence", "updates", "answers", "life")
"""A training program is these six, and every silent bug is a break in one of them."""
PLANT = "firstlight.experiments.inside.faults.plant:install"
"""What a program is observed with so that the fault named in its spec is planted in it."""


@dataclass(frozen=True, slots=True)
class Fault:
    name: str
    flow: str
    does: str
    """Continues "in this copy …"."""
    causes: tuple[str, ...]
    """Any of these, told first, is the right answer."""
    needs: str
    """What a program must have for it; continues "the program has no …"."""
    in_loss: bool = True
    """Its harm shows in the training loss. Where it does not, an unchanged loss does not make it harmless."""
    late: bool = False
    """It takes effect when the program evaluates, which may be after many steps."""


INPUT, FLOAT_INPUT, LOSS = "tensor given to a model", "floating-point input", "call of one of torch's loss functions"
OPTIMIZER, LAYERS = "torch optimizer", "model of two or more layers with weights"
MISALIGNED = ("data-label-misaligned",)

FAULTS: tuple[Fault, ...] = (
    Fault("inputs-zeroed", "values", "every input is zero", ("data-degenerate",), INPUT),
    Fault("inputs-unscaled", "values", "inputs are 255 times as large", ("data-scale",), FLOAT_INPUT),
    Fault("inputs-half-blank", "values", "half of each input's columns are zero", ("data-degenerate",), FLOAT_INPUT),
    Fault("input-nan", "values", "one example of the sixth step holds a NaN", ("data-nonfinite",), FLOAT_INPUT),
    Fault("weights-equal", "values", "the weights of a layer all begin with the same value", ("arch-init",), LAYERS),
    Fault("weights-large", "values", "weights begin 30 times as large", ("arch-init", "arch-exploding"), LAYERS),
    Fault(
        "units-dead",
        "values",
        "the biases of hidden layers begin at -100",
        ("arch-dead-units", "arch-init"),
        "hidden layer with a bias",
    ),
    Fault("dropout-heavy", "values", "dropout drops 95 % of what it is given", ("hp-regularisation",), "dropout"),
    Fault("layer-cut-off", "gradients", "the output of a layer in the middle is detached", ("loss-detached",), LAYERS),
    Fault(
        "layers-frozen", "gradients", "the first half of the parameters takes no gradient", ("train-frozen",), LAYERS
    ),
    Fault("clip-tiny", "gradients", "gradients are clipped to a millionth", ("hp-clip",), "call of `clip_grad_norm_`"),
    Fault(
        "examples-mixed",
        "influence",
        "a layer averages each example with its neighbour in the batch",
        ("arch-batch-mixing",),
        LAYERS,
        in_loss=False,
    ),
    Fault(
        "target-leaked",
        "influence",
        "the first input column holds the target",
        ("data-leak-target",),
        "DataLoader of floating-point inputs with one target each",
        in_loss=False,
    ),
    Fault(
        "gradients-not-cleared", "updates", "`zero_grad` clears nothing", ("train-no-zero-grad",), "call of `zero_grad`"
    ),
    Fault(
        "gradients-cleared-early",
        "updates",
        "gradients are cleared before the step that should use them",
        ("train-order",),
        OPTIMIZER,
    ),
    Fault("step-missing", "updates", "`optimizer.step` does nothing", ("train-no-step",), OPTIMIZER),
    Fault(
        "parameters-left-out",
        "updates",
        "the optimizer is given only the second half of the parameters",
        ("train-params-missing",),
        OPTIMIZER,
    ),
    Fault("rate-hundredfold", "updates", "the learning rate is 100 times as high", ("hp-lr-high",), OPTIMIZER),
    Fault("rate-thousandth", "updates", "the learning rate is a thousandth", ("hp-lr-low",), OPTIMIZER),
    Fault("rate-runs-out", "updates", "the learning rate loses 30 % at every step", ("train-schedule",), OPTIMIZER),
    Fault(
        "decay-huge",
        "updates",
        "weight decay takes up to half of each weight at every step",
        ("hp-regularisation",),
        "optimizer with weight decay",
    ),
    Fault("momentum-extreme", "updates", "momentum is 0.999", ("hp-optimizer",), "optimizer with momentum"),
    Fault("epsilon-huge", "updates", "the optimizer's epsilon is 10", ("hp-optimizer",), "optimizer with an epsilon"),
    Fault(
        "updates-rounded",
        "updates",
        "weights are rounded to bfloat16 after every step",
        ("num-precision",),
        "optimizer of weights in full precision",
    ),
    Fault("targets-permuted", "answers", "targets are out of order within their batch", MISALIGNED, LOSS),
    Fault("targets-shifted", "answers", "each example has the target of the one before it", MISALIGNED, LOSS),
    Fault("targets-stale", "answers", "targets are those of the batch before", MISALIGNED, LOSS),
    Fault(
        "labels-noisy",
        "answers",
        "half of the targets are those of another example",
        ("data-label-noise", *MISALIGNED),
        LOSS,
    ),
    Fault(
        "activation-twice",
        "answers",
        "a softmax or sigmoid comes before the loss, which has its own",
        ("loss-double-activation",),
        "call of `cross_entropy` or `binary_cross_entropy_with_logits`",
    ),
    Fault("loss-sign-flipped", "answers", "the loss is maximised", ("loss-sign",), "call of `backward`", in_loss=False),
    Fault(
        "loss-term-thousandfold",
        "answers",
        "the first term of the loss counts a thousand times",
        ("loss-scale", "hp-lr-high"),
        LOSS,
    ),
    Fault(
        "loss-term-dropped",
        "answers",
        "every term of the loss but the first counts nothing",
        ("loss-scale", "loss-detached"),
        "second call of a loss function before a backward",
        in_loss=False,
    ),
    Fault(
        "loss-summed",
        "answers",
        "the loss is summed over the batch, not averaged",
        ("loss-scale", "hp-lr-high"),
        "averaged loss",
    ),
    Fault(
        "loss-broadcast",
        "answers",
        "a column of predictions meets a row of targets",
        ("loss-broadcast",),
        "elementwise loss of one number for each example",
    ),
    Fault(
        "examples-not-counted",
        "answers",
        "the first half of each batch is left out of the loss",
        ("data-labels-masked",),
        LOSS,
    ),
    Fault(
        "eval-mode-in-training",
        "life",
        "models are in eval mode while they train",
        ("train-mode",),
        "layer that behaves otherwise in training (dropout, batch normalisation)",
        in_loss=False,
    ),
    Fault(
        "train-mode-in-evaluation",
        "life",
        "models are in train mode while they are evaluated",
        ("train-mode",),
        "evaluation in the steps observed, of layers that behave otherwise in training",
        in_loss=False,
        late=True,
    ),
    Fault(
        "batches-in-order", "life", "the loader does not shuffle", ("data-not-shuffled",), "DataLoader that shuffles"
    ),
    Fault(
        "batch-repeated",
        "life",
        "the first batch comes again and again",
        ("data-stale-batch",),
        "DataLoader",
        in_loss=False,
    ),
)

BY_NAME = {fault.name: fault for fault in FAULTS}
