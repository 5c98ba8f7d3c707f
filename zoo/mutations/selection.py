"""What is saved, loaded, averaged and measured is not the model that was trained, or not what it claims to be."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator

from zoo.mutations import edit
from zoo.mutations.edit import Edit
from zoo.mutations.faults import fault, leak
from zoo.mutations.plant import at, removed, replaced, wrapped
from zoo.mutations.source import Source, argument, inside, last_name
from zoo.mutations.training import training

_AVERAGES = re.compile(r"ema|teacher|swa|shadow|averag|target_?net|\btarget\b|slow", re.IGNORECASE)
_TURNED = {ast.Gt: "<", ast.GtE: "<", ast.Lt: ">", ast.LtE: ">"}


def _selections(source: Source) -> Iterator[ast.Compare]:
    """`score > best` where what is better is kept."""
    for node in source.walk(ast.Compare):
        sides = [last_name(node.left), *(last_name(item) for item in node.comparators)]
        chosen = source.parent(node)
        if (
            (
                len(sides) == 2
                and any("best" in side for side in sides)
                and isinstance(chosen, ast.If)
                and chosen.test is node
            )
            and type(node.ops[0]) in _TURNED
            and any("best" in source.text(item) for item in chosen.body)
        ):
            yield node


def _turned(source: Source, node: ast.Compare) -> list[Edit]:
    sign = _TURNED[type(node.ops[0])]
    return edit.replace(source, node, f"{source.text(node.left)} {sign} {source.text(node.comparators[0])}")


def _kept_first(source: Source, node: ast.Compare) -> list[Edit]:
    """Keep what was measured first: the condition is never true again after a first time."""
    loop = source.loop(node)
    counts = isinstance(loop, ast.For) and isinstance(loop.target, ast.Name) and last_name(loop.iter) == "range"
    first = source.text(loop.iter.args[0]) if counts and isinstance(loop, ast.For) and _bounds(loop) == 2 else "0"
    name = last_name(loop.target) if isinstance(loop, ast.For) and counts else ""
    return edit.replace(source, node, f"{source.text(node)} and {name} == {first}") if name else []


def _bounds(loop: ast.For) -> int:
    return len(loop.iter.args) if isinstance(loop.iter, ast.Call) else 0


def _copies(source: Source) -> Iterator[ast.expr]:
    """The copies of a model's state that are kept for later."""
    for call in source.calls("copy.deepcopy"):
        if call.args and last_name(call.args[0]) == "state_dict":
            yield call
    for node in source.walk(ast.DictComp):
        if "state_dict" in source.text(node.generators[0].iter) and "clone" in source.text(node.value):
            yield node


def _by_reference(source: Source, node: ast.expr) -> list[Edit]:
    if isinstance(node, ast.Call):
        return edit.replace(source, node, source.text(node.args[0]))
    assert isinstance(node, ast.DictComp)
    name = next(item.id for item in inside(node.value, ast.Name))
    return edit.replace(source, node.value, name)


def _loaded(what: str) -> Callable[[Source], Iterator[ast.Expr]]:
    """The statements that load the state of a model, an optimizer or a schedule."""

    def find(source: Source) -> Iterator[ast.Expr]:
        roles = training(source).roles
        names = roles.models if what == "model" else roles.optimizers | roles.schedulers
        for call in source.methods("load_state_dict"):
            statement = source.parent(call)
            holder = call.func.value if isinstance(call.func, ast.Attribute) else None
            if isinstance(statement, ast.Expr) and last_name(holder) in names and call.args:
                yield statement

    return find


def _renamed(source: Source, statement: ast.Expr) -> list[Edit]:
    """Load a state none of whose keys fits, which `strict=False` passes over."""
    assert isinstance(statement.value, ast.Call)
    given = statement.value.args[0]
    text = edit.written(source, given)
    return edit.replace(source, given, f"{{f'module.{{k}}': v for k, v in {text}.items()}}, strict=False")


