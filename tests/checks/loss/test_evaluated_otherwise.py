from typing import Any

from msgspec.structs import replace

from firstlight.checks.loss.evaluated_otherwise import CHECK
from firstlight.records.finding import Evidence
from firstlight.records.flows import Place, TwoComparisons
from firstlight.records.places import Site

SQUASHED = TwoComparisons(
    training=Place(operation="mse_loss", site=Site(file="train.py", line=22)),
    evaluation=Place(operation="sub", site=Site(file="train.py", line=16)),
    trained=("tanh",),
    evaluated=(),
    looks=3,
    step=21,
)


def found(**changes: Any) -> list[Evidence]:
    return list(CHECK.find(replace(SQUASHED, **changes), CHECK.limits))


def test_tells_what_training_does_and_evaluation_does_not() -> None:
    (evidence,) = found()

    assert "training puts the output through `tanh` before `mse_loss`" in evidence.saw
    assert "evaluation does not, at train.py:16" in evidence.saw
    assert (evidence.cause, evidence.where.line) == ("arch-output", 22)


def test_the_other_way_round_the_evaluation_is_at_fault() -> None:
    (evidence,) = found(trained=(), evaluated=("sigmoid",))

    assert "evaluation puts the output through `sigmoid` before `sub`" in evidence.saw
    assert (evidence.cause, evidence.where.line) == ("train-metric", 16)


def test_scaling_and_clipping_afterwards_are_quiet() -> None:
    assert found(trained=("clamp",))
    assert not found(trained=("mul", "add", "exp"))
    assert not found(trained=(), evaluated=("clamp", "relu", "exp", "mul"))


def test_one_look_is_not_enough() -> None:
    assert found(looks=2)
    assert not found(looks=1)
