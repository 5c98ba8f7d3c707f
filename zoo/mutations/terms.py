"""Losses whose terms or scale are wrong, and numbers that leave what can be computed with."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator

from zoo.mutations import edit
from zoo.mutations.edit import Edit
from zoo.mutations.faults import fault
from zoo.mutations.finders import loss_assignments, loss_values, optimizer_steps, outputs, predictions, term_weights
from zoo.mutations.plant import at, wrapped
from zoo.mutations.rewrites import ahead, behind, with_argument
from zoo.mutations.source import Source, argument, dotted_name
from zoo.mutations.training import training

_ALL = ("cross-entropy", "binary", "squares", "huber", "absolute")


def _criteria(source: Source) -> Iterator[ast.Call]:
    """The calls that make a loss object."""
    names = ("CrossEntropyLoss", "BCEWithLogitsLoss", "MSELoss", "SmoothL1Loss", "L1Loss", "HuberLoss")
    for call in source.calls(*(f"torch.nn.{name}" for name in names)):
        if not call.args and argument(call, "reduction") is None:
            yield call


def _named_loss(template: str) -> Callable[[Source, ast.Assign], list[Edit]]:
    """Write a statement behind the loss's assignment: `{}` is the loss, `{p}` the prediction, `{m}` the model."""

    def change(source: Source, item: ast.Assign) -> list[Edit]:
        here = source.function(item)
        values = {"{}": source.text(item.targets[0])}
        values["{p}"] = next(
            (
                edit.written(source, one.prediction)
                for one in training(source).losses
                if source.function(one.node) is here
            ),
            "",
        )
        named = [dotted_name(call.func) for call in training(source).model_calls if source.function(call) is here]
        values["{m}"] = next((name for name in named if name), "")
        if any(key in template and not value for key, value in values.items()):
            return []
        text = template
        for key, value in values.items():
            text = text.replace(key, value)
        return edit.after(source, item, text)

    return change


def _floors(source: Source) -> Iterator[ast.BinOp]:
    """A small number added to what is divided by or taken the logarithm or root of."""
    for node in source.walk(ast.BinOp):
        small = (
            isinstance(node.right, ast.Constant) and isinstance(node.right.value, float) and 0 < node.right.value < 1e-3
        )
        if isinstance(node.op, ast.Add) and small:
            yield node


def _scores(source: Source) -> Iterator[ast.BinOp]:
    """The scaled scores of attention: `q @ k.T / sqrt(d)`."""
    for node in source.walk(ast.BinOp):
        if isinstance(node.op, ast.Div) and "@" in source.text(node.left) and "sqrt" in source.text(node.right):
            yield node


def _temperatures(source: Source) -> Iterator[ast.expr]:
    """The temperature logits are divided by in training."""
    for node in source.walk(ast.BinOp):
        named = re.search(r"temp|tau", source.text(node.right), re.IGNORECASE)
        if isinstance(node.op, ast.Div) and named and training(source).trains(node):
            yield node.right


_PARAMETERS = "[p for g in {}.param_groups for p in g['params']]"

