"""Losses and hidden values that carry no gradient, by each of the ways Python offers, and gradients that are false."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

from zoo.mutations import edit
from zoo.mutations.edit import Edit
from zoo.mutations.faults import fault
from zoo.mutations.finders import (
    inner_assignments,
    inner_layers,
    loss_assignments,
    loss_terms,
    loss_values,
    predictions,
)
from zoo.mutations.plant import at, wrapped
from zoo.mutations.rewrites import then
from zoo.mutations.source import Source, inside, last_name
from zoo.mutations.training import training

_ALL = ("cross-entropy", "binary", "squares", "huber", "absolute", "likelihood", "binary-probabilities")


def _under_no_grad(source: Source, statement: ast.Assign) -> list[Edit]:
    return edit.rewrite(source, statement, f"with torch.no_grad(): {source.text(statement)}")


def _computed_terms(source: Source) -> Iterator[ast.expr]:
    return (term for term in loss_terms(source) if not isinstance(term, ast.Constant))


def _inputs_of_others(source: Source) -> Iterator[ast.Assign]:
    """The outputs of one model that go into another, in a training step of several models."""
    view = training(source)
    called = {last_name(call.func) for call in view.model_calls}
    for item in source.walk(ast.Assign):
        own = isinstance(item.value, ast.Call) and item.value in view.model_calls
        if len(called) > 1 and own and isinstance(item.targets[0], ast.Name):
            name, block = item.targets[0].id, source.siblings(item)
            later = block[block.index(item) + 1 :]
            given = [arg for call in view.model_calls if source.statement(call) in later for arg in call.args]
            if any(node.id == name for arg in given for node in inside(arg, ast.Name)):
                yield item


def _prediction_statements(source: Source) -> Iterator[ast.Assign]:
    """The assignments of a model's single output in training."""
    for call in training(source).model_calls:
        statement = source.statement(call)
        if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
            yield statement


def _hooked(function: str) -> Callable[[Source, ast.Assign], list[Edit]]:
    return then("{}.register_hook(" + function + ")")


MUTATIONS = (
    fault(
        "loss-wrapped-in-new-tensor",
        "loss-detached",
        "loop",
        "Wraps the number of the loss in a new tensor that requires gradients, so backward runs and reaches nothing.",
        at(loss_assignments, then("{} = torch.tensor({}.item(), requires_grad=True)")),
    ),
    fault(
        "loss-data-requires-grad",
        "loss-detached",
        "loop",
        "Takes the data of the loss and switches gradients on again, which silences the error and cuts the graph.",
        at(loss_values, wrapped("{}.data.requires_grad_()")),
    ),
    fault(
        "prediction-detached-and-armed",
        "loss-detached",
        "loop",
        "Detaches the predictions and makes them leaves of their own.",
        at(predictions(*_ALL), wrapped("{}.detach().requires_grad_()")),
    ),
    fault(
        "prediction-through-numpy",
        "loss-detached",
        "loop",
        "Sends the predictions through numpy on their way into the loss.",
        at(predictions(*_ALL), wrapped("torch.from_numpy({}.detach().numpy()).requires_grad_()")),
    ),
    fault(
        "prediction-through-list",
        "loss-detached",
        "loop",
        "Rebuilds the predictions from a list of numbers.",
        at(predictions(*_ALL), wrapped("torch.tensor({}.tolist(), requires_grad=True)")),
    ),
    fault(
        "prediction-rounded",
        "loss-detached",
        "loop",
        "Rounds the predictions in the loss, whose gradient is zero everywhere.",
        at(predictions("squares", "huber", "absolute"), wrapped("torch.round({})")),
    ),
    fault(
        "logits-thresholded",
        "loss-detached",
        "loop",
        "Puts hard decisions into the loss instead of logits.",
        at(predictions("binary"), wrapped("({} > 0).float().requires_grad_()")),
    ),
    fault(
        "logits-argmax-one-hot",
        "loss-detached",
        "loop",
        "Puts the one-hot of the most likely class into the loss.",
        at(
            predictions("cross-entropy"),
            wrapped("torch.nn.functional.one_hot({}.argmax(1), {}.shape[1]).float().requires_grad_()"),
        ),
    ),
    fault(
        "hidden-layer-detached",
        "loss-detached",
        "class",
        "Detaches a hidden value in forward, so nothing before it learns.",
        at(inner_layers, wrapped("{}.detach()")),
    ),
    fault(
        "hidden-layer-data",
        "loss-detached",
        "class",
        "Uses the data of a hidden value in forward.",
        at(inner_assignments, then("{} = {}.data")),
    ),
    fault(
        "hidden-under-no-grad",
        "loss-detached",
        "class",
        "Computes a part of forward under no_grad.",
        at(inner_assignments, _under_no_grad),
    ),
    fault(
        "hidden-copied-by-new-tensor",
        "loss-detached",
        "class",
        "Copies a hidden value by making a new tensor of its numbers.",
        at(inner_layers, wrapped("torch.as_tensor({}.detach().numpy())")),
    ),
    fault(
        "hidden-rounded",
        "loss-detached",
        "class",
        "Quantises a hidden value by rounding, without a straight-through gradient.",
        at(inner_layers, wrapped("torch.round({} * 16).div(16)")),
    ),
    fault(
        "grad-switched-off-around-hidden",
        "loss-detached",
        "class",
        "Switches gradients off for a part of forward.",
        at(inner_assignments, lambda s, n: edit.rewrite(s, n, f"with torch.set_grad_enabled(False): {s.text(n)}")),
    ),
    fault(
        "term-detached",
        "loss-detached",
        "loop",
        "Adds a term to the loss without its gradient.",
        at(_computed_terms, wrapped("({}).detach()")),
    ),
    fault(
        "term-item",
        "loss-detached",
        "helper",
        "Adds the number of a term to the loss.",
        at(_computed_terms, wrapped("({}).item()")),
    ),
    fault(
        "first-model-detached",
        "loss-detached",
        "loop",
        "Detaches the output of one model before it goes into the next.",
        at(_inputs_of_others, then("{} = {}.detach()")),
    ),
    fault(
        "gradient-hook-reverses",
        "loss-gradient",
        "loop",
        "A hook on the output gives the gradient the wrong sign.",
        at(_prediction_statements, _hooked("lambda grad: -grad")),
    ),
    fault(
        "gradient-hook-drops-values",
        "loss-gradient",
        "loop",
        "A hook on the output returns ones in place of the gradient it was given.",
        at(_prediction_statements, _hooked("torch.ones_like")),
    ),
    fault(
        "gradient-hook-in-forward",
        "loss-gradient",
        "class",
        "A hook on a hidden value keeps only the sign that was left by its forward, not the gradient.",
        at(inner_assignments, then("{}.requires_grad and {}.register_hook(lambda grad: grad.abs())")),
    ),
    fault(
        "gradient-hook-shuffles",
        "loss-gradient",
        "loop",
        "A hook on the output hands each example the gradient of its neighbour.",
        at(_prediction_statements, _hooked("lambda grad: grad.roll(1, 0)")),
    ),
)
