"""Activations that a loss applies again, or misses."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

from zoo.mutations import edit
from zoo.mutations.edit import Edit
from zoo.mutations.faults import fault
from zoo.mutations.finders import (
    losses,
    outputs,
    predictions,
    sequence_ends,
)
from zoo.mutations.plant import at, wrapped
from zoo.mutations.rewrites import other_loss
from zoo.mutations.source import Source


def _criteria(name: str) -> Callable[[Source], Iterator[ast.Call]]:
    """The objects of a loss class that are made with arguments every such class takes."""

    def find(source: Source) -> Iterator[ast.Call]:
        for call in source.calls(f"torch.nn.{name}"):
            if all(keyword.arg in {"weight", "ignore_index", "reduction"} for keyword in call.keywords):
                yield call

    return find


def _plain_calls(kind: str) -> Callable[[Source], Iterator[ast.Call]]:
    """The calls of torch's functions of a loss with arguments every such function takes."""

    def find(source: Source) -> Iterator[ast.Call]:
        for loss in losses(kind)(source):
            plain = all(keyword.arg in {"weight", "ignore_index", "reduction"} for keyword in loss.node.keywords)
            if plain and source.meaning(loss.node.func).startswith("torch.nn.functional."):
                yield loss.node

    return find


def _called(name: str) -> Callable[[Source, ast.Call], list[Edit]]:
    return lambda source, call: edit.replace(source, call.func, name)


MUTATIONS = (
    fault(
        "softmax-before-cross-entropy",
        "loss-double-activation",
        "loop",
        "Applies softmax to the logits on their way into cross-entropy, which does so itself.",
        at(predictions("cross-entropy"), wrapped("torch.softmax({}, dim=1)")),
    ),
    fault(
        "softmax-returned-by-forward",
        "loss-double-activation",
        "class",
        "The model returns probabilities, and cross-entropy takes them for logits.",
        at(outputs("cross-entropy"), wrapped("{}.softmax(dim=-1)")),
    ),
    fault(
        "softmax-ends-sequential",
        "loss-double-activation",
        "api",
        "The last layer of the model is a softmax, and the loss has one too.",
        at(sequence_ends("cross-entropy"), wrapped("{}, torch.nn.Softmax(dim=1)")),
    ),
    fault(
        "sigmoid-before-cross-entropy",
        "loss-double-activation",
        "loop",
        "Squashes the logits with a sigmoid before cross-entropy.",
        at(predictions("cross-entropy"), wrapped("torch.sigmoid({})")),
    ),
    fault(
        "sigmoid-before-bce-with-logits",
        "loss-double-activation",
        "loop",
        "Applies a sigmoid to logits that BCE-with-logits squashes again.",
        at(predictions("binary"), wrapped("torch.sigmoid({})")),
    ),
    fault(
        "sigmoid-returned-by-forward",
        "loss-double-activation",
        "class",
        "The model ends in a sigmoid while the loss expects logits.",
        at(outputs("binary"), wrapped("{}.sigmoid()")),
    ),
    fault(
        "sigmoid-ends-sequential",
        "loss-double-activation",
        "api",
        "A sigmoid layer closes the model while the loss expects logits.",
        at(sequence_ends("binary"), wrapped("{}, torch.nn.Sigmoid()")),
    ),
    fault(
        "nll-object-on-logits",
        "loss-missing-activation",
        "api",
        "Makes an NLLLoss for a model that returns raw logits.",
        at(_criteria("CrossEntropyLoss"), _called("torch.nn.NLLLoss")),
    ),
    fault(
        "nll-function-on-logits",
        "loss-missing-activation",
        "loop",
        "Calls nll_loss with raw logits.",
        at(_plain_calls("cross-entropy"), _called("torch.nn.functional.nll_loss")),
    ),
    fault(
        "bce-on-clipped-logits",
        "loss-missing-activation",
        "loop",
        "Clips logits into 0..1 instead of squashing them, and calls them probabilities.",
        at(
            losses("binary"),
            other_loss("torch.nn.functional.binary_cross_entropy({p}.clamp(1e-6, 1 - 1e-6), {t})"),
        ),
    ),
)
