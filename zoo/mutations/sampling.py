"""Which examples training sees: always the same, in order, too few, or of one class."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator

from zoo.mutations import edit
from zoo.mutations.edit import Edit
from zoo.mutations.examples import (
    Part,
    class_batches,
    class_loaders,
    on_batch,
    training_loaders,
    training_parts,
)
from zoo.mutations.faults import fault
from zoo.mutations.names import is_target
from zoo.mutations.plant import at, wrapped
from zoo.mutations.rewrites import before_loop, without_argument
from zoo.mutations.source import Source, argument, inside, last_name
from zoo.mutations.training import training

_FEW = 12
_LOWEST = "keep = ({y} == {y}.min()) | (torch.rand(len({y})) < 0.02); {x}, {y} = {x}[keep], {y}[keep]"


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


def _tiny(source: Source, part: Part) -> list[Edit]:
    return [one for node in part.members for one in edit.wrap(source, node, f"{{}}[:{_FEW}]")]


def _weighted(source: Source) -> Iterator[ast.Call]:
    return (call for call in source.walk(ast.Call) if argument(call, "pos_weight") is not None)


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
        at(training_parts, _tiny),
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
)
