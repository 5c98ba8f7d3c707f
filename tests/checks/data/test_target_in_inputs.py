import pytest
from tests.checks.data.feeding import echoing, found

from firstlight.checks.data.target_in_inputs import CHECK


def test_tells_the_column() -> None:
    (evidence,) = found(CHECK, echoing(compared=8, columns=(9,), exact=True, of=10))

    assert evidence.saw == "column 9 of 10 equals the target at all 8 steps looked at"
    assert (evidence.where.file, evidence.where.line) == ("train.py", 20)


def test_a_line_in_the_target_is_told_as_such() -> None:
    (evidence,) = found(CHECK, echoing(compared=8, columns=(2,), exact=False, of=10))

    assert "is a linear function of the target" in evidence.saw


@pytest.mark.parametrize(("compared", "times"), [(3, 0), (4, 1)])
def test_each_side_of_steps(compared: int, times: int) -> None:
    assert len(found(CHECK, echoing(compared=compared, columns=(1,), of=3))) == times


@pytest.mark.parametrize(("columns", "shown"), [((1, 2, 3), "1, 2, 3 of"), ((1, 2, 3, 4), "1, 2, 3 of")])
def test_each_side_of_columns(columns: tuple[int, ...], shown: str) -> None:
    (evidence,) = found(CHECK, echoing(compared=8, columns=columns, of=9))

    assert shown in evidence.saw


def test_honest_features_are_fine() -> None:
    assert found(CHECK, echoing(compared=8, of=10)) == []
