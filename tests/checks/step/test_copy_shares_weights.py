import msgspec
import pytest

from firstlight.checks.step.copy_shares_weights import CHECK
from firstlight.records.copies import CopySeen
from firstlight.records.places import Site

COPY = CopySeen(
    step=12,
    model="Net",
    name="target",
    site=Site(file="train.py", line=18),
    looks=6,
    steps=9,
    began_equal=True,
    moved=3,
    followed=0,
    touched=9,
    drift=0.02,
    shared=0,
    tensors=4,
)
"""A healthy one, for the tests of the other checks too."""


def test_weights_of_its_own_are_fine() -> None:
    assert list(CHECK.find(COPY, CHECK.limits)) == []


@pytest.mark.parametrize(("shared", "began_equal", "told"), [(3, True, 1), (3, False, 0), (4, False, 1), (0, True, 0)])
def test_a_model_of_its_own_around_a_shared_part_is_no_copy(shared: int, began_equal: bool, told: int) -> None:
    seen = msgspec.structs.replace(COPY, shared=shared, began_equal=began_equal)
    assert len(list(CHECK.find(seen, CHECK.limits))) == told


def test_tells_how_many_are_shared() -> None:
    (evidence,) = CHECK.find(msgspec.structs.replace(COPY, shared=3), CHECK.limits)

    assert evidence.saw == "3 of 4 weights of `target` share memory with the `Net` in training"
    assert (evidence.where.line, evidence.where.module) == (18, "target")
