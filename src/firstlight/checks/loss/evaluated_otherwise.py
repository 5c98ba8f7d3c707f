"""Evaluation and training compare different functions of the network's output with the targets.

## What it sees
The calls between the last layer and the comparison with the targets (a difference, a squared or absolute error), in
training and in evaluation. Training squashes or clips the output and evaluation does not, or evaluation squashes it and
training does not. The network is then asked for something else than it was taught.

## When it is fine
Clipping predictions to their range only in evaluation, or exponentiating what was learned as a logarithm; neither is
reported.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.flows import TwoComparisons

CLIPS = frozenset({"relu", "relu_", "relu6", "clamp", "clamp_", "clip", "hardtanh", "softplus", "elu", "leaky_relu"})
SQUASHES = frozenset(
    {"tanh", "tanh_", "sigmoid", "sigmoid_", "softmax", "softsign", "hardsigmoid", "logsigmoid", "erf"}
)


class Limits(Settable):
    looks: int = 2
    """Fewest looks at the training; a single step may be unusual."""


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
        saw=f"{words[0]} puts the output through `{name}` before `{here.operation}` compares it with the targets; "
        f"{words[1]} does not{f', at {there.site}' if there.site is not None else ''}",
        wanted="the same function of the output in both",
        cause="arch-output" if trained else "train-metric",
    )


CHECK = Check(
    id="FL223",
    summary="evaluation and training compare different functions of the output with the targets",
    causes=("arch-output", "train-metric"),
    likely="an activation is applied where the loss is computed, but not where the network is used",
    fix="make the activation a part of the network, or leave it out of the loss",
    severity=Severity.ERROR,
    confidence=0.93,
    find=find,
)
