from typing import Any

import pytest
from msgspec.structs import replace

from firstlight.checks.data.inputs_levelled import CHECK
from firstlight.records.finding import Evidence
from firstlight.records.flows import Levelling, Place
from firstlight.records.places import Site
from firstlight.records.stored import ExamplesStored

CLAMPED = Levelling(
    rank=1,
    call=Place(operation="clamp", site=Site(file="train.py", line=12)),
    looks=3,
    step=24,
    before=0.02,
    after=0.97,
)


def found(**changes: Any) -> list[Evidence]:
    return list(CHECK.find(replace(CLAMPED, **changes), CHECK.limits))


def test_names_the_call_and_both_shares() -> None:
    (evidence,) = found()

    assert evidence.saw == ("after `clamp` 97% of the values fed to the network are one of three; before it 2% were")
    assert (evidence.where.line, evidence.where.step, evidence.where.rank) == (12, 24, 1)


@pytest.mark.parametrize(
    ("changes", "times"),
    [
        ({"looks": 2}, 1),
        ({"looks": 1}, 0),
        ({"before": 0.3}, 1),
        ({"before": 0.31}, 0),
        ({"after": 0.9}, 1),
        ({"after": 0.89}, 0),
        ({"before": float("nan")}, 0),
        ({"after": 0.5, "merged": 0.1, "lost": 0.15}, 1),
        ({"after": 0.5, "merged": 0.09, "lost": 0.15}, 0),
        ({"after": 0.5, "merged": 0.1, "lost": 0.14}, 0),
        ({"after": 0.5, "merged": 0.1, "lost": float("nan")}, 0),
        ({"after": 0.5, "wrapped": 0.05}, 1),
        ({"after": 0.5, "wrapped": 0.04}, 0),
        ({"of": "answers"}, 0),
    ],
)
def test_each_side_of_every_limit(changes: dict[str, Any], times: int) -> None:
    assert len(found(**changes)) == times


def test_a_program_that_learns_from_what_is_left_gets_a_note() -> None:
    assert [evidence.severity for evidence in found() + found(unlearnt=True)] == ["note", "warning"]


def test_what_was_cast_before_training_is_no_suspicion() -> None:
    told = found(cast=True, after=0.5, merged=0.4, lost=0.2) + found(wrapped=0.3)

    assert [evidence.severity for evidence in told] == ["warning", "warning"]
    assert [evidence.saw.split("` ")[1] for evidence in told] == [
        "20% of the variance of the inputs is lost: many of them have become equal",
        "30% of the values have changed, because the type cannot hold them",
    ]


def in_dataset(**changes: Any) -> list[Evidence]:
    usual = {"kept_values": 32, "given_values": 2, "kept_skill": 0.9, "given_skill": 0.5}
    stored = ExamplesStored(name="Digits", examples=384, **{**usual, **changes})
    return found(looks=1, before=0.0, after=0.0, stored=stored)


def test_a_dataset_is_told_by_what_is_left_of_an_example() -> None:
    (evidence,) = in_dataset()

    assert evidence.saw == (
        "of 32 different values in an example that `Digits` keeps, 2 are left in what it returns; a simple fit scores "
        "0.50 on those, 0.90 on what is kept (0 is a constant guess, 1 is never wrong)"
    )


@pytest.mark.parametrize(
    ("changes", "times"),
    [
        ({"kept_values": 8}, 1),
        ({"kept_values": 7, "given_values": 1}, 0),
        ({"given_values": 8}, 1),
        ({"given_values": 9, "kept_values": 100}, 0),
        ({"given_values": 3, "kept_values": 12}, 1),
        ({"given_values": 3, "kept_values": 11}, 0),
        ({"given_skill": 0.75}, 1),
        ({"given_skill": 0.85}, 0),
        ({"kept_skill": 1.0, "given_skill": 0.89}, 1),
        ({"kept_skill": 1.0, "given_skill": 0.92}, 0),
        ({"kept_skill": 0.5, "given_skill": 0.0}, 1),
        ({"kept_skill": 0.5, "given_skill": 0.1}, 0),
        ({"given_skill": float("nan")}, 0),
        ({"kept_skill": float("nan")}, 0),
    ],
)
def test_each_side_of_what_a_dataset_keeps(changes: dict[str, Any], times: int) -> None:
    assert len(in_dataset(**changes)) == times
