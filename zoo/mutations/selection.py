"""What is saved, loaded and averaged is not the model that was trained, or not what it claims to be."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator

from zoo.mutations import edit
from zoo.mutations.edit import Edit
from zoo.mutations.faults import fault
from zoo.mutations.plant import at, removed, wrapped
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
    """Keep what was measured in the first round of a counting loop."""
    loop = source.loop(node)
    over = loop.iter if isinstance(loop, ast.For) else None
    if not isinstance(loop, ast.For) or not isinstance(over, ast.Call) or last_name(over) != "range":
        return []
    begin = source.text(over.args[0]) if len(over.args) > 1 else "0"
    return edit.replace(source, node, f"{source.text(node)} and {source.text(loop.target)} == {begin}")


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
