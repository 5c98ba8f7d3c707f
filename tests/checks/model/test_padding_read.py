from typing import Any

import pytest
from msgspec.structs import replace

from firstlight.checks.model.padding_read import CHECK
from firstlight.records.finding import Evidence
from firstlight.records.places import Site
from firstlight.records.timelines import Dependence

READ = Dependence(step=0, kind="padding", site=Site(file="train.py", line=40), own=True, others=30, of=30)


def found(**changes: Any) -> list[Evidence]:
    return list(CHECK.find(replace(READ, **changes), CHECK.limits))


def test_tells_how_many_examples_rest_on_padding() -> None:
    (evidence,) = found()

    assert evidence.saw == "for 30 of 30 padded examples the output depends mostly on the padding"
    assert evidence.where.line == 40


def test_other_questions_are_others() -> None:
    assert found(kind="examples") == []


@pytest.mark.parametrize(("others", "times"), [(17, 0), (18, 1)])
def test_each_side_of_share(others: int, times: int) -> None:
    assert len(found(others=others)) == times


@pytest.mark.parametrize(("rows", "times"), [(5, 0), (6, 1)])
def test_each_side_of_rows(rows: int, times: int) -> None:
    assert len(found(others=rows, of=rows)) == times


def test_tells_of_answers_that_move_with_the_width_of_the_batch() -> None:
    (evidence,) = found(kind="width", others=20)

    assert evidence.saw == (
        "for 20 of 30 padded examples the output changes when the batch is padded to twice its width"
    )
    assert found(kind="width", others=17) == []
