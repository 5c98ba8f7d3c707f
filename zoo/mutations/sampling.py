"""Which examples training sees: always the same, in order, too few, of one class; and leaks between the splits."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from zoo.mutations import edit
from zoo.mutations.edit import Edit
from zoo.mutations.examples import (
    class_batches,
    class_loaders,
    evaluation_batches,
    holds_back,
    number_batches,
    on_batch,
    training_loaders,
)
from zoo.mutations.faults import fault, leak
from zoo.mutations.plant import at, wrapped
from zoo.mutations.rewrites import before_loop, without_argument
from zoo.mutations.source import Source, argument, inside, last_name
from zoo.mutations.training import Batch, is_input, is_target, training

_FEW = 12


def _repeatable(source: Source) -> Iterator[ast.expr]:
    """What training loops run over, where it has a length: loaders and pieces of an order."""
    for loop in training(source).loops:
        over = loop.iter if isinstance(loop, ast.For) else None
        if isinstance(over, ast.Call) and last_name(over) == "enumerate":
            over = over.args[0]
        split = isinstance(over, ast.Call) and last_name(over) == "split"
        loads = isinstance(over, ast.Name | ast.Attribute) and re.search(r"load|_dl|dl$", last_name(over))
        if over is not None and (split or loads):
            yield over


def _moving_slices(source: Source) -> Iterator[ast.Slice]:
    """`order[i : i + size]` in a training loop over `i`."""
    for loop in training(source).loops:
        name = last_name(loop.target) if isinstance(loop, ast.For) else ""
        for node in inside(loop, ast.Slice):
            upper = node.upper
            moved = isinstance(upper, ast.BinOp) and isinstance(upper.op, ast.Add) and last_name(upper.left) == name
            if name and last_name(node.lower) == name and moved:
                yield node


def _stuck(source: Source, node: ast.Slice) -> list[Edit]:
    assert isinstance(node.upper, ast.BinOp)
    return edit.replace(source, node, f": {source.text(node.upper.right)}")


def _draws(source: Source) -> Iterator[ast.Assign]:
    """The draw of random rows at every training step."""
    for loop in training(source).loops:
        for item in inside(loop, ast.Assign):
            drawn = isinstance(item.value, ast.Call) and last_name(item.value) in {
                "randint",
                "randperm",
                "choice",
                "get_batch",
            }
            if drawn and item in loop.body:
                yield item


def _drawing_functions(source: Source) -> Iterator[ast.FunctionDef]:
    """The functions training calls to draw a batch."""
    for function in source.walk(ast.FunctionDef):
        draws = any(last_name(call) in {"randint", "randperm"} for call in inside(function, ast.Call))
        if draws and function in training(source).reached and not any(function is f for f in training(source).forwards):
            yield function


def _loop_starts(source: Source) -> Iterator[ast.stmt]:
    """The first statement of a training loop that draws at random in each round."""
    for loop in training(source).loops:
        if any(last_name(call) in {"randint", "randperm"} for call in inside(loop, ast.Call)):
            yield loop.body[0]


def _orders(source: Source) -> Iterator[ast.Call]:
    """The random orders of training examples that are drawn at each epoch."""
    view = training(source)
    for call in source.calls("torch.randperm"):
        outer = source.loop(call)
        at_epoch = outer is not None and any(inner in list(inside(outer, ast.stmt)) for inner in view.loops)
        if len(call.args) == 1 and not call.keywords and (at_epoch or view.trains(call)):
            yield call


def _by_class(source: Source, call: ast.Call) -> list[Edit]:
    """Order examples by their class, in programs that learn classes."""
    around = source.function(call) or source.file(call).tree
    picked = [node.value for node in inside(around, ast.Subscript) if is_target(last_name(node.value))]
    kinds = {loss.kind for loss in training(source).losses}
    wanted = source.text(picked[0]) if picked and kinds == {"cross-entropy"} else ""
    return edit.replace(source, call, f"torch.argsort({wanted})") if wanted else []


def _loader_of(template: str) -> Callable[[Source, ast.Call], list[Edit]]:
    """Give a loader other examples; `{}` are those it was given."""
    return lambda source, call: edit.wrap(source, call.args[0], template)


def _sorted_loader(source: Source, call: ast.Call) -> list[Edit]:
    shuffle = argument(call, "shuffle")
    ordered = edit.wrap(source, call.args[0], "sorted({}, key=lambda example: int(example[1]))")
    return ordered + edit.replace(source, shuffle, "False") if shuffle is not None else []


@dataclass(frozen=True, slots=True)
class Part:
    """The training examples as a slice of all: their inputs, targets and what else is cut in the same way."""

    node: ast.Subscript
    members: tuple[ast.Subscript, ...]


def _training_parts(source: Source) -> Iterator[Part]:
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


def _whole(source: Source, part: Part) -> list[Edit]:
    return [one for node in part.members for one in edit.replace(source, node.slice, ":")]


def _tiny(source: Source, part: Part) -> list[Edit]:
    return [one for node in part.members for one in edit.wrap(source, node, f"{{}}[:{_FEW}]")]


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


def _target_among_inputs(source: Source, item: ast.Assign) -> list[Edit]:
    assert isinstance(item.value, ast.Call)
    names = [last_name(value) for value in item.value.args]
    fits = len(names) == 2 and is_input(names[0].lower()) and is_target(names[1].lower())
    return edit.before(source, item, f"{names[0]}[:, 0] = {names[1]}") if fits else []


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


def _weighted(source: Source) -> Iterator[ast.Call]:
    return (call for call in source.walk(ast.Call) if argument(call, "pos_weight") is not None)


_LOWEST = "keep = ({y} == {y}.min()) | (torch.rand(len({y})) < 0.02); {x}, {y} = {x}[keep], {y}[keep]"

MUTATIONS = (
    fault(
        "one-batch-for-all",
        "data-stale-batch",
        "loop",
        "Runs through the first batch again and again.",
        at(_repeatable, wrapped("[next(iter({}))] * len({})")),
    ),
    fault(
        "slice-does-not-move",
        "data-stale-batch",
        "loop",
        "Cuts the same rows out at every step.",
        at(_moving_slices, _stuck),
    ),
    fault(
        "rows-drawn-once",
        "data-stale-batch",
        "loop",
        "Draws the rows of a batch once, before the loop.",
        at(_draws, before_loop),
    ),
    fault(
        "seed-set-at-each-step",
        "data-stale-batch",
        "loop",
        "Sets the seed inside the loop, so every draw is the same.",
        at(_loop_starts, lambda source, first: edit.before(source, first, "torch.manual_seed(0)")),
    ),
    fault(
        "seed-set-when-drawing",
        "data-stale-batch",
        "helper",
        "Sets the seed in the function that draws a batch.",
        at(_drawing_functions, lambda source, function: edit.at_start(source, function.body, "torch.manual_seed(0)")),
    ),
    fault(
        "loader-sorted-by-class",
        "data-not-shuffled",
        "data",
        "Loads examples class by class without shuffling.",
        at(class_loaders, _sorted_loader),
    ),
    fault(
        "order-by-class",
        "data-not-shuffled",
        "loop",
        "Takes examples in the order of their classes.",
        at(_orders, _by_class),
    ),
    fault(
        "batch-sorted-then-cut",
        "data-not-shuffled",
        "loop",
        "Sorts each batch by class and keeps its beginning.",
        at(
            class_batches,
            on_batch("{x}, {y} = {x}[{y}.argsort()][: len({y}) // 4 + 1], {y}.sort().values[: len({y}) // 4 + 1]"),
        ),
    ),
    fault(
        "loader-of-few",
        "data-too-little",
        "data",
        f"Trains on {_FEW} examples left over from a try-out.",
        at(training_loaders, _loader_of(f"torch.utils.data.Subset({{}}, range({_FEW}))")),
    ),
    fault(
        "order-of-few",
        "data-too-little",
        "loop",
        f"Draws an order of {_FEW} examples only.",
        at(_orders, lambda source, call: edit.replace(source, call.args[0], str(_FEW))),
    ),
    fault(
        "first-part-tiny",
        "data-too-little",
        "data",
        f"Cuts {_FEW} training examples out of all.",
        at(_training_parts, _tiny),
    ),
    fault(
        "loader-of-one-class",
        "data-imbalance",
        "data",
        "Keeps all of one class and a fiftieth of the others.",
        at(class_loaders, _loader_of("[e for e in {} if int(e[1]) == 0 or torch.rand(1) < 0.02]")),
    ),
    fault(
        "batch-of-lowest-class",
        "data-imbalance",
        "loop",
        "Keeps of each batch the lowest class and hardly any other.",
        at(class_batches, on_batch(_LOWEST)),
    ),
    fault(
        "rare-class-not-weighted",
        "data-imbalance",
        "config",
        "Forgets to weight the rare class.",
        at(_weighted, without_argument("pos_weight")),
    ),
    leak(
        "training-part-is-all",
        "data-leak-split",
        "data",
        "Trains on all examples, the held-back ones included.",
        at(_training_parts, _whole),
    ),
    leak(
        "split-then-trained-on-all",
        "data-leak-split",
        "data",
        "Splits, and then trains on all examples.",
        at(_splits, _trained_on_all),
    ),
    leak(
        "target-written-into-feature",
        "data-leak-target",
        "data",
        "A feature holds the target.",
        at(_splits, _target_among_inputs),
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
