"""Where a program makes, splits, pairs, loads and evaluates its examples."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from zoo.mutations import edit
from zoo.mutations.edit import Edit
from zoo.mutations.finders import has_part
from zoo.mutations.names import is_target, named_pair
from zoo.mutations.source import Source, inside, last_name
from zoo.mutations.training import Batch, training

_HELD_BACK = re.compile(r"test|val|dev|eval|hold", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Pair:
    """Inputs and targets that are picked by the same index: `x[idx], y[idx]`."""

    node: ast.Tuple | ast.Call
    inputs: ast.Subscript
    target: ast.Subscript


def holds_back(text: str) -> bool:
    """Whether a name is one people give to examples that are kept for evaluation."""
    return bool(_HELD_BACK.search(text))


def takes_numbers(source: Source) -> bool:
    """Whether the inputs of a program are measured numbers, not ids of tokens or categories."""
    return not has_part(source, "Embedding", "EmbeddingBag") and "transformers" not in source.program.needs


def batches(source: Source) -> Iterator[Batch]:
    """Where training batches get their names."""
    return iter(training(source).batches)


def number_batches(source: Source) -> Iterator[Batch]:
    """Where training batches of measured numbers get their names."""
    return iter(training(source).batches if takes_numbers(source) else [])


def class_batches(source: Source) -> Iterator[Batch]:
    """Where training batches with classes as targets get their names."""
    kinds = {loss.kind for loss in training(source).losses}
    return iter(training(source).batches if kinds == {"cross-entropy"} else [])


def evaluation_batches(source: Source) -> Iterator[Batch]:
    """Where batches of measured numbers get their names outside training."""
    view = training(source)
    for loop in source.walk(ast.For):
        names = named_pair(loop.target)
        trains = loop in view.loops or any(item in view.loops for item in inside(loop, ast.For))
        if names and not trains and not view.trains(loop) and _evaluates(source, loop) and takes_numbers(source):
            yield Batch(loop, *names, start_of=loop)


def on_batch(template: str) -> Callable[[Source, Batch], list[Edit]]:
    """Write a statement as soon as a batch has names; `{x}` are its inputs, `{y}` its targets."""

    def change(source: Source, batch: Batch) -> list[Edit]:
        text = template.replace("{x}", batch.inputs).replace("{y}", batch.target)
        if batch.start_of is not None:
            return edit.at_start(source, batch.start_of.body, text)
        return edit.after(source, batch.node, text)

    return change


def pairs(source: Source) -> Iterator[Pair]:
    """Inputs and targets picked by the same index: `x[idx], y[idx]`, also as the two arguments of a call."""
    for node in source.walk(ast.expr):
        if not isinstance(node, ast.Tuple | ast.Call):
            continue
        picked = node.elts if isinstance(node, ast.Tuple) else node.args
        match picked:
            case [ast.Subscript() as first, ast.Subscript() as second] if is_target(last_name(second.value)):
                if ast.dump(first.slice) == ast.dump(second.slice):
                    yield Pair(node, first, second)


def training_pairs(source: Source) -> Iterator[Pair]:
    """Inputs and targets of a training batch, picked by the same index."""
    view = training(source)
    return (pair for pair in pairs(source) if view.trains(pair.node))


def fetches(source: Source) -> Iterator[tuple[ast.FunctionDef, str]]:
    """The `__getitem__` of datasets, with the name of their index."""
    for function in source.functions.get("__getitem__", []):
        if len(function.args.args) > 1:
            yield function, function.args.args[1].arg


def training_loaders(source: Source) -> Iterator[ast.Call]:
    """The calls that make a loader of training examples."""
    for call in source.walk(ast.Call):
        made = source.meaning(call.func).endswith(".DataLoader") and call.args
        text = source.text(source.statement(call)).lower()
        alone = text.count("dataloader(") == 1
        if made and alone and not holds_back(text.split("=")[0]) and "shuffle=true" in text.replace(" ", ""):
            yield call


def class_loaders(source: Source) -> Iterator[ast.Call]:
    """The loaders of training examples that come as pairs with a class as target."""
    kinds = {loss.kind for loss in training(source).losses}
    plain = any(batch.start_of is not None for batch in training(source).batches)
    return iter([call for call in training_loaders(source) if kinds == {"cross-entropy"} and plain])


def _evaluates(source: Source, loop: ast.For) -> bool:
    """Whether a loop asks a model for its answers."""
    models = training(source).roles.models
    asked = any(last_name(call.func) in models for call in inside(loop, ast.Call))
    return asked and not any(last_name(call) == "backward" for call in inside(loop, ast.Call))


@dataclass(frozen=True, slots=True)
class Part:
    """The training examples as a slice of all: their inputs, targets and what else is cut in the same way."""

    node: ast.Subscript
    members: tuple[ast.Subscript, ...]


def training_parts(source: Source) -> Iterator[Part]:
    """`train = examples[:n]`, with all that is cut by the same slice: `x_train, y_train = x[:n], y[:n]`."""
    found: dict[str, list[ast.Subscript]] = {}
    for name, value in _bound_slices(source):
        trains = re.search(r"train|^tr_|_tr$|tr$", name.lower()) and not holds_back(name)
        if trains and isinstance(value.slice, ast.Slice) and value.slice.step is None:
            found.setdefault(ast.dump(value.slice), []).append(value)
    for members in found.values():
        yield Part(members[0], tuple(members))


def _bound_slices(source: Source) -> Iterator[tuple[str, ast.Subscript]]:
    for item in source.walk(ast.Assign):
        names = item.targets[0].elts if isinstance(item.targets[0], ast.Tuple) else [item.targets[0]]
        values = item.value.elts if isinstance(item.value, ast.Tuple) else [item.value]
        for name, value in zip(names, values, strict=False):
            if isinstance(value, ast.Subscript):
                yield last_name(name), value
