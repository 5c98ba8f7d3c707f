"""Evaluation compares another function of the network's output with the answers than training does.

## What it sees
The calls between the last layer and the place where values are compared with answers (a difference, a squared or
absolute error), in training and in evaluation. One of them squashes the values and the other does not, so the network
is asked for something else than it was taught.

## When it is fine
Clipping predictions to their range in evaluation only, or taking exponentials of what was learnt as a logarithm, which
are not reported.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.flows import TwoComparisons

CLIPS = frozenset({"relu", "relu_", "relu6", "clamp", "clamp_", "clip", "hardtanh", "softplus", "elu", "leaky_relu"})
SQUASHES = frozenset(
    {"tanh", "tanh_", "sigmoid", "sigmoid_", "softmax", "softsign", "hardsigmoid", "logsigmoid", "erf"}
)


class Limits(Settable):
    looks: int = 2
    """At the training; a single step may be odd."""


def find(compared: TwoComparisons, limits: Limits) -> Found:
    trained = [name for name in compared.trained if name in SQUASHES | CLIPS]
    evaluated = [name for name in compared.evaluated if name in SQUASHES]
    if compared.looks < limits.looks or not (trained or evaluated):
        return
    words = ("training", "evaluation")
    (name, *_), here, there = trained or evaluated, compared.training, compared.evaluation
    if not trained:
        here, there, words = there, here, ("evaluation", "training")
    yield Evidence(
        where=at(here.site, step=compared.step, rank=compared.rank),
        saw=f"{words[0]} puts the output through `{name}` before `{here.operation}` compares it with the answers; "
        f"{words[1]} does not{f', at {there.site}' if there.site is not None else ''}",
        wanted="the same function of the output in both",
        cause="arch-output" if trained else "train-metric",
    )


CHECK = Check(
    id="FL223",
    summary="evaluation compares another function of the output with the answers than training does",
    causes=("arch-output", "train-metric"),
    likely="an activation applied where the loss is computed, and not where the network is used",
    fix="make the activation a part of the network, or leave it out of the loss",
    severity=Severity.ERROR,
    confidence=0.93,
    find=find,
)
