from typing import Any

import pytest
from msgspec.structs import replace

from firstlight.checks.data.input_nonfinite import CHECK
from firstlight.records.facts import FirstBad
from firstlight.records.finding import Evidence
from firstlight.records.places import Site

BAD_INPUT = FirstBad(
    rank=2,
    kind="input",
    step=7,
    site=Site(file="train.py", line=28),
    module="Sequential",
    operation=None,
    detail="0.3% of the values of an input of shape (64, 6)",
    share=0.003,
    earlier=(1.0, 0.9),
    lr=0.001,
)


def found(**changes: Any) -> list[Evidence]:
    return list(CHECK.find(replace(BAD_INPUT, **changes), CHECK.limits))


def test_tells_how_much_of_the_input_is_bad() -> None:
    (evidence,) = found()

    assert "0.3% of the values of an input of shape (64, 6) are NaN or infinite" in evidence.saw
    assert evidence.wanted.startswith("finite inputs")
    assert (evidence.where.file, evidence.where.line, evidence.where.module) == ("train.py", 28, "Sequential")
    assert (evidence.where.step, evidence.where.rank) == (7, 2)
    assert evidence.numbers == {"share": 0.003, "step": 7}


@pytest.mark.parametrize("kind", ["target", "activation", "loss", "gradient", "parameter"])
def test_what_went_wrong_behind_a_finite_input_is_not_the_inputs_fault(kind: str) -> None:
    assert found(kind=kind) == []