def _reset(source: Source, statement: ast.Expr) -> list[Edit]:
    """Reset the layers just after the state was loaded."""
    assert isinstance(statement.value, ast.Call)
    assert isinstance(statement.value.func, ast.Attribute)
    model = source.text(statement.value.func.value)
    each = f"[m.reset_parameters() for m in {model}.modules() if hasattr(m, 'reset_parameters')]"
    return edit.after(source, statement, each)


def _evaluated(source: Source, node: ast.AST) -> bool:
    return not training(source).trains(node)


def _decisions(source: Source) -> Iterator[ast.Call]:
    """The most likely class, in evaluation."""
    return (call for call in source.methods("argmax") if _evaluated(source, call) and _is_tensor(source, call))


def _is_tensor(source: Source, call: ast.Call) -> bool:
    text = source.text(call)
    return any(name in text for name in (*training(source).roles.models, "logit", "out", "pred", "score"))


def _lowest(source: Source, call: ast.Call) -> list[Edit]:
    assert isinstance(call.func, ast.Attribute)
    return edit.replace(source, call.func, f"{source.text(call.func.value)}.argmin")


def _comparisons(source: Source) -> Iterator[ast.expr]:
    """The targets a prediction is compared with, in evaluation."""
    for node in source.walk(ast.Compare):
        made = any(last_name(call) == "argmax" for call in inside(node.left, ast.Call)) or "pred" in source.text(
            node.left
        )
        if isinstance(node.ops[0], ast.Eq) and made and _evaluated(source, node):
            yield node.comparators[0]


def _sums(source: Source) -> Iterator[ast.AugAssign]:
    """What evaluation adds up over its batches."""
    for item in source.walk(ast.AugAssign):
        loop = source.loop(item)
        asked = loop is not None and any(
            last_name(c.func) in training(source).roles.models for c in inside(loop, ast.Call)
        )
        counted = isinstance(item.value, (ast.Call, ast.BinOp))
        if (
            isinstance(item.op, ast.Add)
            and asked
            and counted
            and loop not in training(source).loops
            and _evaluated(source, item)
        ) and not re.search(r"len\(|size\(|numel|shape", source.text(item.value)):
            yield item


def _overwritten(source: Source, item: ast.AugAssign) -> list[Edit]:
    return edit.rewrite(source, item, f"{source.text(item.target)} = {source.text(item.value)}")


def _thresholds(source: Source) -> Iterator[ast.Constant]:
    """The threshold of a decision between two classes, in evaluation."""
    for node in source.walk(ast.Compare):
        limit = node.comparators[0]
        if isinstance(node.ops[0], ast.Gt) and isinstance(limit, ast.Constant) and limit.value in (0.5, 0, 0.0):
            if _evaluated(source, node) and re.search(r"prob|sigmoid|logit|model|net|score", source.text(node.left)):
                yield limit


def _datasets_counted(source: Source) -> Iterator[ast.expr]:
    """`len(loader.dataset)` that a sum over examples is divided by."""
    for node in source.walk(ast.BinOp):
        over = node.right
        if isinstance(node.op, ast.Div) and source.text(over).endswith(".dataset)") and _evaluated(source, node):
            yield over


def _averaging(source: Source) -> Iterator[ast.stmt]:
    """The statements of training that update an average or a slow copy of the model."""
    for call in source.walk(ast.Call):
        statement = source.parent(call)
        name = source.text(call.func)
        updates = re.search(r"update|sync|copy", last_name(call), re.IGNORECASE) and not re.search(
            r"update_bn|scaler", name
        )
        averaged = _AVERAGES.search(name) or any(_AVERAGES.search(source.text(item)) for item in call.args)
        if isinstance(statement, ast.Expr) and updates and averaged and training(source).trains(call):
            yield statement


def _slow_copies(source: Source) -> Iterator[ast.Call]:
    """The copy of a model that is kept as its slow twin."""
    for call in source.calls("copy.deepcopy"):
        if call.args and last_name(call.args[0]) in training(source).roles.models:
            yield call


