"""What happens around the steps: what the optimizer holds, what is frozen, modes, schedules, and what is made anew."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

from zoo.mutations import edit
from zoo.mutations.edit import Edit
from zoo.mutations.faults import fault
from zoo.mutations.finders import has_part, layers, trained_parameters
from zoo.mutations.plant import at, removed, scaled, wrapped
from zoo.mutations.rewrites import behind, uncalled, with_argument
from zoo.mutations.source import Source, argument, dotted_name, inside, last_name
from zoo.mutations.training import training


def _optimizer_statements(source: Source) -> Iterator[ast.Assign]:
    """The assignments of an optimizer that holds all parameters of a model."""
    for call in trained_parameters(source):
        statement = source.statement(call)
        if isinstance(statement, ast.Assign):
            yield statement


def _held_model(source: Source, statement: ast.stmt) -> str:
    for call in inside(statement, ast.Call):
        if isinstance(call.func, ast.Attribute) and call.func.attr == "parameters":
            return dotted_name(call.func.value)
    return ""


def _before_optimizer(template: str) -> Callable[[Source, ast.Assign], list[Edit]]:
    """Write a statement before the optimizer is made; `{}` is the model it holds."""

    def change(source: Source, statement: ast.Assign) -> list[Edit]:
        model = _held_model(source, statement)
        return edit.before(source, statement, template.replace("{}", model)) if model else []

    return change


def _after_optimizer(template: str) -> Callable[[Source, ast.Assign], list[Edit]]:
    """Write a statement after the optimizer is made; `{}` is the model it holds."""

    def change(source: Source, statement: ast.Assign) -> list[Edit]:
        model = _held_model(source, statement)
        return edit.after(source, statement, template.replace("{}", model)) if model not in {"", "self"} else []

    return change


def _parameter_objects(source: Source) -> Iterator[ast.Call]:
    return (call for call in source.calls("torch.nn.Parameter") if call.args)


def _module_lists(source: Source) -> Iterator[ast.Call]:
    return (call for call in source.calls("torch.nn.ModuleList") if call.args)


def _mode_statements(mode: str) -> Callable[[Source], Iterator[ast.Expr]]:
    """The statements that switch a model with dropout or batch statistics to a mode."""

    def find(source: Source) -> Iterator[ast.Expr]:
        if not has_part(source, "Dropout", "Dropout2d", "BatchNorm1d", "BatchNorm2d", "TransformerEncoderLayer"):
            return
        for call in source.methods(mode):
            statement = source.parent(call)
            if isinstance(statement, ast.Expr) and not call.args and isinstance(call.func, ast.Attribute):
                if last_name(call.func.value) in training(source).roles.models:
                    yield statement

    return find


def _mode_in_loop(source: Source) -> Iterator[ast.Expr]:
    """The switches to training that are repeated, and so undo an evaluation."""
    evaluates = any(True for _ in _mode_statements("eval")(source))
    for statement in _mode_statements("train")(source):
        repeated = source.loop(statement) is not None or source.function(statement) in training(source).reached
        if evaluates and (repeated or source.function(statement) is not None):
            yield statement


def _called(name: str) -> Callable[[Source, ast.Expr], list[Edit]]:
    def change(source: Source, statement: ast.Expr) -> list[Edit]:
        call = statement.value
        assert isinstance(call, ast.Call)
        assert isinstance(call.func, ast.Attribute)
        return edit.replace(source, call, f"{source.text(call.func.value)}.{name}")

    return change


def _schedule_steps_by_epoch(source: Source) -> Iterator[ast.Expr]:
    """The steps of a schedule that are not taken at every batch."""
    loops = training(source).loops
    return (item for item in training(source).schedule_steps if source.loop(item) not in loops)


def _into_batches(source: Source, statement: ast.Expr) -> list[Edit]:
    """Step the schedule after each step of the optimizer too, where both are in one function."""
    here = source.function(statement)
    steps = [item for item in training(source).steps if source.function(item) is here]
    plain = isinstance(statement.value, ast.Call) and not statement.value.args
    return edit.after(source, steps[0], source.text(statement)) if steps and plain else []


def _schedule_arguments(*names: str) -> Callable[[Source], Iterator[ast.Constant]]:
    def find(source: Source) -> Iterator[ast.Constant]:
        for call in training(source).schedulers:
            for name in names:
                value = argument(call, name)
                if isinstance(value, ast.Constant):
                    yield value

    return find


def _scheduled(source: Source) -> Iterator[ast.Assign]:
    """The assignments of a schedule."""
    for call in training(source).schedulers:
        statement = source.statement(call)
        if isinstance(statement, ast.Assign) and statement.value is call:
            yield statement


def _steps(source: Source) -> Iterator[ast.Expr]:
    return iter(training(source).steps)


def _epoch_starts(source: Source) -> Iterator[ast.stmt]:
    """The first statement of the loop over epochs, where it is simple."""
    for inner in training(source).loops:
        outer = source.loop(inner)
        if outer is not None and outer not in training(source).loops:
            yield outer.body[0]


def _made_again(what: str) -> Callable[[Source, ast.stmt], list[Edit]]:
    """Make the model or the optimizer anew at the beginning of each epoch, by the statement that made it."""

    def change(source: Source, statement: ast.stmt) -> list[Edit]:
        here = source.function(statement)
        view = training(source)
        made = view.made_models if what == "model" else [source.statement(call) for call in view.optimizers]
        for item in made:
            if source.function(item) is here and isinstance(item, ast.Assign) and "\n" not in source.text(item):
                return edit.before(source, statement, source.text(item))
        return []

    return change


def _reset(source: Source, statement: ast.stmt) -> list[Edit]:
    here = source.function(statement)
    named = [dotted_name(call.func) for call in training(source).model_calls if source.function(call) is here]
    reset = "[m.reset_parameters() for m in {}.modules() if hasattr(m, 'reset_parameters')]"
    return edit.before(source, statement, reset.replace("{}", named[0])) if named and named[0] else []


MUTATIONS = (
    fault(
        "only-last-layer-optimised",
        "train-params-missing",
        "loop",
        "Hands only the last layer to the optimizer.",
        at(trained_parameters, wrapped("list({})[-2:]")),
    ),
    fault(
        "only-first-layer-optimised",
        "train-params-missing",
        "loop",
        "Hands only the first layer to the optimizer.",
        at(trained_parameters, wrapped("list({})[:1]")),
    ),
    fault(
        "only-biases-optimised",
        "train-params-missing",
        "loop",
        "The filter that should keep biases from decay keeps only them.",
        at(trained_parameters, wrapped("[p for p in {} if p.ndim < 2]")),
    ),
    fault(
        "copy-optimised",
        "train-params-missing",
        "api",
        "The optimizer holds the parameters of a copy.",
        at(
            trained_parameters,
            lambda source, call: (
                edit.wrap(source, call.func.value, "copy.deepcopy({})") if isinstance(call.func, ast.Attribute) else []
            ),
        ),
    ),
    fault(
        "model-copied-after-optimizer",
        "train-params-missing",
        "loop",
        "Replaces the model by a copy after the optimizer was made.",
        at(_optimizer_statements, _after_optimizer("{} = copy.deepcopy({})")),
    ),
    fault(
        "parameters-replaced-after-optimizer",
        "train-params-missing",
        "helper",
        "Converts parameters to new ones after the optimizer was made.",
        at(
            _optimizer_statements,
            _after_optimizer(
                "[setattr(m, n, torch.nn.Parameter(p.detach().clone())) for m in {}.modules() for n, p in list(m.named_parameters(recurse=False))]"
            ),
        ),
    ),
    fault(
        "modules-in-plain-list",
        "train-params-missing",
        "class",
        "Keeps modules in a Python list, which registers nothing.",
        at(_module_lists, lambda source, call: edit.replace(source, call, f"list({source.text(call.args[0])})")),
    ),
    fault(
        "parameter-as-plain-tensor",
        "train-params-missing",
        "class",
        "Keeps a parameter as a plain tensor, which registers nothing.",
        at(_parameter_objects, lambda source, call: edit.replace(source, call, source.text(call.args[0]))),
    ),
    fault(
        "body-frozen-before-optimizer",
        "train-frozen",
        "loop",
        "Freezes all but the last layer, from a fine-tuning script.",
        at(_optimizer_statements, _before_optimizer("[p.requires_grad_(False) for p in list({}.parameters())[:-2]]")),
    ),
    fault(
        "head-frozen-after-optimizer",
        "train-frozen",
        "loop",
        "Freezes the last layers after the optimizer was made.",
        at(_optimizer_statements, _after_optimizer("[p.requires_grad_(False) for p in list({}.parameters())[2:]]")),
    ),
    fault(
        "weights-frozen-by-shape",
        "train-frozen",
        "helper",
        "Freezes every matrix, where only norms were meant.",
        at(_optimizer_statements, _before_optimizer("[p.requires_grad_(p.ndim < 2) for p in {}.parameters()]")),
    ),
    fault(
        "embedding-from-pretrained-frozen",
        "train-frozen",
        "class",
        "Loads a table by `from_pretrained`, which freezes it.",
        at(
            layers("Embedding"),
            lambda source, call: (
                edit.replace(
                    source,
                    call,
                    f"torch.nn.Embedding.from_pretrained(torch.randn({source.text(call.args[0])}, {source.text(call.args[1])}))",
                )
                if len(call.args) > 1
                else []
            ),
        ),
    ),
    fault(
        "parameter-without-gradient",
        "train-frozen",
        "class",
        "A parameter is made without gradients.",
        at(_parameter_objects, with_argument("requires_grad=False")),
    ),
    fault(
        "train-mode-never-restored",
        "train-mode",
        "loop",
        "Stays in evaluation mode after the first evaluation.",
        at(_mode_in_loop, removed),
    ),
    fault(
        "train-mode-not-called",
        "train-mode",
        "loop",
        "Names `train` without calling it.",
        at(_mode_in_loop, uncalled),
    ),
    fault(
        "trained-in-evaluation-mode",
        "train-mode",
        "loop",
        "Switches to evaluation mode before training.",
        at(_mode_in_loop, _called("train(False)")),
    ),
    fault(
        "evaluation-mode-left-out",
        "train-mode",
        "helper",
        "Evaluates in training mode.",
        at(_mode_statements("eval"), removed),
    ),
    fault(
        "evaluation-in-train-mode",
        "train-mode",
        "helper",
        "Switches to training mode where evaluation was meant.",
        at(_mode_statements("eval"), _called("train()")),
    ),
    fault(
        "evaluation-mode-not-called",
        "train-mode",
        "helper",
        "Names `eval` without calling it.",
        at(_mode_statements("eval"), uncalled),
    ),
    fault(
        "schedule-stepped-each-batch",
        "train-schedule",
        "loop",
        "Steps a schedule made for epochs at every batch.",
        at(_schedule_steps_by_epoch, _into_batches),
    ),
    fault(
        "schedule-decays-at-once",
        "train-schedule",
        "config",
        "The factor of the schedule is a hundredth of what it should be.",
        at(_schedule_arguments("gamma", "factor"), scaled(0.01)),
    ),
    fault(
        "rate-decays-each-step",
        "train-schedule",
        "loop",
        "Multiplies the rate by 0.9 at every batch, by hand.",
        at(_steps, behind("{}.param_groups[0].update(lr={}.param_groups[0]['lr'] * 0.9)")),
    ),
    fault(
        "rate-grows-each-step",
        "train-schedule",
        "loop",
        "Raises the rate by a twentieth at every batch and forgets to stop.",
        at(_steps, behind("{}.param_groups[0].update(lr={}.param_groups[0]['lr'] * 1.05)")),
    ),
    fault(
        "schedule-takes-factor-for-rate",
        "train-schedule",
        "config",
        "Writes a rate where the schedule wants a factor.",
        at(
            _scheduled,
            lambda s, n: edit.after(
                s, n, f"{s.text(n.targets[0])}.base_lrs = [r * 1e-4 for r in {s.text(n.targets[0])}.base_lrs]"
            ),
        ),
    ),
    fault(
        "schedule-never-stepped",
        "train-schedule",
        "loop",
        "Never moves a schedule that starts low.",
        at(lambda source: iter(training(source).schedule_steps), removed),
    ),
    fault(
        "optimizer-made-each-epoch",
        "train-reinit",
        "loop",
        "Makes the optimizer anew at each epoch.",
        at(_epoch_starts, _made_again("optimizer")),
    ),
    fault(
        "model-made-each-epoch",
        "train-reinit",
        "loop",
        "Makes the model anew at each epoch, and the optimizer holds the old one.",
        at(_epoch_starts, _made_again("model")),
    ),
    fault(
        "weights-reset-each-epoch",
        "train-reinit",
        "loop",
        "Resets all layers at the beginning of each epoch.",
        at(_epoch_starts, _reset),
    ),
    fault(
        "state-of-optimizer-cleared",
        "train-reinit",
        "loop",
        "Forgets what the optimizer remembers, at each step.",
        at(_steps, behind("{}.state.clear()")),
    ),
)
