"""Faults in what a framework's trainer is told: arguments of Hugging Face's and Lightning's trainers."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from zoo.mutations.faults import fault
from zoo.mutations.plant import at
from zoo.mutations.rewrites import with_argument
from zoo.mutations.source import Source, argument, last_name


def _arguments(source: Source) -> Iterator[ast.Call]:
    """The arguments of Hugging Face's trainer."""
    return (call for call in source.walk(ast.Call) if last_name(call) == "TrainingArguments")


def _trainers(source: Source) -> Iterator[ast.Call]:
    """The trainer of Lightning."""
    for call in source.walk(ast.Call):
        if last_name(call) == "Trainer" and argument(call, "max_epochs") is not None:
            yield call


MUTATIONS = (
    fault(
        "trainer-clips-to-nothing",
        "hp-clip",
        "framework",
        "The trainer clips gradients to almost zero.",
        at(_arguments, with_argument("max_grad_norm=1e-10")),
    ),
    fault(
        "trainer-warms-up-for-ever",
        "train-schedule",
        "framework",
        "The warm-up of the trainer is longer than the run.",
        at(_arguments, with_argument("warmup_steps=1000000")),
    ),
    fault(
        "trainer-decays-all",
        "hp-regularisation",
        "framework",
        "The trainer's weight decay is a hundred.",
        at(_arguments, with_argument("weight_decay=100.0")),
    ),
    fault(
        "trainer-forgets-nothing",
        "hp-optimizer",
        "framework",
        "The trainer's Adam hardly takes in new gradients.",
        at(_arguments, with_argument("adam_beta1=0.9999")),
    ),
    fault(
        "lightning-clips-to-nothing",
        "hp-clip",
        "framework",
        "Lightning's trainer clips gradients to almost zero.",
        at(_trainers, with_argument("gradient_clip_val=1e-10")),
    ),
    fault(
        "lightning-gathers-for-ever",
        "train-accumulation",
        "framework",
        "Lightning's trainer gathers gradients over whole epochs.",
        at(_trainers, with_argument("accumulate_grad_batches=100000")),
    ),
)
