"""Targets that do not belong to their inputs, are wrong, out of range, or left out."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from zoo.mutations import edit
from zoo.mutations.edit import Edit
from zoo.mutations.examples import Pair, batches, class_batches, fetches, on_batch, pairs, training_pairs
from zoo.mutations.faults import fault
from zoo.mutations.finders import targets
from zoo.mutations.names import is_input, is_target
from zoo.mutations.plant import at, wrapped
from zoo.mutations.source import Source, inside, last_name
from zoo.mutations.training import training

_ALL = ("cross-entropy", "binary", "squares", "huber", "absolute", "likelihood", "binary-probabilities")
_EVEN_THEN_ODD = "{}[[*range(0, len({}), 2), *range(1, len({}), 2)]]"


def _tensor_datasets(source: Source) -> Iterator[ast.expr]:
    """The targets of datasets made of tensors."""
    for call in source.calls("torch.utils.data.TensorDataset"):
        if len(call.args) == 2:
            yield call.args[1]


def _split_targets(source: Source) -> Iterator[ast.expr]:
    """The targets given to scikit-learn's split beside their inputs."""
    for call in source.calls("sklearn.model_selection.train_test_split"):
        if len(call.args) == 2 and is_target(last_name(call.args[1]).lower()):
            yield call.args[1]


def _fetched_targets(source: Source) -> Iterator[ast.Name]:
    """The index by which `__getitem__` picks the target."""
    for function, index in fetches(source):
        for node in inside(function, ast.Subscript):
            if isinstance(node.slice, ast.Name) and node.slice.id == index and is_target(last_name(node.value)):
                yield node.slice


def _fetched_inputs(source: Source) -> Iterator[ast.Name]:
    """The index by which `__getitem__` picks the inputs, where it picks a target too."""
    wanted = {source.function(node) for node in _fetched_targets(source)}
    for function, index in fetches(source):
        for node in inside(function, ast.Subscript):
            picked = isinstance(node.slice, ast.Name) and node.slice.id == index and function in wanted
            if picked and is_input(last_name(node.value)) and isinstance(node.slice, ast.Name):
                yield node.slice


def _collated(source: Source) -> Iterator[ast.expr]:
    """The targets a collate function returns beside inputs."""
    for function in source.walk(ast.FunctionDef):
        for item in inside(function, ast.Return):
            if "collate" in function.name and isinstance(item.value, ast.Tuple | ast.Dict):
                values = item.value.elts if isinstance(item.value, ast.Tuple) else item.value.values
                yield from (value for value in values if any(is_target(name.id) for name in inside(value, ast.Name)))


def _index_pairs(source: Source) -> Iterator[Pair]:
    """Inputs and targets picked by an array of numbers, before training."""
    for pair in pairs(source):
        if isinstance(pair.target.slice, ast.Name) and not training(source).trains(pair.node):
            yield pair


def _made_targets(source: Source) -> Iterator[ast.Assign]:
    """The assignments that turn all targets into a tensor, outside training."""
    for item in source.walk(ast.Assign):
        named = isinstance(item.targets[0], ast.Name) and is_target(item.targets[0].id.lower())
        made = any(
            source.meaning(call.func) in {"torch.tensor", "torch.from_numpy", "torch.as_tensor", "torch.LongTensor"}
            for call in inside(item.value, ast.Call)
        )
        if named and made and isinstance(item.value, ast.Call) and not training(source).trains(item):
            yield item


def _shuffled(source: Source, item: ast.Assign) -> list[Edit]:
    name = source.text(item.targets[0])
    return edit.after(source, item, f"{name} = {name}[torch.randperm(len({name}))]")


