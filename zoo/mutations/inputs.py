"""Inputs that are badly scaled, destroyed, not finite, corrupt, or augmented too much."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

from zoo.mutations import edit
from zoo.mutations.edit import Edit
from zoo.mutations.examples import (
    number_batches,
    on_batch,
    takes_numbers,
)
from zoo.mutations.faults import fault
from zoo.mutations.names import is_input
from zoo.mutations.plant import at, at_all, wrapped
from zoo.mutations.rewrites import then
from zoo.mutations.source import Source, last_name
from zoo.mutations.standardising import raw, standardisations, transforms, untransformed
from zoo.mutations.training import training

_SMALLEST_RANGE = 8


def _divisions(source: Source) -> Iterator[ast.BinOp]:
    """Inputs divided by the range they are stored in: `images / 255`."""
    for node in source.walk(ast.BinOp):
        number = node.right.value if isinstance(node.right, ast.Constant) else 0
        stored = isinstance(number, int | float) and number >= _SMALLEST_RANGE
        scope = source.scope(node).lower()
        if (
            isinstance(node.op, ast.Div)
            and stored
            and not isinstance(node.left, ast.Constant | ast.BinOp)
            and takes_numbers(source)
            and "eval" not in scope
            and _is_array(source, node)
        ):
            yield node


def _is_array(source: Source, node: ast.BinOp) -> bool:
    text = source.text(node.left).lower()
    return any(word in text for word in ("image", "img", "pixel", "digits", "data", "x", "feature"))


def _undivided(source: Source, node: ast.expr) -> list[Edit]:
    return edit.replace(source, node, source.text(node.left)) if isinstance(node, ast.BinOp) else []


def _floored(source: Source, node: ast.BinOp) -> list[Edit]:
    return edit.replace(source, node, f"{source.text(node.left)} // {source.text(node.right)}")


def _forward_inputs(template: str) -> Callable[[Source, ast.FunctionDef], list[Edit]]:
    """Write a statement at the beginning of forward; `{x}` is what it is given."""
    return lambda source, function: edit.at_start(
        source, function.body, template.replace("{x}", function.args.args[1].arg)
    )


def _whole_forwards(source: Source) -> Iterator[ast.FunctionDef]:
    """The forward methods of whole models that take measured numbers as their one input."""
    whole = {source.function(value) for value in training(source).outputs}
    for function in training(source).forwards:
        single = len(function.args.args) == 2
        if function in whole and single and takes_numbers(source) and is_input(function.args.args[1].arg):
            yield function


def _training_arrays(source: Source) -> Iterator[ast.Assign]:
    """The assignments of all training inputs to a name that says so."""
    for item in source.walk(ast.Assign):
        name = last_name(item.targets[0]).lower()
        names = "train" in name or name.startswith("tr_") or name.endswith("_tr") or name in {"xtr", "x_tr"}
        if (
            isinstance(item.targets[0], ast.Name)
            and names
            and is_input(name)
            and takes_numbers(source)
            and not training(source).trains(item)
        ):
            yield item


def _noises(source: Source) -> Iterator[ast.expr]:
    """Noise that is added to training inputs: the call that draws it."""
    view = training(source)
    for call in source.methods("randn_like", "randn", "normal"):
        parent = source.parent(call)
        scope = source.scope(call).lower()
        augments = any(word in scope for word in ("aug", "jitter", "noise", "getitem"))
        if isinstance(parent, ast.BinOp) and augments and (view.trains(call) or "getitem" in scope or "aug" in scope):
            yield call


MUTATIONS = (
    fault(
        "stored-range-kept",
        "data-scale",
        "data",
        "Forgets to divide inputs by the range they are stored in.",
        at_all(_divisions, _undivided),
    ),
    fault(
        "standardisation-left-out",
        "data-scale",
        "data",
        "Forgets to standardise, in training and evaluation alike.",
        at_all(standardisations, raw),
    ),
    fault(
        "scaler-not-applied",
        "data-scale",
        "data",
        "Fits a scaler and never applies it.",
        at_all(transforms, untransformed),
    ),
    fault(
        "inputs-in-thousandths",
        "data-scale",
        "class",
        "The model is fed in units 3000 times too small.",
        at(_whole_forwards, _forward_inputs("{x} = {x} * 3000")),
    ),
    fault(
        "inputs-in-millions",
        "data-scale",
        "class",
        "The model is fed in units 100 000 times too large.",
        at(_whole_forwards, _forward_inputs("{x} = {x} * 1e-5")),
    ),
    fault(
        "stored-range-floored",
        "data-degenerate",
        "data",
        "Divides whole numbers with `//`, and nearly all inputs become zero.",
        at(_divisions, _floored),
    ),
    fault(
        "inputs-averaged",
        "data-degenerate",
        "loop",
        "Replaces every feature by the mean of all.",
        at(number_batches, on_batch("{x} = {x}.mean(-1, keepdim=True).expand_as({x})")),
    ),
    fault(
        "inputs-clipped-to-nothing",
        "data-degenerate",
        "class",
        "Clips inputs to a range they never leave, so all are the same.",
        at(_whole_forwards, _forward_inputs("{x} = {x}.clamp(-0.01, 0.01)")),
    ),
    fault(
        "standardised-with-floor",
        "data-degenerate",
        "data",
        "Standardises with `//` and throws the fractions away.",
        at_all(standardisations, lambda s, n: edit.wrap(s, n, "({} // 4)")),
    ),
    fault(
        "inputs-of-batch-mean",
        "data-degenerate",
        "loop",
        "Averages over examples instead of features, so all of a batch are equal.",
        at(number_batches, on_batch("{x} = {x}.mean(0, keepdim=True).expand_as({x})")),
    ),
    fault(
        "missing-value-as-nan",
        "data-nonfinite",
        "data",
        "A missing value is kept as NaN in the training inputs.",
        at(_training_arrays, then("{}[3] = float('nan')")),
    ),
    fault(
        "logarithm-of-inputs",
        "data-nonfinite",
        "loop",
        "Takes the logarithm of inputs that may be zero or negative.",
        at(number_batches, on_batch("{x} = torch.log({x})")),
    ),
    fault(
        "standardised-per-batch-without-floor",
        "data-nonfinite",
        "loop",
        "Divides by the spread of a quantity that is constant.",
        at(number_batches, on_batch("{x} = ({x} - {x}.mean()) / ({x} - {x}).std()")),
    ),
    fault(
        "rows-in-other-unit",
        "data-outlier",
        "data",
        "Every twentieth training row was recorded in a unit 10 000 times smaller.",
        at(_training_arrays, then("{}[::20] = {}[::20] * 10000")),
    ),
    fault(
        "first-of-batch-corrupt",
        "data-outlier",
        "loop",
        "One example of each batch is corrupt by a factor of 10 000.",
        at(number_batches, on_batch("{x} = torch.cat([{x}[:1] * 10000, {x}[1:]])")),
    ),
    fault(
        "noise-drowns-inputs",
        "data-augment",
        "loop",
        "Adds noise many times larger than the signal.",
        at(number_batches, on_batch("{x} = {x} + 20 * torch.randn_like({x})")),
    ),
    fault(
        "inputs-mixed-targets-kept",
        "data-augment",
        "loop",
        "Mixes inputs of two examples and keeps the target of one.",
        at(number_batches, on_batch("{x} = 0.3 * {x} + 0.7 * {x}.flip(0)")),
    ),
    fault(
        "nearly-all-erased",
        "data-augment",
        "loop",
        "Random erasing leaves two hundredths of each input.",
        at(number_batches, on_batch("{x} = {x} * (torch.rand_like({x}) < 0.02)")),
    ),
    fault(
        "augmenting-noise-far-too-strong",
        "data-augment",
        "class",
        "The noise of the augmentation is 50 times too strong.",
        at(_noises, wrapped("(50 * {})")),
    ),
)
