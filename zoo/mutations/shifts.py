"""Inputs that are other in evaluation than in training."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from zoo.mutations.examples import (
    evaluation_batches,
    holds_back,
    number_batches,
    on_batch,
    takes_numbers,
)
from zoo.mutations.faults import fault
from zoo.mutations.names import is_input
from zoo.mutations.plant import at, wrapped
from zoo.mutations.source import Source, last_name
from zoo.mutations.standardising import raw, standardisations, transforms, untransformed
from zoo.mutations.training import training


def _held_back_standardised(source: Source) -> Iterator[ast.expr]:
    """The standardisation of held-back examples alone."""
    for node in standardisations(source):
        statement = source.text(source.statement(node))
        if holds_back(source.text(node)) or (holds_back(statement.split("=")[0]) and "train" not in statement):
            yield node


def _held_back_transforms(source: Source) -> Iterator[ast.Call]:
    return (call for call in transforms(source) if holds_back(source.text(call)))


def _asked_inputs(source: Source) -> Iterator[ast.expr]:
    """The measured numbers a model is given outside training, in its one argument."""
    view = training(source)
    for call in source.walk(ast.Call) if takes_numbers(source) else []:
        asked = last_name(call.func) in view.roles.models and not isinstance(call.func, ast.Call)
        inputs = call.args[0] if asked and len(call.args) == 1 and not call.keywords else None
        if (
            isinstance(inputs, ast.Name | ast.Attribute)
            and is_input(last_name(inputs).lower())
            and not view.trains(call)
        ):
            yield inputs


MUTATIONS = (
    fault(
        "asked-with-other-scale",
        "data-split-shift",
        "helper",
        "Evaluation hands the model inputs in another unit.",
        at(_asked_inputs, wrapped("{} / 100")),
    ),
    fault(
        "asked-with-other-order",
        "data-schema",
        "helper",
        "Evaluation hands the model its columns in the opposite order.",
        at(_asked_inputs, wrapped("{}.flip(-1)")),
    ),
    fault(
        "held-back-not-standardised",
        "data-split-shift",
        "data",
        "Standardises training examples and not the held-back ones.",
        at(_held_back_standardised, raw),
    ),
    fault(
        "held-back-not-transformed",
        "data-split-shift",
        "data",
        "Applies the scaler to training examples and not to the held-back ones.",
        at(_held_back_transforms, untransformed),
    ),
    fault(
        "evaluation-scaled-again",
        "data-split-shift",
        "helper",
        "Evaluation divides by the stored range a second time.",
        at(evaluation_batches, on_batch("{x} = {x} / 255")),
    ),
    fault(
        "evaluation-shifted",
        "data-split-shift",
        "helper",
        "Evaluation centres inputs that are centred already.",
        at(evaluation_batches, on_batch("{x} = {x} * 2 - 3")),
    ),
    fault(
        "evaluation-columns-reversed",
        "data-schema",
        "helper",
        "Evaluation reads the columns in the opposite order.",
        at(evaluation_batches, on_batch("{x} = {x}.flip(-1)")),
    ),
    fault(
        "training-columns-moved",
        "data-schema",
        "loop",
        "Training reads columns one further than evaluation.",
        at(number_batches, on_batch("{x} = {x}.roll(3, -1)")),
    ),
    fault(
        "training-columns-sorted",
        "data-schema",
        "data",
        "The columns of the training rows lose their order.",
        at(number_batches, on_batch("{x} = {x}.sort(-1).values")),
    ),
)
