from typing import Any

import pytest
from msgspec.structs import replace

from firstlight.checks.model.eval_mode_in_training import CHECK
from firstlight.records.facts import Mode
from firstlight.records.finding import Evidence
from firstlight.records.places import Site

EVAL = Mode(rank=1, site=Site(file="train.py", line=34), models=("Decoder", "Encoder"), backwards=100, in_eval=90)


def found(**changes: Any) -> list[Evidence]:
    return list(CHECK.find(replace(EVAL, **changes), CHECK.limits))


def test_names_the_models_and_counts_the_backwards() -> None:
    (evidence,) = found()

    assert evidence.saw == "`Decoder, Encoder` was in eval mode at 90 of 100 backwards"
    assert evidence.wanted == "train mode while training"
    assert (evidence.where.file, evidence.where.line, evidence.where.rank) == ("train.py", 34, 1)
    assert evidence.numbers == {"in_eval": 90, "backwards": 100}


def test_train_mode_is_fine() -> None:
    assert found(models=(), in_eval=0) == []


def test_attacks_in_eval_mode_between_training_steps_are_fine() -> None:
    assert found(backwards=100, in_eval=30) == []


@pytest.mark.parametrize(("in_eval", "times"), [(3, 0), (4, 0), (5, 1), (6, 1)])
def test_each_side_of_backwards(in_eval: int, times: int) -> None:
    assert len(found(in_eval=in_eval, backwards=in_eval)) == times


@pytest.mark.parametrize(("in_eval", "times"), [(49, 0), (50, 1), (51, 1)])
def test_each_side_of_share(in_eval: int, times: int) -> None:
    assert len(found(in_eval=in_eval, backwards=100)) == times
