"""Hyper-parameters that are far off: rates, decay, clipping, momentum, batch sizes, schedules."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

from zoo.mutations import edit
from zoo.mutations.edit import Edit
from zoo.mutations.faults import fault
from zoo.mutations.finders import layers, optimizer_arguments, optimizer_steps
from zoo.mutations.plant import at, replaced, scaled
from zoo.mutations.rewrites import ahead, with_argument
from zoo.mutations.settings import (
    batch_sizes,
    config_edits,
    constants,
    defaults,
    fields,
    literals,
    options,
)
from zoo.mutations.source import Source, argument, last_name
from zoo.mutations.training import training
from zoo.records import Mutation

_FAST, _SLOW = 300.0, 1e-5
_PLACES = (
    ("in-optimizer-call", "loop", literals, "in the call of the optimizer"),
    ("as-constant", "config", constants, "in a constant at the top"),
    ("in-config-field", "config", fields, "in a field of the configuration"),
    ("as-option-default", "config", options, "as the default of a command-line option"),
    ("as-parameter-default", "helper", defaults, "as the default of a parameter"),
)


def _rates(source: Source) -> Iterator[ast.expr]:
    yield from optimizer_arguments("lr")(source)
    yield from _framework_arguments(source, "learning_rate")


def _framework_arguments(source: Source, name: str) -> Iterator[ast.expr]:
    for call in source.walk(ast.Call):
        value = argument(call, name) if last_name(call) == "TrainingArguments" else None
        if value is not None:
            yield value


def _rate_faults() -> Iterator[Mutation]:
    for suffix, form, place, words in _PLACES:
        yield fault(
            f"rate-far-too-high-{suffix}", "hp-lr-high", form, f"A rate 300 times too high {words}.",
            at(place(_rates), scaled(_FAST)),
        )  # fmt: skip
        yield fault(
            f"rate-far-too-low-{suffix}", "hp-lr-low", form, f"A rate 100 000 times too low {words}.",
            at(place(_rates), scaled(_SLOW)),
        )  # fmt: skip


def _optimizers(*names: str) -> Callable[[Source], Iterator[ast.Call]]:
    return lambda source: (call for call in training(source).optimizers if not names or last_name(call) in names)


def _dropouts(source: Source) -> Iterator[ast.Call]:
    return layers("Dropout", "Dropout2d", "Dropout1d")(source)


def _saturated_dropout(source: Source, call: ast.Call) -> list[Edit]:
    given = argument(call, "p", 0)
    return edit.replace(source, given, "0.97") if given is not None else with_argument("p=0.97")(source, call)


def _norm_limits(source: Source) -> Iterator[ast.expr]:
    for call in source.methods("clip_grad_norm_", "clip_grad_value_"):
        value = argument(call, "max_norm", 1) or argument(call, "clip_value", 1)
        if value is not None:
            yield value


def _with_decay(source: Source, call: ast.Call) -> list[Edit]:
    return with_argument("weight_decay=30.0")(source, call)


def _loss_objects(source: Source) -> Iterator[ast.Call]:
    return source.calls("torch.nn.CrossEntropyLoss")


def _set_to(text: str) -> Callable[[Source, ast.AST], list[Edit]]:
    return replaced(text)


MUTATIONS = (
    *_rate_faults(),
    fault(
        "rate-far-too-high-in-config-file",
        "hp-lr-high",
        "other-file",
        "A rate 300 times too high in a file of settings.",
        config_edits("lr|learning_rate", _FAST),
    ),
    fault(
        "rate-far-too-low-in-config-file",
        "hp-lr-low",
        "other-file",
        "A rate 100 000 times too low in a file of settings.",
        config_edits("lr|learning_rate", _SLOW),
    ),
    fault(
        "rate-raised-in-groups",
        "hp-lr-high",
        "loop",
        "Multiplies the rate of every group by 1000 for a warm restart and never takes it back.",
        at(optimizer_steps, ahead("{}.param_groups[0].update(lr=3.0)")),
    ),
    fault(
        "rate-lowered-in-groups",
        "hp-lr-low",
        "loop",
        "Sets the rate of every group to a value of another optimizer, before each step.",
        at(optimizer_steps, ahead("{}.param_groups[0].update(lr=1e-8)")),
    ),
    fault(
        "weight-decay-far-too-strong",
        "hp-regularisation",
        "config",
        "A weight decay of 30.",
        at(_optimizers("AdamW", "SGD"), _with_decay),
    ),
    fault(
        "weight-decay-of-adam",
        "hp-regularisation",
        "config",
        "A penalty on the weights that outweighs the loss.",
        at(_optimizers("Adam", "RMSprop"), with_argument("weight_decay=3.0")),
    ),
    fault(
        "dropout-drops-nearly-all",
        "hp-regularisation",
        "class",
        "Takes the share that is dropped for the share that is kept.",
        at(_dropouts, _saturated_dropout),
    ),
    fault(
        "labels-smoothed-away",
        "hp-regularisation",
        "config",
        "Smooths labels until nearly nothing is left of them.",
        at(_loss_objects, with_argument("label_smoothing=0.98")),
    ),
    fault(
        "norm-clipped-to-nothing",
        "hp-clip",
        "loop",
        "Clips the norm of gradients to almost zero.",
        at(_norm_limits, _set_to("1e-9")),
    ),
    fault(
        "gradients-clamped-to-nothing",
        "hp-clip",
        "loop",
        "Clamps every gradient to a tiny range before the step.",
        at(
            optimizer_steps,
            ahead("[p.grad.clamp_(-1e-10, 1e-10) for g in {}.param_groups for p in g['params'] if p.grad is not None]"),
        ),
    ),
    fault(
        "gradients-scaled-to-fixed-norm",
        "hp-clip",
        "helper",
        "Rescales all gradients to a tiny norm instead of limiting them.",
        at(
            optimizer_steps,
            ahead("torch.nn.utils.clip_grad_norm_([p for g in {}.param_groups for p in g['params']], 1e-8)"),
        ),
    ),
    fault(
        "betas-swapped",
        "hp-optimizer",
        "config",
        "Gives Adam its two betas in the wrong order.",
        at(_optimizers("Adam", "AdamW", "NAdam"), with_argument("betas=(0.999, 0.1)")),
    ),
    fault(
        "epsilon-far-too-large",
        "hp-optimizer",
        "config",
        "Gives Adam an epsilon that drowns its denominators.",
        at(_optimizers("Adam", "AdamW", "RMSprop", "NAdam"), with_argument("eps=10.0")),
    ),
    fault(
        "momentum-near-one",
        "hp-optimizer",
        "config",
        "Gives SGD a momentum that never forgets.",
        at(_optimizers("SGD"), with_argument("momentum=0.9999")),
    ),
    fault(
        "first-beta-near-one",
        "hp-optimizer",
        "config",
        "Gives Adam a first beta that never forgets.",
        at(_optimizers("Adam", "AdamW", "NAdam"), with_argument("betas=(0.9999, 0.999)")),
    ),
    *(
        fault(
            f"batch-of-one-{suffix}",
            "hp-batch",
            form,
            f"A batch of one example, {words}.",
            at(place(batch_sizes), _set_to("1")),
        )
        for suffix, form, place, words in (
            ("in-loader", "loop", literals, "where batches are made"),
            ("as-constant", "config", constants, "in a constant"),
            ("in-config-field", "config", fields, "in a field"),
            ("as-option-default", "config", options, "as an option's default"),
        )
    ),
    *(
        fault(
            f"batch-of-all-{suffix}",
            "hp-batch",
            form,
            f"All examples in one batch, {words}.",
            at(place(batch_sizes), _set_to("100000")),
        )
        for suffix, form, place, words in (
            ("in-loader", "loop", literals, "where batches are made"),
            (
                "in-settings",
                "config",
                lambda values: lambda source: (n for p in (constants, fields, options) for n in p(values)(source)),
                "where settings are written",
            ),
        )
    ),
)
