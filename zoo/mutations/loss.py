"""Losses that ask for the wrong thing: signs, shapes, axes and kinds."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from zoo.mutations import edit
from zoo.mutations.edit import Edit
from zoo.mutations.faults import fault
from zoo.mutations.finders import (
    loss_assignments,
    loss_expressions,
    loss_returns,
    loss_values,
    losses,
    predictions,
    targets,
)
from zoo.mutations.plant import at, wrapped
from zoo.mutations.rewrites import other_loss, with_argument
from zoo.mutations.source import Source, argument, inside, last_name
from zoo.mutations.training import Difference, training

_REGRESSION = ("squares", "huber", "absolute")


def _minuses(source: Source) -> Iterator[ast.UnaryOp]:
    """The minus before something computed, in what a loss is made of."""
    for value in loss_expressions(source):
        for node in inside(value, ast.UnaryOp):
            if isinstance(node.op, ast.USub) and not isinstance(node.operand, ast.Constant | ast.Name):
                yield node


def _ones_minus(source: Source) -> Iterator[ast.BinOp]:
    """`1 - score` in functions and classes of losses."""
    view = training(source)
    for node in source.walk(ast.BinOp):
        one = isinstance(node.left, ast.Constant) and node.left.value == 1
        named = "loss" in source.scope(node).lower() or "dice" in source.text(node).lower()
        if (
            isinstance(node.op, ast.Sub)
            and one
            and named
            and view.trains(node)
            and isinstance(node.right, ast.BinOp | ast.Call)
            and not isinstance(source.parent(node), ast.BinOp)
        ):
            yield node


def _squeezed(source: Source) -> Iterator[ast.Call]:
    """The calls that take the last axis of a prediction away, on their way into a loss of numbers."""
    view = training(source)
    meeting = [loss.node for loss in view.losses if loss.kind in (*_REGRESSION, "binary")]
    statements = {source.function(node) for node in meeting} | set(view.forwards)
    for call in source.methods("squeeze"):
        if view.trains(call) and source.function(call) in statements and meeting:
            yield call


def _unsqueezed(source: Source, call: ast.Call) -> list[Edit]:
    assert isinstance(call.func, ast.Attribute)
    return edit.replace(source, call, source.text(call.func.value))


def _apart(source: Source, difference: Difference) -> list[Edit]:
    return edit.wrap(source, difference.target, "{}.unsqueeze(1)")


def _flattened(source: Source) -> Iterator[ast.expr]:
    """Predictions of sequences that are flattened as they enter a loss."""
    for loss in losses("cross-entropy")(source):
        call = loss.prediction
        if (
            isinstance(call, ast.Call)
            and last_name(call) in {"flatten", "view", "reshape"}
            and isinstance(call.func, ast.Attribute)
        ):
            yield call.func.value


def _normalised_axes(source: Source) -> Iterator[ast.expr]:
    """The axis of a softmax in training, outside forward."""
    view = training(source)
    for name in ("softmax", "log_softmax", "logsumexp"):
        for call in [*source.methods(name), *source.calls(f"torch.{name}", f"torch.nn.functional.{name}")]:
            place = 0 if isinstance(call.func, ast.Attribute) and source.meaning(call.func.value) == "" else 1
            axis = argument(call, "dim", place)
            outside = source.function(call) not in view.forwards
            if axis is not None and outside and view.trains(call):
                yield axis


MUTATIONS = (
    fault(
        "loss-negated-at-backward",
        "loss-sign",
        "loop",
        "Calls backward on the negative loss.",
        at(loss_values, wrapped("(-{})")),
    ),
    fault(
        "loss-negated-when-assigned",
        "loss-sign",
        "loop",
        "Puts a minus before the loss, as for a reward.",
        at(lambda source: (item.value for item in loss_assignments(source)), wrapped("-{}")),
    ),
    fault(
        "own-loss-returns-negative",
        "loss-sign",
        "helper",
        "The program's own loss returns the likelihood's sign the wrong way round.",
        at(loss_returns, wrapped("-{}")),
    ),
    fault(
        "minus-forgotten-in-loss",
        "loss-sign",
        "helper",
        "Forgets the minus of a negative log-likelihood.",
        at(_minuses, lambda source, node: edit.replace(source, node, edit.written(source, node.operand))),
    ),
    fault(
        "one-minus-forgotten",
        "loss-sign",
        "class",
        "Minimises a score instead of one minus the score.",
        at(_ones_minus, lambda source, node: edit.replace(source, node, edit.written(source, node.right))),
    ),
    fault(
        "optimizer-maximizes",
        "loss-sign",
        "config",
        "The optimizer was told to maximise.",
        at(lambda source: iter(training(source).optimizers), with_argument("maximize=True")),
    ),
    fault(
        "target-gets-an-axis",
        "loss-broadcast",
        "loop",
        "The targets get one axis more than the predictions, and the loss broadcasts them against each other.",
        at(targets(*_REGRESSION), wrapped("{}.unsqueeze(1)")),
    ),
    fault(
        "prediction-keeps-an-axis",
        "loss-broadcast",
        "class",
        "The squeeze of the model's last axis is missing, so (N, 1) meets (N,).",
        at(_squeezed, _unsqueezed),
    ),
    fault(
        "difference-broadcasts",
        "loss-broadcast",
        "helper",
        "In a loss written by hand, targets get an axis and every prediction meets every target.",
        at(lambda source: iter(training(source).differences), _apart),
    ),
    fault(
        "prediction-gets-an-axis",
        "loss-broadcast",
        "loop",
        "An unsqueeze of the predictions makes every prediction meet every target.",
        at(predictions(*_REGRESSION), wrapped("{}[:, None]")),
    ),
    fault(
        "softmax-over-batch-in-loss",
        "loss-dim",
        "helper",
        "Normalises over the examples of the batch instead of the classes.",
        at(_normalised_axes, lambda source, axis: edit.replace(source, axis, "0")),
    ),
    fault(
        "log-softmax-over-batch",
        "loss-dim",
        "loop",
        "Writes cross-entropy by hand with a log-softmax over the batch.",
        at(
            losses("cross-entropy"),
            other_loss("torch.nn.functional.nll_loss(torch.nn.functional.log_softmax({p}, dim=0), {t})"),
        ),
    ),
    fault(
        "sequence-flattened-across",
        "loss-dim",
        "loop",
        "Swaps batch and time before flattening the predictions, but not the targets.",
        at(_flattened, wrapped("{}.transpose(0, 1).contiguous()")),
    ),
    fault(
        "mean-before-squares",
        "loss-dim",
        "loop",
        "Reduces the error of regression over the batch before it is squared.",
        at(losses("squares"), other_loss("({p}.mean(0) - {t}.mean(0)).pow(2).mean()")),
    ),
    fault(
        "index-regression",
        "loss-mismatch",
        "loop",
        "Treats the class as a number and regresses its index on the mean of the logits.",
        at(losses("cross-entropy"), other_loss("torch.nn.functional.mse_loss({p}.mean(1), {t}.float())")),
    ),
    fault(
        "cosine-for-squares",
        "loss-mismatch",
        "loop",
        "Uses a similarity of directions where the size of the error counts.",
        at(
            losses("squares"),
            other_loss("(1 - torch.nn.functional.cosine_similarity({p}.flatten(), {t}.flatten(), dim=0))"),
        ),
    ),
    fault(
        "hinge-of-raw-classes",
        "loss-mismatch",
        "loop",
        "Uses a hinge of the raw targets 0 and 1 where a likelihood of logits belongs.",
        at(losses("binary"), other_loss("torch.relu(1 - {p} * {t}).mean()")),
    ),
)
