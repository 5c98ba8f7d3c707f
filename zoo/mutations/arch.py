"""Models whose parts are unused, shared, too narrow, or normalise and end in the wrong way."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterator

from zoo.mutations import edit
from zoo.mutations.edit import Edit
from zoo.mutations.faults import fault
from zoo.mutations.finders import (
    activation_calls,
    activations,
    inner_layers,
    layers,
    outputs,
    parts,
    predictions,
    residuals,
    sequence_ends,
)
from zoo.mutations.plant import at, at_all, replaced, wrapped
from zoo.mutations.rewrites import with_argument
from zoo.mutations.source import Source, inside, last_name
from zoo.mutations.training import training

_REGRESSION = ("squares", "huber", "absolute")
_NORMS = ("BatchNorm1d", "BatchNorm2d", "LayerNorm", "GroupNorm", "Dropout")


def _left_out(source: Source, call: ast.Call) -> list[Edit]:
    return edit.replace(source, call, source.text(call.args[0])) if call.args else []


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


def _repeated(source: Source) -> Iterator[ast.ListComp | ast.GeneratorExp]:
    """Comprehensions that make several modules alike."""
    for node in source.walk(ast.expr):
        if not isinstance(node, ast.ListComp | ast.GeneratorExp) or not isinstance(node.elt, ast.Call):
            continue
        made = last_name(node.elt) in source.classes or source.meaning(node.elt.func).startswith("torch.nn.")
        loop = node.generators[0]
        counted = isinstance(loop.iter, ast.Call) and last_name(loop.iter) == "range" and len(loop.iter.args) == 1
        if made and counted and not any(item.id == last_name(loop.target) for item in inside(node.elt, ast.Name)):
            yield node


def _aliased(source: Source, node: ast.ListComp | ast.GeneratorExp) -> list[Edit]:
    rounds = node.generators[0].iter
    assert isinstance(rounds, ast.Call)
    return edit.replace(source, node, f"[{source.text(node.elt)}] * {edit.written(source, rounds.args[0])}")


MUTATIONS = (
    fault(
        "residual-branch-unused",
        "arch-unused",
        "class",
        "Computes a branch in forward that is never added.",
        at(residuals, _branch),
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
        at_all(activations, replaced("torch.nn.Identity()")),
    ),
    fault(
        "activation-call-forgotten",
        "arch-capacity",
        "class",
        "Leaves the activation out in forward.",
        at_all(activation_calls, _left_out),
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