MUTATIONS = (
    fault(
        "targets-rolled-in-loss",
        "data-label-misaligned",
        "loop",
        "The targets are one row off where they meet the predictions.",
        at(targets(*_ALL), wrapped("{}.roll(1, 0)")),
    ),
    fault(
        "targets-shuffled-in-loss",
        "data-label-misaligned",
        "loop",
        "The targets of a batch are put in another order than the predictions.",
        at(targets(*_ALL), wrapped("{}[torch.randperm(len({}))]")),
    ),
    fault(
        "inputs-shuffled-after-unpacking",
        "data-label-misaligned",
        "loop",
        "Shuffles the inputs of a batch and forgets the targets.",
        at(batches, on_batch("{x} = {x}[torch.randperm(len({x}))]")),
    ),
    fault(
        "targets-flipped-after-unpacking",
        "data-label-misaligned",
        "loop",
        "Turns the targets of a batch around and leaves the inputs.",
        at(batches, on_batch("{y} = {y}.flip(0)")),
    ),
    fault(
        "targets-of-dataset-rolled",
        "data-label-misaligned",
        "data",
        "Pairs each row of a TensorDataset with the target of the next.",
        at(_tensor_datasets, wrapped("{}.roll(-1, 0)")),
    ),
    fault(
        "targets-split-in-other-order",
        "data-label-misaligned",
        "data",
        "Hands targets to the split in another order than the rows.",
        at(_split_targets, wrapped(_EVEN_THEN_ODD)),
    ),
    fault(
        "fetched-target-of-neighbour",
        "data-label-misaligned",
        "class",
        "`__getitem__` returns the target of the example before.",
        at(_fetched_targets, wrapped("{} - 1")),
    ),
    fault(
        "fetched-inputs-of-neighbour",
        "data-label-misaligned",
        "class",
        "`__getitem__` returns the inputs of the example before.",
        at(_fetched_inputs, wrapped("{} - 1")),
    ),
    fault(
        "collated-targets-turned-around",
        "data-label-misaligned",
        "helper",
        "The collate function builds the targets in the opposite order.",
        at(_collated, wrapped("{}.flip(0)")),
    ),
    fault(
        "picked-targets-rolled",
        "data-label-misaligned",
        "loop",
        "Picks targets from rows one further than the inputs.",
        at(training_pairs, lambda source, pair: edit.wrap(source, pair.target.value, "{}.roll(1, 0)")),
    ),
    fault(
        "picked-targets-sorted",
        "data-label-misaligned",
        "data",
        "Sorts the index of the targets and not that of the inputs.",
        at(_index_pairs, lambda source, pair: edit.wrap(source, pair.target.slice, "numpy.sort({})")),
    ),
    fault(
        "targets-shuffled-once-made",
        "data-label-misaligned",
        "data",
        "Shuffles all targets after loading and not their inputs.",
        at(_made_targets, _shuffled),
    ),
    fault(
        "classes-partly-random-in-loss",
        "data-label-noise",
        "loop",
        "Two thirds of the classes are replaced by others at random.",
        at(
            targets("cross-entropy"),
            wrapped("torch.where(torch.rand({}.shape) < 0.8, {}[torch.randperm(len({}))], {})"),
        ),
    ),
    fault(
        "targets-partly-swapped-in-batch",
        "data-label-noise",
        "loop",
        "Most targets of a batch are swapped between examples.",
        at(batches, on_batch("{y} = torch.cat([{y}[: len({y}) * 4 // 5].flip(0), {y}[len({y}) * 4 // 5 :]])")),
    ),
    fault(
        "targets-partly-swapped-in-dataset",
        "data-label-noise",
        "data",
        "Four fifths of the stored targets are those of other rows.",
        at(
            _tensor_datasets,
            wrapped("torch.cat([{}[: len({}) * 4 // 5].roll(7, 0), {}[len({}) * 4 // 5 :]])"),
        ),
    ),
    fault(
        "classes-one-too-low-in-loss",
        "data-label-range",
        "loop",
        "Subtracts one from classes that start at zero, and clips what falls below.",
        at(targets("cross-entropy"), wrapped("({} - 1).clamp(min=0)")),
    ),
    fault(
        "classes-one-too-high-in-batch",
        "data-label-range",
        "loop",
        "Training counts classes from one, evaluation from zero.",
        at(class_batches, on_batch("{y} = torch.where({y} < 0, {y}, ({y} + 1) % ({y}.max() + 1))")),
    ),
    fault(
        "classes-clipped-to-two",
        "data-label-range",
        "loop",
        "Classes above one are clipped, as for a task of two.",
        at(class_batches, on_batch("{y} = {y}.clamp(max=1)")),
    ),
    fault(
        "only-first-class-counts",
        "data-labels-masked",
        "loop",
        "The mask of ignored targets is the wrong way round, and only class zero is left.",
        at(targets("cross-entropy"), wrapped("{}.masked_fill({} > 0, -100)")),
    ),
    fault(
        "rows-masked-for-columns",
        "data-labels-masked",
        "loop",
        "Ignores all rows of a batch but the first, where the first column was meant.",
        at(class_batches, on_batch("{y} = torch.cat([{y}[:1], torch.full_like({y}[1:], -100)])")),
    ),
    fault(
        "common-classes-ignored",
        "data-labels-masked",
        "loop",
        "Ignores every class below the highest of the batch, taking the id of padding for a limit.",
        at(targets("cross-entropy"), wrapped("{}.masked_fill({} < {}.max(), -100)")),
    ),
)
