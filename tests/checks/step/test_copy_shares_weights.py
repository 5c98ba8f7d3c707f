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


def test_tells_how_many_are_shared() -> None:
    shared = CopySeen(**{**{name: getattr(COPY, name) for name in COPY.__struct_fields__}, "shared": 3})
    (evidence,) = CHECK.find(shared, CHECK.limits)

    assert evidence.saw == "3 of 4 weights of `target` share memory with the `Net` in training"
    assert (evidence.where.line, evidence.where.module) == (18, "target")