def _blends(source: Source) -> Iterator[ast.expr]:
    """The share of the new weights in an average: `lerp_(new, 1 - decay)`, `add_(new, alpha=1 - decay)`."""
    for call in source.methods("lerp_"):
        if len(call.args) > 1:
            yield call.args[1]
    for call in source.methods("add_"):
        value = argument(call, "alpha")
        if value is not None and isinstance(value, ast.BinOp):
            yield value


def _modes(source: Source) -> Iterator[ast.Constant]:
    """Whether a callback keeps the highest or the lowest."""
    for call in source.walk(ast.Call):
        value = argument(call, "mode") if last_name(call) in {"ModelCheckpoint", "EarlyStopping"} else None
        if isinstance(value, ast.Constant) and value.value in {"max", "min"}:
            yield value


def _other_mode(source: Source, node: ast.Constant) -> list[Edit]:
    return edit.replace(source, node, '"min"' if node.value == "max" else '"max"')


MUTATIONS = (
    fault(
        "worst-kept-for-best",
        "train-checkpoint",
        "loop",
        "Keeps the worst state instead of the best.",
        at(_selections, _turned),
    ),
    fault(
        "first-kept-for-best",
        "train-checkpoint",
        "loop",
        "Keeps the state of the first epoch.",
        at(_selections, _kept_first),
    ),
    fault(
        "best-kept-by-reference",
        "train-checkpoint",
        "loop",
        "Keeps a reference to the weights, which training goes on to change.",
        at(_copies, _by_reference),
    ),
    fault(
        "loaded-with-other-keys",
        "train-checkpoint",
        "helper",
        "Loads a state whose keys do not fit, and `strict=False` hides it.",
        at(_loaded("model"), _renamed),
    ),
    fault(
        "reset-after-loading",
        "train-checkpoint",
        "helper",
        "Initialises the layers after their state was loaded.",
        at(_loaded("model"), _reset),
    ),
    fault(
        "optimizer-state-not-loaded",
        "train-checkpoint",
        "class",
        "Resumes without the state of the optimizer or schedule.",
        at(_loaded("optimizer"), removed),
    ),
    fault(
        "checkpoint-mode-turned",
        "train-checkpoint",
        "framework",
        "The callback keeps the lowest where the highest was meant.",
        at(_modes, _other_mode),
    ),
    fault(
        "lowest-class-chosen",
        "train-metric",
        "helper",
        "Evaluation takes the least likely class.",
        at(_decisions, _lowest),
    ),
    fault(
        "compared-with-neighbours",
        "train-metric",
        "helper",
        "Evaluation compares predictions with the targets of other rows.",
        at(_comparisons, wrapped("{}.roll(1, 0)")),
    ),
    fault(
        "sum-overwritten",
        "train-metric",
        "helper",
        "Evaluation keeps only what the last batch gave.",
        at(_sums, _overwritten),
    ),
    fault(
        "threshold-off",
        "train-metric",
        "helper",
        "Decides at a threshold nothing reaches.",
        at(_thresholds, replaced("0.999")),
    ),
    leak(
        "divided-by-batches",
        "train-metric",
        "helper",
        "Divides a sum over examples by the number of batches.",
        at(
            _datasets_counted,
            lambda source, node: edit.replace(source, node, source.text(node).replace(".dataset", "")),
        ),
    ),
    fault(
        "average-never-updated",
        "train-ema",
        "loop",
        "The averaged copy of the model is never updated.",
        at(_averaging, removed),
    ),
    fault(
        "average-hardly-moves",
        "train-ema",
        "helper",
        "The average takes over almost nothing of the new weights.",
        at(_blends, wrapped("(1e-6 * ({}))")),
    ),
    fault(
        "copy-is-the-model",
        "train-ema",
        "class",
        "The slow copy is the model itself.",
        at(_slow_copies, lambda source, call: edit.replace(source, call, source.text(call.args[0]))),
    ),
    fault(
        "average-pulls-model-back",
        "train-ema",
        "loop",
        "The average is written back into the model turned around.",
        at(_blends, wrapped("-0.05 * ({})")),
    ),
)
