from typing import Any

from msgspec.structs import replace

from firstlight.checks.tables.labels_doubtful import CHECK
from firstlight.records.doubts import Doubts
from firstlight.records.finding import Evidence
from firstlight.records.tables import Doubt, LabelDoubts

BASE = Doubts(rows=500, skill=0.8, wrong=0.05, sure=125, wrong_when_sure=0.05, sides=1.0)


def found(doubtful: tuple[Doubt, ...] = (), **fields: Any) -> list[Evidence]:
    fact = LabelDoubts(file="f.csv", target="y", doubts=replace(BASE, **fields), doubtful=doubtful)
    return list(CHECK.find(fact, CHECK.limits))


DOUBT = Doubt(row=4, label="cat", expected="dog", probability=0.97)


def test_labels_that_are_wrong_where_the_prediction_is_surest() -> None:
    (evidence,) = found(doubtful=(DOUBT,))

    assert "5.0% of the labels are a different class; row 4 is 'cat', expected 'dog'" in evidence.saw
    assert evidence.numbers["doubtful_1"] == "row 4: cat → dog (0.97) "


def test_both_sides_of_the_wrong_share() -> None:
    assert len(found(wrong=0.03, wrong_when_sure=0.03)) == 1
    assert found(wrong=0.03, wrong_when_sure=0.029) == []


def test_classes_that_merely_overlap_are_wrong_where_unsure() -> None:
    assert len(found(wrong=0.1, wrong_when_sure=0.06)) == 1
    assert found(wrong=0.1, wrong_when_sure=0.059) == []


def test_a_prediction_that_hardly_beats_a_guess_accuses_nobody() -> None:
    assert len(found(skill=0.5)) == 1
    assert found(skill=0.49) == []
    assert found(skill=float("nan")) == []


def test_both_sides_of_the_least_rows() -> None:
    assert found(rows=499) == []


def test_a_single_class_that_is_often_another_has_a_cause_of_its_own() -> None:
    assert len(found(sides=0.6)) == 1
    assert found(sides=0.59) == []
