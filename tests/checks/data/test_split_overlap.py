import pytest
from tests.checks.data.feeding import found, overlapping

from firstlight.checks.data.split_overlap import BY_LIKENESS, CHECK
from firstlight.records.finding import Severity


def test_tells_how_many_and_where_they_are_evaluated() -> None:
    (evidence,) = found(CHECK, overlapping())

    assert evidence.saw == "40 of 200 evaluated examples (20.0%) were trained on before, exactly as they are"
    assert evidence.wanted == "examples on one side of the split alone"
    assert (evidence.where.file, evidence.where.line, evidence.where.rank) == ("train.py", 30, 1)
    assert evidence.severity is Severity.ERROR


def test_near_doubles_are_told_as_such() -> None:
    (evidence,) = found(CHECK, overlapping(shared=0, near=30))

    assert "30 of them with slightly other values" in evidence.saw
    assert (evidence.severity, evidence.confidence) == (Severity.WARNING, BY_LIKENESS)


def test_what_is_exactly_alike_decides_where_it_is_the_larger_part() -> None:
    (evidence,) = found(CHECK, overlapping(shared=30, near=30))

    assert (evidence.severity, evidence.confidence) == (Severity.ERROR, None)


@pytest.mark.parametrize(
    ("shared", "severity"), [(15, None), (19, None), (20, Severity.WARNING), (99, Severity.WARNING)]
)
def test_each_side_of_hint_share(shared: int, severity: Severity | None) -> None:
    evidence = found(CHECK, overlapping(shared=shared, judged=2000))

    assert [e.severity for e in evidence] == ([] if severity is None else [severity])


@pytest.mark.parametrize(("shared", "severity"), [(99, Severity.WARNING), (100, Severity.ERROR)])
def test_each_side_of_share(shared: int, severity: Severity) -> None:
    (evidence,) = found(CHECK, overlapping(shared=shared, judged=2000))

    assert evidence.severity is severity


@pytest.mark.parametrize(("shared", "times"), [(0, 0), (9, 0), (10, 1)])
def test_each_side_of_examples(shared: int, times: int) -> None:
    assert len(found(CHECK, overlapping(shared=shared, judged=50))) == times


@pytest.mark.parametrize(("room", "times"), [(20.0, 0), (63.9, 0), (64.0, 1)])
def test_each_side_of_room_bits(room: float, times: int) -> None:
    assert len(found(CHECK, overlapping(room=room))) == times


@pytest.mark.parametrize(("covered", "times"), [(900, 1), (901, 0), (1000, 0)])
def test_each_side_of_covered(covered: int, times: int) -> None:
    assert len(found(CHECK, overlapping(covered=covered))) == times


@pytest.mark.parametrize(("crowded", "times"), [(2, 1), (3, 0)])
def test_each_side_of_crowded(crowded: int, times: int) -> None:
    assert len(found(CHECK, overlapping(crowded=crowded))) == times


@pytest.mark.parametrize(("again", "whole", "times"), [(0.39, False, 1), (0.41, False, 0), (0.41, True, 1)])
def test_each_side_of_again(again: float, whole: bool, times: int) -> None:
    """A fifth of what is evaluated was trained on."""
    assert len(found(CHECK, overlapping(again=again, whole=whole))) == times
