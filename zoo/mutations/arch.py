"""Models that cannot learn what they should: initial values, capacity, dead ends, norms and outputs."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

from zoo.mutations import edit
from zoo.mutations.edit import Edit
from zoo.mutations.faults import fault
from zoo.mutations.finders import ACTIVATIONS, inner_layers, layers, outputs, parts, predictions, sequence_ends
from zoo.mutations.plant import at, each, replaced, together, wrapped
from zoo.mutations.rewrites import then, with_argument
from zoo.mutations.source import Source, inside, last_name
from zoo.mutations.training import training
import itertools

_REGRESSION = ("squares", "huber", "absolute")
_NORMS = ("BatchNorm1d", "BatchNorm2d", "LayerNorm", "GroupNorm", "Dropout")


def _made_models(source: Source) -> Iterator[ast.Assign]:
    """The assignments of a newly made model that an optimizer gets, in the function that makes it."""
    made = training(source).made_models
    return (item for item in made if source.function(item) is not None or source.scope(item) == "module")


def _all_modules(expression: str) -> Callable[[Source, ast.Assign], list[Edit]]:
    """Do something to every linear and convolutional layer `m` of a newly made model."""
    kinds = "(torch.nn.Linear, torch.nn.Conv1d, torch.nn.Conv2d)"
    return then(f"[{expression} for m in {{}}.modules() if isinstance(m, {kinds}) and m.bias is not None]")


def _activations(source: Source) -> Iterator[ast.Call]:
    """The calls that make an activation layer."""
    return layers(*ACTIVATIONS)(source)


def _activation_calls(source: Source) -> Iterator[ast.Call]:
    """The calls of an activation function in forward."""
    for function in training(source).forwards:
        for call in inside(function, ast.Call):
            if source.meaning(call.func) in _activation_names():
                yield call


def _activation_names() -> set[str]:
    names = ("relu", "gelu", "tanh", "silu", "elu", "leaky_relu")
    return {f"{module}.{name}" for module in ("torch", "torch.nn.functional") for name in names}


def _left_out(source: Source, call: ast.Call) -> list[Edit]:
    return edit.replace(source, call, source.text(call.args[0])) if call.args else []


def _residuals(source: Source) -> Iterator[ast.BinOp]:
    """`x + block(x)` in forward."""
    made = parts(source)
    for function in training(source).forwards:
        for node in inside(function, ast.BinOp):
            added = any(last_name(call) in made for call in inside(node.right, ast.Call))
            if isinstance(node.op, ast.Add) and isinstance(node.left, ast.Name) and added:
                yield node


def _weights(source: Source) -> Iterator[ast.expr]:
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


def _hidden_linears(source: Source) -> Iterator[tuple[ast.expr, ast.Call]]:
    """Pairs of layers in one Sequential where the first's outputs are the second's inputs, as one number."""
    for call in source.calls("torch.nn.Sequential"):
        made = [item for item in call.args if isinstance(item, ast.Call) and last_name(item) == "Linear"]
        for first, second in itertools.pairwise(made):
            if len(first.args) > 1 and second.args and source.text(first.args[1]) == source.text(second.args[0]):
                yield first.args[1], second


def _narrow(source: Source) -> Iterator[ast.expr]:
    return (width for width, _ in _hidden_linears(source))


def _narrowed(source: Source, width: ast.expr) -> list[Edit]:
    second = next(second for node, second in _hidden_linears(source) if node is width)
    norm = [item for item in inside(source.statement(width), ast.Call) if last_name(item) in _NORMS[:4]]
    return [] if norm else edit.replace(source, width, "1") + edit.replace(source, second.args[0], "1")


def _norm_layers(source: Source) -> Iterator[ast.Call]:
    return layers("BatchNorm1d", "BatchNorm2d")(source)


def _shape_kept(source: Source) -> Iterator[ast.Call]:
    """The calls in forward of blocks in a list, whose outputs have the shape of their inputs."""
    made = parts(source)
    for function in training(source).forwards:
        for loop in inside(function, ast.For):
            if made.get(last_name(loop.iter)) == "ModuleList" and isinstance(loop.target, ast.Name):
                for call in inside(loop, ast.Call):
                    if last_name(call) == loop.target.id and isinstance(source.statement(call), ast.Assign):
                        yield call


def _discarded(source: Source, call: ast.Call) -> list[Edit]:
    statement = source.statement(call)
    assert isinstance(statement, ast.Assign)
    return edit.replace(source, statement, source.text(statement.value)) if statement.value is call else []


def _blocks(source: Source) -> Iterator[ast.expr]:
    """The list of blocks that forward runs through."""
    made = parts(source)
    for function in training(source).forwards:
        for loop in inside(function, ast.For):
            if made.get(last_name(loop.iter)) == "ModuleList":
                yield loop.iter


def _branch(source: Source, node: ast.BinOp) -> list[Edit]:
    return edit.replace(source, node, source.text(node.left))


def _bare(source: Source, node: ast.BinOp) -> list[Edit]:
    return edit.replace(source, node, source.text(node.right))


def _repeated(source: Source) -> Iterator[ast.ListComp | ast.GeneratorExp]:
    """Comprehensions that make several modules alike."""
    for kind in (ast.ListComp, ast.GeneratorExp):
        for node in source.walk(kind):
            made = isinstance(node.elt, ast.Call) and (
                last_name(node.elt) in source.classes or source.meaning(node.elt.func).startswith("torch.nn.")
            )
            loop = node.generators[0]
            counted = isinstance(loop.iter, ast.Call) and last_name(loop.iter) == "range" and len(loop.iter.args) == 1
            if made and counted and not any(n.id == last_name(loop.target) for n in inside(node.elt, ast.Name)):
                yield node


def _aliased(source: Source, node: ast.ListComp | ast.GeneratorExp) -> list[Edit]:
    rounds = node.generators[0].iter
    assert isinstance(rounds, ast.Call)
    return edit.replace(source, node, f"[{source.text(node.elt)}] * {edit.written(source, rounds.args[0])}")


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
            _residuals,
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
            _activation_calls,
            lambda source, call: edit.wrap(source, call.args[0], "{} - 20") if "relu" in last_name(call) else [],
        ),
    ),
    fault(
        "threshold-far-too-high",
        "arch-dead-units",
        "api",
        "Rectifies at a threshold hardly any value gets over.",
        at(together(layers("ReLU")), each(replaced("torch.nn.Threshold(30.0, 0.0)"))),
    ),
    fault(
        "sigmoids-stacked",
        "arch-vanishing",
        "api",
        "Puts three sigmoids in a row between layers.",
        at(
            together(_activations),
            each(replaced("torch.nn.Sequential(torch.nn.Sigmoid(), torch.nn.Sigmoid(), torch.nn.Sigmoid())")),
        ),
    ),
    fault(
        "sigmoid-of-steep",
        "arch-vanishing",
        "class",
        "Feeds an activation values so large that it saturates.",
        at(
            _activation_calls,
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
        at(_residuals, _bare),
    ),
    fault(
        "residual-branch-unused",
        "arch-unused",
        "class",
        "Computes a branch in forward that is never added.",
        at(_residuals, _branch),
    ),
    fault(
        "result-of-block-discarded",
        "arch-unused",
        "class",
        "Calls a block and does not keep its result.",
        at(_shape_kept, _discarded),
    ),
    fault(
        "blocks-skipped",
        "arch-unused",
        "class",
        "Runs through none of the blocks in the list.",
        at(_blocks, wrapped("{}[:0]")),
    ),
    fault(
        "activations-forgotten",
        "arch-capacity",
        "api",
        "Leaves out the nonlinearities, so layers collapse into one.",
        at(together(_activations), each(replaced("torch.nn.Identity()"))),
    ),
    fault(
        "activation-call-forgotten",
        "arch-capacity",
        "class",
        "Leaves the activation out in forward.",
        at(together(_activation_calls), each(_left_out)),
    ),
    fault(
        "bottleneck-of-one",
        "arch-capacity",
        "config",
        "A hidden layer of one unit.",
        at(_narrow, _narrowed),
    ),
    fault(
        "modules-repeated-by-reference",
        "arch-shared",
        "class",
        "Multiplies a list of one module, so all blocks are one.",
        at(_repeated, _aliased),
    ),
    fault(
        "statistics-never-followed",
        "arch-norm",
        "api",
        "BatchNorm's running statistics hardly move.",
        at(_norm_layers, with_argument("momentum=1e-5")),
    ),
    fault(
        "statistics-of-last-batch",
        "arch-norm",
        "api",
        "BatchNorm keeps the statistics of the last batch alone.",
        at(_norm_layers, with_argument("momentum=1.0")),
    ),
    fault(
        "norm-epsilon-huge",
        "arch-norm",
        "api",
        "A norm whose epsilon drowns the variance.",
        at(layers("BatchNorm1d", "BatchNorm2d", "LayerNorm"), with_argument("eps=1e6")),
    ),
    fault(
        "norm-over-batch",
        "arch-norm",
        "class",
        "Normalises a hidden value over the examples, also when there is one.",
        at(inner_layers, wrapped("torch.nn.functional.normalize({}, dim=0)")),
    ),
    fault(
        "relu-on-regression-output",
        "arch-output",
        "class",
        "The model of an unbounded target ends in a ReLU.",
        at(outputs(*_REGRESSION), wrapped("{}.relu()")),
    ),
    fault(
        "sigmoid-on-regression-output",
        "arch-output",
        "class",
        "The model of an unbounded target ends in a sigmoid.",
        at(outputs(*_REGRESSION), wrapped("{}.sigmoid()")),
    ),
    fault(
        "relu-on-logits",
        "arch-output",
        "class",
        "Logits pass a ReLU before the loss.",
        at(outputs("cross-entropy", "binary"), wrapped("{}.relu()")),
    ),
    fault(
        "relu-ends-sequential",
        "arch-output",
        "api",
        "The last layer is followed by a ReLU.",
        at(sequence_ends("cross-entropy", "binary", *_REGRESSION), wrapped("{}, torch.nn.ReLU()")),
    ),
    fault(
        "tanh-on-prediction",
        "arch-output",
        "loop",
        "Squashes predictions before the loss in training.",
        at(predictions(*_REGRESSION), wrapped("torch.tanh({})")),
    ),
)
