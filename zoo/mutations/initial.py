"""Models whose values or gradients explode, vanish or die, by how they begin or what stands between layers."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

from zoo.mutations import edit
from zoo.mutations.edit import Edit
from zoo.mutations.faults import fault
from zoo.mutations.finders import activation_calls, activations, inner_layers, layers, residuals
from zoo.mutations.plant import at, at_all, replaced, wrapped
from zoo.mutations.rewrites import then
from zoo.mutations.source import Source, inside, last_name
from zoo.mutations.training import training


def _made_models(source: Source) -> Iterator[ast.Assign]:
    """The assignments of a newly made model that an optimizer gets, in the function that makes it."""
    made = training(source).made_models
    return (item for item in made if source.function(item) is not None or source.scope(item) == "module")


def _all_modules(expression: str) -> Callable[[Source, ast.Assign], list[Edit]]:
    """Do something to every linear and convolutional layer `m` of a newly made model."""
    kinds = "(torch.nn.Linear, torch.nn.Conv1d, torch.nn.Conv2d)"
    return then(f"[{expression} for m in {{}}.modules() if isinstance(m, {kinds}) and m.bias is not None]")


def _weights(source: Source) -> Iterator[ast.Call]:
    """Random weights drawn by hand for parameters: the whole of `torch.randn(n, m) * 0.1`."""
    for item in source.walk(ast.Assign):
        drawn = [call for call in inside(item.value, ast.Call) if source.meaning(call.func) == "torch.randn"]
        owner = source.owner(item)
        inside_module = owner is not None and last_name(item.value) == "Parameter"
        if drawn and (
            inside_module or ("requires_grad" in source.file(item).text and last_name(item.targets[0])[:1] in "WwCb")
        ):
            yield drawn[0]


def _drawn_initials(source: Source) -> Iterator[ast.Call]:
    """The calls that give weights their initial values by drawing them."""
    for call in source.walk(ast.Call):
        meaning = source.meaning(call.func)
        drawn = any(word in meaning for word in ("normal_", "uniform_", "orthogonal_"))
        if meaning.startswith("torch.nn.init.") and drawn and call.args:
            yield call


def _bare(source: Source, node: ast.BinOp) -> list[Edit]:
    return edit.replace(source, node, source.text(node.right))


MUTATIONS = (
    fault(
        "weights-all-zero",
        "arch-init",
        "helper",
        "Sets all weights to zero after the model is made.",
        at(_made_models, _all_modules("torch.nn.init.zeros_(m.weight)")),
    ),
    fault(
        "weights-all-equal",
        "arch-init",
        "helper",
        "Sets all weights to one value, so units stay alike.",
        at(_made_models, _all_modules("torch.nn.init.constant_(m.weight, 0.01)")),
    ),
    fault(
        "weights-far-too-large",
        "arch-init",
        "helper",
        "Draws weights with a spread of ten.",
        at(_made_models, _all_modules("torch.nn.init.normal_(m.weight, std=10.0)")),
    ),
    fault(
        "own-weights-zero",
        "arch-init",
        "class",
        "Starts weights made by hand at zero.",
        at(_weights, lambda source, call: edit.replace(source, call.func, "torch.zeros")),
    ),
    fault(
        "drawn-initials-tiny",
        "arch-init",
        "class",
        "Scales drawn weights to almost nothing.",
        at(
            _drawn_initials,
            lambda source, call: edit.after(
                source, source.statement(call), f"{source.text(call.args[0])}.data.mul_(1e-4)"
            ),
        ),
    ),
    fault(
        "drawn-initials-huge",
        "arch-exploding",
        "class",
        "Draws weights a hundred times too large.",
        at(
            _drawn_initials,
            lambda source, call: edit.after(
                source, source.statement(call), f"{source.text(call.args[0])}.data.mul_(100)"
            ),
        ),
    ),
    fault(
        "activations-multiplied",
        "arch-exploding",
        "class",
        "Each hidden layer multiplies its output by a hundred.",
        at(inner_layers, wrapped("({} * 100)")),
    ),
    fault(
        "residual-multiplied",
        "arch-exploding",
        "class",
        "Adds a residual branch thirty times.",
        at(
            residuals,
            lambda source, node: edit.replace(
                source, node, f"30 * {edit.written(source, node.left)} + {source.text(node.right)}"
            ),
        ),
    ),
    fault(
        "weights-grow-after-making",
        "arch-exploding",
        "helper",
        "Multiplies all weights by thirty to undo a decay that is not there.",
        at(_made_models, _all_modules("m.weight.data.mul_(30.0)")),
    ),
    fault(
        "biases-far-below-zero",
        "arch-dead-units",
        "helper",
        "Sets biases far below zero before ReLUs.",
        at(_made_models, _all_modules("m.bias.data.fill_(-8.0)")),
    ),
    fault(
        "relu-of-shifted",
        "arch-dead-units",
        "class",
        "Shifts values below zero before the activation.",
        at(
            activation_calls,
            lambda source, call: edit.wrap(source, call.args[0], "{} - 20") if "relu" in last_name(call) else [],
        ),
    ),
    fault(
        "threshold-far-too-high",
        "arch-dead-units",
        "api",
        "Rectifies at a threshold hardly any value gets over.",
        at_all(layers("ReLU"), replaced("torch.nn.Threshold(30.0, 0.0)")),
    ),
    fault(
        "sigmoids-stacked",
        "arch-vanishing",
        "api",
        "Puts three sigmoids in a row between layers.",
        at_all(
            activations, replaced("torch.nn.Sequential(torch.nn.Sigmoid(), torch.nn.Sigmoid(), torch.nn.Sigmoid())")
        ),
    ),
    fault(
        "sigmoid-of-steep",
        "arch-vanishing",
        "class",
        "Feeds an activation values so large that it saturates.",
        at(
            activation_calls,
            lambda source, call: edit.replace(
                source, call, f"torch.sigmoid(50 * {edit.written(source, call.args[0])})"
            ),
        ),
    ),
    fault(
        "hidden-shrunk",
        "arch-vanishing",
        "class",
        "Each hidden layer shrinks its output ten thousandfold.",
        at(inner_layers, wrapped("({} * 1e-4)")),
    ),
    fault(
        "residual-connection-left-out",
        "arch-vanishing",
        "class",
        "Forgets to add the input of a residual block.",
        at(residuals, _bare),
    ),
)
