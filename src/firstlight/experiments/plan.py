"""What can be made to happen: timelines, each the user's own script from its first batch on with one thing changed."""

from dataclasses import dataclass, field

import msgspec

ORDER = "order.json"
"""In the folder of a fresh timeline: what it is to do."""
LEFT = "left.tar"
"""In the folder of a timeline: files of the script's that it kept for another one."""
RESUMED = "rehearsal-resumed"
"""The program started again with the files of its first checkpoint in place, until its first step."""


class Order(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One timeline to make, as it travels to the process that makes it."""

    name: str
    interventions: tuple[str, ...] = ()
    """`name` or `name=value`, applied together; none of them is the null intervention."""
    steps: int
    seconds: float
    eval_tail: int = 0
    """So many last steps are measured with the models in eval mode."""
    to_end: bool = False
    """It goes on until the program ends by itself, and tells what that prints."""


@dataclass(frozen=True, slots=True)
class Experiment:
    """A timeline with the question it answers."""

    name: str
    interventions: tuple[str, ...]
    question: str
    eval_tail: int = 0
    to_end: bool = False
    needs: frozenset[str] = field(default_factory=frozenset)


OF_OPTIMIZERS = frozenset(
    {
        "lr",
        "lr-constant",
        "lr-ramp",
        "lr-held",
        "even-rates",
        "no-decay",
        "clear-gradients",
        "optimize-all",
        "usual-settings",
        "warm-up",
        "clip",
    }
)
"""Interventions that are done to optimizers of torch's, and change nothing where a program has none."""


def is_of_optimizers(interventions: tuple[str, ...]) -> bool:
    """All that is changed is done to optimizers."""
    return bool(interventions) and all(word.partition("=")[0] in OF_OPTIMIZERS for word in interventions)


TERMS = (1, 2, 3)
"""Of a loss that is a sum, by their place in it; longer sums are not taken apart."""
EXPERIMENTS: tuple[Experiment, ...] = (
    Experiment("same-again", (), "does the same seed give the same losses?"),
    Experiment("one-batch", ("repeat-batch",), "can it learn one batch by heart?"),
    Experiment("noise-inputs", ("noise-inputs",), "does it learn as well from noise?"),
    Experiment("zero-inputs", ("zero-inputs",), "does it learn as well from nothing?"),
    Experiment("permuted-targets", ("permute-inputs",), "does it learn as well with inputs and targets mismatched?"),
    Experiment("mismatched", ("mismatch-inputs",), "can it learn mismatched pairs by heart as fast?"),
    Experiment("lr-tenth", ("lr=0.1",), "is the learning rate too high?"),
    Experiment("lr-hundredth", ("lr=0.01",), "is the learning rate far too high?"),
    Experiment("lr-thousandth", ("lr=1e-3",), "is the learning rate a thousand times too high?"),
    Experiment("lr-millionth", ("lr=1e-6",), "is the learning rate absurdly high?"),
    Experiment("lr-tenfold", ("lr=10",), "is the learning rate too low?"),
    Experiment("lr-hundredfold", ("lr=100",), "is the learning rate far too low?"),
    Experiment("lr-thousandfold", ("lr=1e3",), "is the learning rate a thousand times too low?"),
    Experiment("lr-millionfold", ("lr=1e6",), "is the learning rate absurdly low?"),
    Experiment("rates-evened", ("even-rates",), "does a group at a far lower rate hold the others back?"),
    Experiment("whole", (), "where does it get by its end?", to_end=True),
    Experiment("whole-tenth", ("lr=0.1",), "is the learning rate too high for the whole run?", to_end=True),
    Experiment("whole-tenfold", ("lr=10",), "is the learning rate too low for the whole run?", to_end=True),
    Experiment("whole-hundredfold", ("lr=100",), "is it far too low for the whole run?", to_end=True),
    Experiment("unmoved", ("lr=0",), "where does the loss stay if nothing is learnt?"),
    Experiment("lr-constant", ("lr-constant",), "does the schedule hold it back?"),
    Experiment("unregularised", ("no-dropout", "no-decay", "no-smoothing"), "does regularisation drown the signal?", 5),
    Experiment("regularised", (), "the same, as it is, measured in eval mode", 5),
    Experiment("unclipped", ("no-clip",), "does clipping hold it back?"),
    Experiment("fp32", ("fp32",), "does reduced precision hurt?"),
    Experiment("other-seed", ("seed=1",), "how much is luck?"),
    Experiment("in-train-mode", ("train-mode",), "does eval mode hold it back?"),
    Experiment("standardised", ("standardise",), "is the scale of the inputs at fault?"),
    Experiment("zeroed-gradients", ("clear-gradients",), "do piled-up gradients hold it back?"),
    Experiment("activation-undone", ("undo-activation",), "does the second activation hold it back?"),
    Experiment("activation-added", ("add-activation",), "does the missing activation hold it back?"),
    Experiment("target-reshaped", ("match-target",), "does the broadcast in the loss hold it back?"),
    Experiment("sign-flipped", ("flip-sign",), "is the sign of the loss wrong?"),
    Experiment("all-optimized", ("optimize-all",), "do parameters left out of the optimizer hold it back?"),
    Experiment("sharpened", ("sharpen=100",), "are the scores too flat for the softmax?"),
    Experiment("targets-standardised", ("standardise-targets",), "is the scale of the targets at fault?"),
    Experiment("mean-reduction", ("average",), "is a loss summed over the batch too steep?"),
    Experiment("in-eval-mode", ("eval-mode",), "do dropout and batch statistics hold it back?"),
    Experiment("leaky-units", ("leaky-units",), "do dead units hold it back?"),
    Experiment("reinitialise", ("reinitialise",), "is the initialization at fault?"),
    Experiment("default-betas", ("usual-settings",), "are momentum, betas or epsilon at fault?"),
    Experiment("add-warmup", ("warm-up",), "is a warm-up missing?"),
    Experiment("clip-gradients", ("clip",), "do single long gradients throw it off?"),
    Experiment("finite-inputs", ("finite-inputs",), "do values that are not finite in the inputs hold it back?"),
    Experiment("data-kept", ("data-kept",), "does a call that makes many inputs the same hold it back?"),
    Experiment("smaller-batch", ("smaller-batch=0.25",), "is the batch too large?"),
    Experiment("shuffle", ("shuffle",), "does the order of the examples hold it back?"),
    Experiment("one-batch-tenfold", ("repeat-batch", "lr=10"), "can it learn one batch at a higher rate?"),
    Experiment("one-batch-hundredfold", ("repeat-batch", "lr=100"), "can it at a far higher rate?"),
    Experiment("probes", ("probe",), "what depends on what?"),
    Experiment("thawed", ("thaw",), "do frozen parameters hold it back?"),
    *(Experiment(f"term-{at}-off", (f"term-off={at}",), "does this term hold the others back?") for at in TERMS),
    *(Experiment(f"term-{at}-aside", (f"term-aside={at}",), "the others beside it, as it is") for at in TERMS),
)

BY_NAME = {experiment.name: experiment for experiment in EXPERIMENTS}

LATER = (
    "repeat-batch",
    "permute-inputs",
    "mismatch-inputs",
    "noise-inputs",
    "zero-inputs",
    "standardise",
    "lr",
    "lr-constant",
    "even-rates",
    "no-decay",
)
"""Interventions that leave the loss of the first step as it is."""


def keeps_first_loss(interventions: tuple[str, ...]) -> bool:
    return all(word.partition("=")[0] in LATER for word in interventions)
