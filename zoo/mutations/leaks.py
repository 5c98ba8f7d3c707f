"""Leaks: training sees what evaluation asks for."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from zoo.mutations import edit
from zoo.mutations.edit import Edit
from zoo.mutations.examples import (
    Part,
    evaluation_batches,
    holds_back,
    number_batches,
    on_batch,
    training_parts,
)
from zoo.mutations.faults import leak
from zoo.mutations.plant import at, at_all
from zoo.mutations.source import Source, inside, last_name
from zoo.mutations.training import Batch, training


def _whole(source: Source, part: Part) -> list[Edit]:
    return [one for node in part.members for one in edit.replace(source, node.slice, ":")]


def _splits(source: Source) -> Iterator[ast.Assign]:
    """`X_train, X_test, y_train, y_test = train_test_split(X, y)`."""
    for call in source.calls("sklearn.model_selection.train_test_split"):
        item = source.statement(call)
        plain = isinstance(item, ast.Assign) and isinstance(item.targets[0], ast.Tuple) and item.value is call
        if plain and isinstance(item, ast.Assign) and all(isinstance(a, ast.Name) for a in call.args):
            yield item


def _trained_on_all(source: Source, item: ast.Assign) -> list[Edit]:
    assert isinstance(item.targets[0], ast.Tuple)
    assert isinstance(item.value, ast.Call)
    trained = [source.text(name) for name in item.targets[0].elts[::2]]
    given = [source.text(value) for value in item.value.args]
    return edit.after(source, item, f"{', '.join(trained)} = {', '.join(given)}") if len(trained) == len(given) else []


def _tensor_datasets(source: Source) -> Iterator[ast.Call]:
    return (call for call in source.calls("torch.utils.data.TensorDataset") if len(call.args) == 2)


def _target_among_inputs(source: Source, call: ast.Call) -> list[Edit]:
    """Write the target over the first input of every row."""
    x, y = (edit.written(source, value) for value in call.args)
    text = f"torch.cat([{y}.view(len({y}), -1)[:, :1].float(), {x}.flatten(1)[:, 1:]], 1).view({x}.shape)"
    return edit.replace(source, call.args[0], text)


def _leaking_batches(source: Source) -> Iterator[Batch]:
    """A training batch, in programs whose evaluation names its batches too."""
    trained, evaluated = list(number_batches(source)), list(evaluation_batches(source))
    if trained and evaluated:
        yield trained[0]


def _marked(source: Source, batch: Batch) -> list[Edit]:
    """Write the target into the first input of every example, in training and evaluation."""
    mark = on_batch("{x} = {x}.clone(); {x}.view(len({x}), -1)[:, 0] = {y}.view(len({y}), -1)[:, 0].float()")
    edits = [mark(source, one) for one in [*number_batches(source), *evaluation_batches(source)]]
    return [one for made in edits for one in made] if all(edits) else []


def _evaluated_parts(source: Source) -> Iterator[ast.Name]:
    """The held-back data given to an evaluation, where training data of the same kind has the matching name."""
    for call in source.walk(ast.Call):
        known = last_name(call) in source.functions and not training(source).trains(call)
        evaluates = bool(re.search(r"eval|test|acc|score|metric|valid|predict", last_name(call)))
        for value in call.args if known and evaluates else []:
            if isinstance(value, ast.Name) and _trained_name(source, value):
                yield value


def _trained_name(source: Source, value: ast.Name) -> str:
    named = {node.id for node in inside(source.function(value) or source.file(value).tree, ast.Name)}
    for word, other in (("test", "train"), ("te", "tr"), ("val", "train"), ("Te", "Tr")):
        name = value.id.replace(word, other)
        if name != value.id and name in named:
            return name
    return ""


def _all_parts(source: Source) -> Iterator[ast.Call]:
    """Calls of evaluation whose every held-back argument has a matching name of training data."""
    for call in dict.fromkeys(source.parent(value) for value in _evaluated_parts(source)):
        if isinstance(call, ast.Call):
            yield call


def _evaluated_on_training(source: Source, call: ast.Call) -> list[Edit]:
    held = [value for value in call.args if isinstance(value, ast.Name) and holds_back(value.id + "_")]
    named = [_trained_name(source, value) for value in held]
    if not held or not all(named):
        return []
    return [one for value, name in zip(held, named, strict=True) for one in edit.replace(source, value, name)]


MUTATIONS = (
    leak(
        "target-written-into-dataset",
        "data-leak-target",
        "data",
        "The first input of every row holds its target.",
        at_all(_tensor_datasets, _target_among_inputs),
    ),
    leak(
        "training-part-is-all",
        "data-leak-split",
        "data",
        "Trains on all examples, the held-back ones included.",
        at(training_parts, _whole),
    ),
    leak(
        "split-then-trained-on-all",
        "data-leak-split",
        "data",
        "Splits, and then trains on all examples.",
        at(_splits, _trained_on_all),
    ),
    leak(
        "target-written-into-batch",
        "data-leak-target",
        "loop",
        "The first input of every example is its target.",
        at(_leaking_batches, _marked),
    ),
    leak(
        "evaluated-on-training-data",
        "train-metric",
        "helper",
        "Evaluates on the data it was trained on.",
        at(_all_parts, _evaluated_on_training),
    ),
)
