"""Careless settings and leftovers around the model, its updates and its life."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from zoo.mutations import edit
from zoo.mutations.edit import Edit
from zoo.mutations.faults import fault
from zoo.mutations.finders import (
    has_part,
    inner_assignments,
    inner_layers,
    optimizer_arguments,
    optimizer_steps,
    trained_parameters,
)
from zoo.mutations.plant import at, wrapped
from zoo.mutations.rewrites import guarded, then, with_argument, without_argument
from zoo.mutations.settings import is_number
from zoo.mutations.source import Loop, Source, argument, inside, last_name
from zoo.mutations.training import training

_NUMBERS = {"squares", "absolute", "huber"}
_SMALL_DECAY = 5e-4
_ADAPTIVE = {"Adam", "AdamW", "RMSprop"}


@dataclass(frozen=True, slots=True)
class _Run:
    """A model, the statement that makes its optimizer, and the outermost loop of the same function that trains it."""

    node: Loop
    made: ast.Assign
    model: str


def _runs(source: Source) -> Iterator[_Run]:
    for given in trained_parameters(source):
        made = source.statement(given)
        model = source.text(given.func.value) if isinstance(given.func, ast.Attribute) else ""
        if not isinstance(made, ast.Assign) or model == "self":
            continue
        for loop in source.walk(ast.For):
            outermost = source.loop(loop) is None and source.function(loop) is source.function(made)
            if outermost and source.file(loop) is source.file(made) and _trains(source, loop):
                yield _Run(loop, made, model)


def _trains(source: Source, loop: Loop) -> bool:
    """Whether a loop trains, itself or by what it calls."""
    view = training(source)
    called = {last_name(call) for call in inside(loop, ast.Call)}
    functions = [item for name in called for item in source.functions.get(name, [])]
    return any(item in view.loops for place in (loop, *functions) for item in inside(place, ast.AST))


def _epochs(source: Source) -> Iterator[_Run]:
    """Runs whose outermost loop goes over epochs, with batches inside."""
    return (run for run in _runs(source) if run.node not in training(source).loops)


def _back_to_start(source: Source, run: _Run) -> list[Edit]:
    loaded = edit.at_start(source, run.node.body, f"{run.model}.load_state_dict(initial)")
    kept = edit.after(source, run.made, f"initial = copy.deepcopy({run.model}.state_dict())")
    return loaded + kept if loaded and kept else []


def _evaluates_lagging_average(source: Source, run: _Run) -> list[Edit]:
    """Follow the weights far too slowly, and put the average in their place behind the loop."""
    block = source.siblings(run.node)
    behind = block[block.index(run.node) + 1 :]
    own = f"{source.text(run.made.targets[0])}.step"
    within = (step for step in training(source).steps if any(item is run.node for item in source.above(step)))
    steps = [step for step in within if isinstance(step.value, ast.Call) and source.text(step.value.func) == own]
    if not behind or not steps or "load_state_dict" in source.text(behind[0]):
        return []
    text = f"{run.model}.load_state_dict(average.state_dict())"
    pairs = f"zip(average.parameters(), {run.model}.parameters())"
    follow = edit.after(source, steps[0], f"[a.data.lerp_(b.data, 1 - 0.9999) for a, b in {pairs}]")
    first = behind[0]
    put = edit.at_start(source, first.body, text) if isinstance(first, ast.With) else edit.before(source, first, text)
    kept = edit.after(source, run.made, f"average = copy.deepcopy({run.model})")
    return follow + put + kept if follow and put and kept else []


def _told_dropouts(source: Source) -> Iterator[ast.Call]:
    """Calls of the function of dropout that are told whether the model trains."""
    for call in source.calls("torch.nn.functional.dropout"):
        if argument(call, "training") is not None:
            yield call


def _clippings(source: Source) -> Iterator[ast.Call]:
    """The calls that clip gradients in training."""
    for call in source.walk(ast.Call):
        if last_name(call) == "clip_grad_norm_" and call.args and training(source).trains(call):
            yield call


def _clips_weights(source: Source, call: ast.Call) -> list[Edit]:
    return edit.replace(source, call, f"[p.data.clamp_(-0.05, 0.05) for p in {source.text(call.args[0])}]")


def _plateaus(source: Source) -> Iterator[ast.Call]:
    """The schedules that wait for a plateau."""
    return (call for call in training(source).schedulers if last_name(call) == "ReduceLROnPlateau")


def _turned_mode(source: Source, call: ast.Call) -> list[Edit]:
    mode = argument(call, "mode", 1)
    if mode is None:
        return with_argument('mode="max"')(source, call)
    highest = isinstance(mode, ast.Constant) and mode.value == "max"
    return edit.replace(source, mode, '"min"' if highest else '"max"')


def _adaptive(source: Source) -> Iterator[ast.Call]:
    """The optimizers that scale steps themselves, with nothing set that another would not take."""
    for call in training(source).optimizers:
        plain = {keyword.arg for keyword in call.keywords} <= {"params", "lr", "weight_decay"}
        if last_name(call) in _ADAPTIVE and plain and not has_part(source, "OneCycleLR"):
            yield call


def _plain_descent(source: Source, call: ast.Call) -> list[Edit]:
    holder = call.func
    if not isinstance(holder, ast.Attribute):
        return []
    return edit.replace(source, holder, f"{source.text(holder.value)}.SGD")


def _decayed(source: Source) -> Iterator[ast.Call]:
    """The optimizers that are given a rate and a decay that is far smaller than rates are."""
    for call in training(source).optimizers:
        decay = argument(call, "weight_decay")
        small = decay is not None and is_number(decay) and 0 < float(source.text(decay)) <= _SMALL_DECAY
        if small and argument(call, "lr") is not None:
            yield call


def _exchanged(source: Source, call: ast.Call) -> list[Edit]:
    rate, decay = argument(call, "lr"), argument(call, "weight_decay")
    if rate is None or decay is None:
        return []
    return edit.replace(source, rate, source.text(decay)) + edit.replace(source, decay, source.text(rate))


def _whole_models(source: Source) -> Iterator[ast.Call]:
    return iter([]) if has_part(source, "OneCycleLR") else trained_parameters(source)


def _rates_of_fine_tuning(source: Source, given: ast.Call) -> list[Edit]:
    text = f"list({source.text(given)})"
    return edit.replace(source, given, f'[{{"params": {text}[:-2], "lr": 1e-6}}, {{"params": {text}[-2:]}}]')


def _guarded(source: Source, step: ast.Expr) -> list[Edit]:
    names = [item for item in training(source).loss_values if source.function(item) is source.function(step)]
    if not names or not isinstance(names[0], ast.Name):
        return []
    return guarded(f"{names[0].id}.item() < 0.25")(source, step)


def _number_outputs(source: Source) -> Iterator[ast.expr]:
    """What models of measured numbers return, by their losses or by differences written by hand."""
    view = training(source)
    kinds = {loss.kind for loss in view.losses}
    by_hand = not kinds and view.differences
    return iter(view.outputs if by_hand or (kinds and kinds <= _NUMBERS) else [])


def _hidden(source: Source) -> Iterator[ast.Assign]:
    """The statements of forward that assign one hidden tensor."""
    return (item for item in inner_assignments(source) if "pack_padded" not in source.text(item))


def _keep_positive(source: Source, item: ast.Assign) -> list[Edit]:
    name = source.text(item.targets[0])
    hook = f"{name}.register_hook(lambda g: g.clamp(min=0))"
    return edit.after(source, item, f"{name}.requires_grad and {hook}")


def _made_models(source: Source) -> Iterator[ast.Assign]:
    return iter(training(source).made_models)


MUTATIONS = (
    fault(
        "average-too-slow-for-run",
        "train-ema",
        "loop",
        "Evaluates an average of the weights whose decay is meant for runs a hundred times as long.",
        at(_runs, _evaluates_lagging_average),
    ),
    fault(
        "initial-state-restored-each-epoch",
        "train-reinit",
        "loop",
        "Loads the state the model began with at the start of each epoch, as for a new fold.",
        at(_epochs, _back_to_start),
    ),
    fault(
        "functional-dropout-flag-missing",
        "train-mode",
        "class",
        "Calls the function of dropout without telling it whether the model trains.",
        at(_told_dropouts, without_argument("training")),
    ),
    fault(
        "dropout-also-when-asked",
        "train-mode",
        "class",
        "Adds dropout by its function, which is on in evaluation too.",
        at(inner_layers, wrapped("torch.nn.functional.dropout({}, 0.5)")),
    ),
    fault(
        "weights-clipped-for-gradients",
        "hp-clip",
        "loop",
        "Clips the weights to a narrow range where the gradients were meant.",
        at(_clippings, _clips_weights),
    ),
    fault(
        "hook-keeps-positive-gradients",
        "loss-gradient",
        "class",
        "Leaves a hook for saliency maps in, which keeps only positive gradients.",
        at(_hidden, _keep_positive),
    ),
    fault(
        "plateau-mode-turned",
        "train-schedule",
        "api",
        "Waits for a plateau of a metric in the wrong direction, so each improvement lowers the rate.",
        at(_plateaus, _turned_mode),
    ),
    fault(
        "sgd-takes-over-adams-rate",
        "hp-lr-low",
        "api",
        "Exchanges Adam for plain descent and keeps the rate that was right for Adam.",
        at(_adaptive, _plain_descent),
    ),
    fault(
        "decay-given-as-rate",
        "hp-lr-low",
        "api",
        "Exchanges the rate and the weight decay.",
        at(_decayed, _exchanged),
    ),
    fault(
        "body-at-rate-of-fine-tuning",
        "hp-lr-low",
        "api",
        "Gives all but the last layer the rate of a fine-tuning, though nothing is pretrained.",
        at(_whole_models, _rates_of_fine_tuning),
    ),
    fault(
        "rate-times-batch-size",
        "hp-lr-high",
        "api",
        "Multiplies the rate by a batch size, a rule of thumb taken literally.",
        at(optimizer_arguments("lr"), wrapped("{} * 64")),
    ),
    fault(
        "spikes-skipped-from-the-start",
        "train-swallowed",
        "loop",
        "Skips steps whose loss is a spike, by a limit below where losses begin.",
        at(optimizer_steps, _guarded),
    ),
    fault(
        "all-parameters-uniform",
        "arch-init",
        "helper",
        "Draws every parameter between zero and one.",
        at(_made_models, then("[torch.nn.init.uniform_(p) for p in {}.parameters()]")),
    ),
    fault(
        "outputs-normalised-like-hidden",
        "arch-norm",
        "class",
        "Brings predictions of measured numbers to unit length, like hidden values.",
        at(_number_outputs, wrapped("torch.nn.functional.normalize({}, dim=-1)")),
    ),
    fault(
        "outputs-clamped-to-unit",
        "arch-output",
        "class",
        "Clamps predictions of measured numbers to the range of probabilities.",
        at(_number_outputs, wrapped("{}.clamp(0, 1)")),
    ),
)