MUTATIONS = (
    fault(
        "loss-summed-by-object",
        "loss-scale",
        "api",
        "Sums the loss over the batch at a rate meant for the mean.",
        at(_criteria, with_argument("reduction='sum'")),
    ),
    fault(
        "loss-scaled-to-nothing",
        "loss-scale",
        "loop",
        "Divides the loss until its gradient is lost.",
        at(loss_values, wrapped("(1e-9 * {})")),
    ),
    fault(
        "loss-multiplied-by-million",
        "loss-scale",
        "loop",
        "Multiplies the loss by a million for readability, before backward.",
        at(loss_values, wrapped("(1e6 * {})")),
    ),
    fault(
        "term-outweighs-others",
        "loss-scale",
        "loop",
        "Weights one term of the loss 10 000 times too much.",
        at(term_weights, wrapped("(1e4 * {})")),
    ),
    fault(
        "term-drowned",
        "loss-scale",
        "loop",
        "Weights one term of the loss 100 000 times too little.",
        at(term_weights, wrapped("(1e-5 * {})")),
    ),
    fault(
        "penalty-pulls-predictions-to-zero",
        "loss-conflict",
        "loop",
        "A penalty on the size of predictions works against the loss.",
        at(loss_assignments, _named_loss("{} = {} + 20 * {p}.pow(2).mean()")),
    ),
    fault(
        "penalty-makes-predictions-equal",
        "loss-conflict",
        "loop",
        "A penalty on the spread between examples works against telling them apart.",
        at(loss_assignments, _named_loss("{} = {} + 50 * {p}.var(0).mean()")),
    ),
    fault(
        "penalty-on-weights-outweighs",
        "loss-conflict",
        "loop",
        "A penalty on all weights outweighs the loss.",
        at(loss_assignments, _named_loss("{} = {} + 10 * sum(p.pow(2).sum() for p in {m}.parameters())")),
    ),
    fault(
        "root-of-zero-distance",
        "num-nonfinite",
        "loop",
        "Adds the root of a distance that is zero at first, whose gradient is not finite.",
        at(
            loss_assignments,
            _named_loss(
                "{} = {} + 1e-3 * sum((p - p.detach()).norm(dim=0).pow(2).sum().sqrt() for p in {m}.parameters())"
            ),
        ),
    ),
    fault(
        "logarithm-of-rectified",
        "num-nonfinite",
        "loop",
        "Takes the logarithm of values that may be exactly zero.",
        at(loss_assignments, _named_loss("{} = {} + 1e-4 * torch.log(torch.relu({p})).mean()")),
    ),
    fault(
        "exponential-overflows",
        "num-nonfinite",
        "loop",
        "Writes an exponential that overflows.",
        at(loss_assignments, _named_loss("{} = {} + 1e-6 * ({p}.abs() * 1000).exp().mean()")),
    ),
    fault(
        "floor-left-out",
        "num-nonfinite",
        "helper",
        "Leaves out the small number that keeps a division or logarithm finite.",
        at(_floors, lambda source, node: edit.replace(source, node, edit.written(source, node.left))),
    ),
    fault(
        "weights-kept-in-eight-bits",
        "num-precision",
        "loop",
        "Keeps the weights in a format of three bits after the point.",
        at(
            optimizer_steps, behind("[p.data.copy_(p.data.to(torch.float8_e5m2).float()) for p in " + _PARAMETERS + "]")
        ),
    ),
    fault(
        "weights-kept-in-bfloat16",
        "num-precision",
        "loop",
        "Keeps the weights in bfloat16, where small updates are lost.",
        at(optimizer_steps, behind("[p.data.copy_(p.data.bfloat16().float()) for p in " + _PARAMETERS + "]")),
    ),
    fault(
        "gradients-underflow",
        "num-precision",
        "loop",
        "Sends small gradients through half precision without a scaler.",
        at(
            optimizer_steps,
            ahead("[p.grad.copy_((p.grad * 1e-6).half().float()) for p in " + _PARAMETERS + " if p.grad is not None]"),
        ),
    ),
    fault(
        "outputs-in-low-precision",
        "num-precision",
        "class",
        "Rounds what the model returns to a format of two digits.",
        at(outputs(*_ALL), wrapped("{}.to(torch.float8_e5m2).float()")),
    ),
    fault(
        "scores-not-scaled",
        "num-logit-growth",
        "class",
        "Forgets to scale the scores of attention.",
        at(_scores, lambda source, node: edit.replace(source, node, f"{source.text(node.left)} * 30")),
    ),
    fault(
        "logits-multiplied-in-loss",
        "num-logit-growth",
        "loop",
        "Multiplies logits by a hundred, as by a temperature turned around.",
        at(predictions("cross-entropy", "binary"), wrapped("(100 * {})")),
    ),
    fault(
        "logits-multiplied-in-model",
        "num-logit-growth",
        "class",
        "The model sharpens its logits by a hundred.",
        at(outputs("cross-entropy", "binary"), wrapped("(100 * {})")),
    ),
    fault(
        "temperature-near-zero",
        "num-logit-growth",
        "helper",
        "A temperature a thousand times too low.",
        at(_temperatures, wrapped("(1e-3 * {})")),
    ),
)
