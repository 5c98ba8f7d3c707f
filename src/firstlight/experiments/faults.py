"""Faults that can be planted in a running program without changing its source: what each does, and what it is called.

Each stands for a mistake people make. How it is planted is in `experiments.inside.faults`, under the same name.
"""

from dataclasses import dataclass

FLOWS = ("values", "gradients", "influence", "updates", "answers", "life")
"""A training program is these six, and every silent bug is a break in one of them."""
PLANT = "firstlight.experiments.inside.faults.plant:install"
"""What a program is observed with so that the fault named in its spec is planted in it."""


@dataclass(frozen=True, slots=True, kw_only=True)
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
    Fault(
        name="inputs-zeroed",
        flow="values",
        does="every input is zero",
        causes=("data-degenerate",),
        needs=INPUT,
    ),
    Fault(
        name="inputs-unscaled",
        flow="values",
        does="inputs are 255 times as large",
        causes=("data-scale",),
        needs=FLOAT_INPUT,
    ),
    Fault(
        name="inputs-half-blank",
        flow="values",
        does="half of each input's columns are zero",
        causes=("data-degenerate",),
        needs=FLOAT_INPUT,
    ),
    Fault(
        name="input-nan",
        flow="values",
        does="one example of the sixth step holds a NaN",
        causes=("data-nonfinite",),
        needs=FLOAT_INPUT,
    ),
    Fault(
        name="weights-equal",
        flow="values",
        does="the weights of a layer all begin with the same value",
        causes=("arch-init",),
        needs=LAYERS,
    ),
    Fault(
        name="weights-large",
        flow="values",
        does="weights begin 30 times as large",
        causes=("arch-init", "arch-exploding"),
        needs=LAYERS,
    ),
    Fault(
        name="units-dead",
        flow="values",
        does="the biases of hidden layers begin at -100",
        causes=("arch-dead-units", "arch-init"),
        needs="hidden layer with a bias",
    ),
    Fault(
        name="dropout-heavy",
        flow="values",
        does="dropout drops 95 % of what it is given",
        causes=("hp-regularisation",),
        needs="dropout",
    ),
    Fault(
        name="layer-cut-off",
        flow="gradients",
        does="the output of a layer in the middle is detached",
        causes=("loss-detached",),
        needs=LAYERS,
    ),
    Fault(
        name="layers-frozen",
        flow="gradients",
        does="the first half of the parameters takes no gradient",
        causes=("train-frozen",),
        needs=LAYERS,
    ),
    Fault(
        name="clip-tiny",
        flow="gradients",
        does="gradients are clipped to a millionth",
        causes=("hp-clip",),
        needs="call of `clip_grad_norm_`",
    ),
    Fault(
        name="examples-mixed",
        flow="influence",
        does="a layer averages each example with its neighbour in the batch",
        causes=("arch-batch-mixing",),
        needs=LAYERS,
        in_loss=False,
    ),
    Fault(
        name="target-leaked",
        flow="influence",
        does="the first input column holds the target",
        causes=("data-leak-target",),
        needs="DataLoader of floating-point inputs with one target each",
        in_loss=False,
    ),
    Fault(
        name="gradients-not-cleared",
        flow="updates",
        does="`zero_grad` clears nothing",
        causes=("train-no-zero-grad",),
        needs="call of `zero_grad`",
    ),
    Fault(
        name="gradients-cleared-early",
        flow="updates",
        does="gradients are cleared before the step that should use them",
        causes=("train-order",),
        needs=OPTIMIZER,
    ),
    Fault(
        name="step-missing",
        flow="updates",
        does="`optimizer.step` does nothing",
        causes=("train-no-step",),
        needs=OPTIMIZER,
    ),
    Fault(
        name="parameters-left-out",
        flow="updates",
        does="the optimizer is given only the second half of the parameters",
        causes=("train-params-missing",),
        needs=OPTIMIZER,
    ),
    Fault(
        name="rate-hundredfold",
        flow="updates",
        does="the learning rate is 100 times as high",
        causes=("hp-lr-high",),
        needs=OPTIMIZER,
    ),
    Fault(
        name="rate-thousandth",
        flow="updates",
        does="the learning rate is a thousandth",
        causes=("hp-lr-low",),
        needs=OPTIMIZER,
    ),
    Fault(
        name="rate-runs-out",
        flow="updates",
        does="the learning rate loses 30 % at every step",
        causes=("train-schedule",),
        needs=OPTIMIZER,
    ),
    Fault(
        name="decay-huge",
        flow="updates",
        does="weight decay takes up to half of each weight at every step",
        causes=("hp-regularisation",),
        needs="optimizer with weight decay",
    ),
    Fault(
        name="momentum-extreme",
        flow="updates",
        does="momentum is 0.999",
        causes=("hp-optimizer",),
        needs="optimizer with momentum",
    ),
    Fault(
        name="epsilon-huge",
        flow="updates",
        does="the optimizer's epsilon is 10",
        causes=("hp-optimizer",),
        needs="optimizer with an epsilon",
    ),
    Fault(
        name="updates-rounded",
        flow="updates",
        does="weights are rounded to bfloat16 after every step",
        causes=("num-precision",),
        needs="optimizer of weights in full precision",
    ),
    Fault(
        name="targets-permuted",
        flow="answers",
        does="targets are out of order within their batch",
        causes=MISALIGNED,
        needs=LOSS,
    ),
    Fault(
        name="targets-shifted",
        flow="answers",
        does="each example has the target of the one before it",
        causes=MISALIGNED,
        needs=LOSS,
    ),
    Fault(
        name="targets-stale",
        flow="answers",
        does="targets are those of the batch before",
        causes=MISALIGNED,
        needs=LOSS,
    ),
    Fault(
        name="labels-noisy",
        flow="answers",
        does="half of the targets are those of another example",
        causes=("data-label-noise", *MISALIGNED),
        needs=LOSS,
    ),
    Fault(
        name="activation-twice",
        flow="answers",
        does="a softmax or sigmoid comes before the loss, which has its own",
        causes=("loss-double-activation",),
        needs="call of `cross_entropy` or `binary_cross_entropy_with_logits`",
    ),
    Fault(
        name="loss-sign-flipped",
        flow="answers",
        does="the loss is maximised",
        causes=("loss-sign",),
        needs="call of `backward`",
        in_loss=False,
    ),
    Fault(
        name="loss-term-thousandfold",
        flow="answers",
        does="the first term of the loss counts a thousand times",
        causes=("loss-scale", "hp-lr-high"),
        needs=LOSS,
    ),
    Fault(
        name="loss-term-dropped",
        flow="answers",
        does="every term of the loss but the first counts nothing",
        causes=("loss-scale", "loss-detached"),
        needs="second call of a loss function before a backward",
        in_loss=False,
    ),
    Fault(
        name="loss-summed",
        flow="answers",
        does="the loss is summed over the batch, not averaged",
        causes=("loss-scale", "hp-lr-high"),
        needs="averaged loss",
    ),
    Fault(
        name="loss-broadcast",
        flow="answers",
        does="a column of predictions meets a row of targets",
        causes=("loss-broadcast",),
        needs="elementwise loss of one number for each example",
    ),
    Fault(
        name="examples-not-counted",
        flow="answers",
        does="the first half of each batch is left out of the loss",
        causes=("data-labels-masked",),
        needs=LOSS,
    ),
    Fault(
        name="eval-mode-in-training",
        flow="life",
        does="models are in eval mode while they train",
        causes=("train-mode",),
        needs="layer that behaves otherwise in training (dropout, batch normalisation)",
        in_loss=False,
    ),
    Fault(
        name="train-mode-in-evaluation",
        flow="life",
        does="models are in train mode while they are evaluated",
        causes=("train-mode",),
        needs="evaluation in the steps observed, of layers that behave otherwise in training",
        in_loss=False,
        late=True,
    ),
    Fault(
        name="batches-in-order",
        flow="life",
        does="the loader does not shuffle",
        causes=("data-not-shuffled",),
        needs="DataLoader that shuffles",
    ),
    Fault(
        name="batch-repeated",
        flow="life",
        does="the first batch comes again and again",
        causes=("data-stale-batch",),
        needs="DataLoader",
        in_loss=False,
    ),
)

BY_NAME = {fault.name: fault for fault in FAULTS}
