from typing import Any

import pytest
from msgspec.structs import replace
from tests.checks.data.relating import found, related

from firstlight.checks.model import telling_inputs_unseen
from firstlight.checks.model.telling_inputs_fade import CHECK
from firstlight.records.finding import Evidence
from firstlight.records.reach import InputsReached
from firstlight.records.relations import Skills

SKILLS = Skills(rows=640, plain=1.0, own=0.0, before=0.0, looks=130, step=384)
FADED = InputsReached(
    inputs=64,
    reached=8,
    first=(56,),
    last=(63,),
    telling=(10,),
    plain=1.0,
    within=0.02,
    faintly=1.0,
    faintest=8e-20,
    moved=0.002,
)


def told(step: int = 384, warming: bool = False, **changes: Any) -> list[Evidence]:
    relations = related(skills=replace(SKILLS, step=step), reach=replace(FADED, **changes))
    return found(CHECK, replace(relations, warming=warming))


def test_names_what_moves_the_output_and_what_tells() -> None:
    (evidence,) = told()

    assert evidence.saw == (
        "the output depends on 8 of the 64 inputs of its example, [56] to [63]; from a constant prediction (0%) to a "
        "perfect one (100%), a simple fit to these gets 2%, one to all inputs 100%, and the program after 384 steps "
        "0%. Of the other inputs, [10] says most about the target; together they move the output 0.002 times as much, "
        "the faintest 8e-20 times"
    )
    assert (evidence.where.step, evidence.where.rank) == (384, 1)


@pytest.mark.parametrize(
    ("changes", "ill"),
    [
        ({"within": 0.49}, True),
        ({"within": 0.51}, False),
        ({"within": float("nan")}, False),
        ({"faintly": 0.51}, True),
        ({"faintly": 0.49}, False),
        ({"faintly": 0.0, "faintest": 1e-31}, True),
        ({"moved": 0.05}, True),
        ({"moved": 0.06}, False),
        ({"moved": float("nan")}, False),
        ({"step": 299}, False),
        ({"warming": True}, False),
        ({"reached": 0}, False),
        ({"reached": 64}, False),
    ],
)
def test_both_sides_of_each_limit(changes: dict[str, Any], ill: bool) -> None:
    assert bool(told(**changes)) is ill


@pytest.mark.parametrize(("faintly", "faintest"), [(1.0, 1e-5), (0.0, 1e-5), (0.0, 1e-31)])
def test_what_fades_is_not_also_unseen(faintly: float, faintest: float) -> None:
    reach = replace(FADED, faintly=faintly, faintest=faintest)
    relations = related(skills=SKILLS, reach=reach)

    assert len(found(CHECK, relations)) + len(found(telling_inputs_unseen.CHECK, relations)) == 1
