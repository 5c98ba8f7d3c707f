from typing import Any

import pytest
from msgspec.structs import replace

from firstlight.checks.step.resume_differs import CHECK
from firstlight.records.finding import Evidence
from firstlight.records.places import Site
from firstlight.records.resumed import ResumeTried

TRIED = ResumeTried(
    site=Site(file="train.py", line=12), saved=Site(file="train.py", line=30), lost=(), was=1, now=1, crash=""
)


def found(**changes: Any) -> list[Evidence]:
    return list(CHECK.find(replace(TRIED, **changes), CHECK.limits))


def test_a_run_that_goes_on_where_it_stood_is_fine() -> None:
    assert found() == []


def test_other_random_numbers_alone_are_fine() -> None:
    assert found(lost=("random",)) == []


@pytest.mark.parametrize(
    ("lost", "words"),
    [
        ("weights", "the weights"),
        ("optimizer", "the optimizer state"),
        ("rate", "the learning rate"),
        ("round", "the round (0 instead of 1)"),
    ],
)
def test_each_part_is_named(lost: str, words: str) -> None:
    (evidence,) = found(lost=(lost, "random"), now=0)

    assert evidence.saw.endswith(f"the uninterrupted run: {words}. The random state is not restored either.")
    assert evidence.where.line == 12


def test_a_checkpoint_that_cannot_be_loaded_is_told() -> None:
    (evidence,) = found(crash="KeyError: 'weights'")

    assert "written at train.py:30, it raises KeyError: 'weights'" in evidence.saw
