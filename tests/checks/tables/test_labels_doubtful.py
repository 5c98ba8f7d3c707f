from typing import Any

from firstlight.checks.tables.labels_doubtful import CHECK
from firstlight.records.finding import Evidence
from firstlight.records.tables import Doubt, LabelDoubts

BASE: dict[str, Any] = {
    "file": "f.csv",
    "target": "y",
    "rows": 500,
    "skill": 0.8,
    "wrong": 0.05,
    "wrong_when_sure": 0.05,
}


def found(**fields: Any) -> list[Evidence]:
    return list(CHECK.find(LabelDoubts(**(BASE | fields)), CHECK.limits))


DOUBT = Doubt(row=4, label="cat", expected="dog", probability=0.97)


def test_labels_that_are_wrong_where_the_prediction_is_surest() -> None:
    (evidence,) = found(doubtful=(DOUBT,))

    assert "5.0% of the labels are another class; row 4 is 'cat', expected 'dog'" in evidence.saw
    assert evidence.numbers["doubtful_1"] == "row 4: cat → dog (0.97) "


def test_both_sides_of_the_wrong_share() -> None:
    assert len(found(wrong_when_sure=0.03)) == 1
    assert found(wrong_when_sure=0.029) == []


def test_classes_that_merely_overlap_are_wrong_where_unsure() -> None:
    assert len(found(wrong=0.1, wrong_when_sure=0.06)) == 1
    assert found(wrong=0.1, wrong_when_sure=0.059) == []


def test_a_prediction_that_hardly_beats_a_guess_accuses_nobody() -> None:
    assert len(found(skill=0.5)) == 1
    assert found(skill=0.49) == []
    assert found(skill=float("nan")) == []


def test_both_sides_of_the_least_rows() -> None:
    assert found(rows=499) == []
