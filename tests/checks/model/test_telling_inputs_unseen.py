from typing import Any

import pytest
from msgspec.structs import replace
from tests.checks.data.relating import found, related

from firstlight.checks.model.telling_inputs_unseen import CHECK
from firstlight.records.finding import Evidence
from firstlight.records.reach import InputsReached
from firstlight.records.relations import Skills

SKILLS = Skills(rows=640, plain=0.82, own=0.06, before=0.05, looks=12, step=136)
UNSEEN = InputsReached(
    inputs=96,
    reached=11,
    output=(0, 68),
    first=(0, 58),
    last=(0, 68),
    telling=(0, 40),
    plain=0.8,
    within=0.05,
    faintly=0.06,
    faintest=1e-5,
    moved=1e-4,
    by_none=0.0,
)


def told(own: float = 0.06, acting: bool = False, **changes: Any) -> list[Evidence]:
    return found(CHECK, related(skills=replace(SKILLS, own=own), reach=replace(UNSEEN, **changes), acting=acting))


def test_names_what_is_seen_and_what_tells() -> None:
    (evidence,) = told()

    assert evidence.saw == (
        "the output [0, 68] depends on 11 of the 96 inputs of its example, [0, 58] to [0, 68]; from a constant "
        "prediction (0%) to a perfect one (100%), a simple fit to these gets 5%, one to all inputs 80%, and the "
        "program 6%. Of the inputs that do not move it at all, [0, 40] says most about the target"
    )
    assert (evidence.where.step, evidence.where.rank) == (136, 1)


def test_the_only_output_has_no_index() -> None:
    (evidence,) = told(output=())

    assert evidence.saw.startswith("the output depends on 11 of")


@pytest.mark.parametrize(
    ("changes", "ill"),
    [
        ({"plain": 0.5}, True),
        ({"plain": 0.49}, False),
        ({"plain": float("nan")}, False),
        ({"own": 0.39}, True),
        ({"own": 0.41}, False),
        ({"own": float("nan")}, False),
        ({"within": 0.39}, True),
        ({"within": 0.41}, False),
        ({"faintly": 0.39}, True),
        ({"faintly": 0.41}, False),
        ({"by_none": 1e-6}, True),
        ({"by_none": 2e-6}, False),
        ({"by_none": float("nan")}, False),
        ({"faintest": 1e-29}, True),
        ({"faintest": 1e-31}, False),
        ({"reached": 0}, False),
        ({"reached": 96}, False),
        ({"acting": True}, False),
    ],
)
def test_both_sides_of_each_limit(changes: dict[str, Any], ill: bool) -> None:
    assert bool(told(**changes)) is ill


def test_what_was_not_asked_is_not_told() -> None:
    assert not found(CHECK, related(skills=SKILLS))
