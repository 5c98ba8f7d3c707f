"""Modes, schedules, and what is made anew while training goes on."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

from zoo.mutations import edit
from zoo.mutations.edit import Edit
from zoo.mutations.faults import fault
from zoo.mutations.finders import has_part, optimizer_steps
from zoo.mutations.plant import at, removed, scaled
from zoo.mutations.rewrites import behind, uncalled
from zoo.mutations.source import Source, argument, dotted_name, last_name
from zoo.mutations.training import training


def _mode_statements(mode: str) -> Callable[[Source], Iterator[ast.Expr]]:
    """The statements that switch a model with dropout or batch statistics to a mode."""

    def find(source: Source) -> Iterator[ast.Expr]:
        if not has_part(source, "Dropout", "Dropout2d", "BatchNorm1d", "BatchNorm2d", "TransformerEncoderLayer"):
            return
        for call in source.methods(mode):
            statement = source.parent(call)
            if (
                isinstance(statement, ast.Expr)
                and not call.args
                and isinstance(call.func, ast.Attribute)
                and last_name(call.func.value) in training(source).roles.models
            ):
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
        at(optimizer_steps, behind("{}.param_groups[0].update(lr={}.param_groups[0]['lr'] * 0.9)")),
    ),
    fault(
        "rate-grows-each-step",
        "train-schedule",
        "loop",
        "Raises the rate by a twentieth at every batch and forgets to stop.",
        at(optimizer_steps, behind("{}.param_groups[0].update(lr={}.param_groups[0]['lr'] * 1.05)")),
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
        at(optimizer_steps, behind("{}.state.clear()")),
    ),
)
