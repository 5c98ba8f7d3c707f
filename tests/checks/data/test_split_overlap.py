from typing import Any

import pytest
from msgspec.structs import replace
from tests.checks.data.feeding import found, overlapping

from firstlight.checks.data.split_overlap import ALL_OF_IT, BY_LIKENESS, CHECK
from firstlight.records.feed import PartEvaluated
from firstlight.records.finding import Evidence, Severity
from firstlight.records.places import Site


def test_tells_how_many_and_where_they_are_evaluated() -> None:
    (evidence,) = found(CHECK, overlapping())

    assert evidence.saw == "40 of 200 evaluated examples (20.0%) were trained on before, exactly as they are"
    assert evidence.wanted == "examples on one side of the split only"
    assert (evidence.where.file, evidence.where.line, evidence.where.rank) == ("train.py", 30, 1)
    assert evidence.severity is Severity.ERROR


def test_near_doubles_are_told_as_such() -> None:
    (evidence,) = found(CHECK, overlapping(shared=0, near=30))

    assert "30 of them with slightly different values" in evidence.saw
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


@pytest.mark.parametrize(("apart", "whole", "times"), [(26, False, 1), (27, False, 0), (27, True, 1)])
def test_each_side_of_by_chance(apart: int, whole: bool, times: int) -> None:
    """Of 40 in the other 174 or 173 evaluated, six would be among these."""
    assert len(found(CHECK, overlapping(apart=apart, whole=whole))) == times


def evaluated_on_training(**fields: Any) -> list[Evidence]:
    usual = {
        "shared": 0,
        "judged": 0,
        "trained": 1000,
        "covered": 400,
        "calls": 4,
        "pure": 4,
        "ended": True,
        "whole": True,
    }
    return found(CHECK, overlapping(**(usual | fields)))


def test_a_part_of_the_training_set_that_is_all_that_is_evaluated_is_told() -> None:
    (evidence,) = evaluated_on_training()

    assert evidence.saw == "all 400 evaluated examples are among the 1,000 trained on"
    assert (evidence.severity, evidence.confidence) == (Severity.WARNING, ALL_OF_IT)


@pytest.mark.parametrize(
    "fields",
    [
        pytest.param({"ended": False}, id="more-may-follow"),
        pytest.param({"pure": 3}, id="others-too"),
        pytest.param({"calls": 0, "pure": 0}, id="nothing"),
        pytest.param({"covered": 901}, id="all-of-it"),
        pytest.param({"covered": 49}, id="a-few"),
        pytest.param({"whole": False}, id="more-is-trained-on"),
        pytest.param({"room": 63.0}, id="few-combinations"),
    ],
)
def test_looking_at_what_was_trained_on_is_fine(fields: dict[str, Any]) -> None:
    assert evaluated_on_training(**fields) == []


@pytest.mark.parametrize("covered", [50, 900])
def test_each_side_of_what_some_is(covered: int) -> None:
    assert evaluated_on_training(covered=covered)


def in_parts(*parts: PartEvaluated, **fields: Any) -> list[Evidence]:
    """All that is trained on is evaluated in one of them."""
    return found(CHECK, replace(overlapping(**({"covered": 1000, "whole": True} | fields)), parts=parts))


def part(name: str = "", **fields: Any) -> PartEvaluated:
    usual = {"judged": 200, "shared": 40, "covered": 40}
    return PartEvaluated(site=Site(file="train.py", line=44), name=name, **(usual | fields))


def test_evaluating_everything_does_not_hide_another_evaluation() -> None:
    (evidence,) = in_parts(part(), part(judged=1000, shared=800, covered=1000))

    assert evidence.saw == "40 of 200 evaluated examples (20.0%) were trained on before, exactly as they are"
    assert (evidence.where.line, evidence.severity) == (44, Severity.ERROR)


def test_the_training_set_under_another_name_is_told_with_it() -> None:
    (evidence,) = in_parts(part("x_test", judged=1000, shared=1000, covered=1000))

    assert evidence.saw.startswith("1,000 of 1,000 evaluated examples of `x_test` (100.0%) were trained on before")


@pytest.mark.parametrize(
    ("fields", "times"),
    [
        pytest.param({"shared": 9}, 0, id="few"),
        pytest.param({"shared": 10}, 1, id="enough"),
        pytest.param({"shared": 159}, 1, id="much-of-it"),
        pytest.param({"shared": 160}, 0, id="the-training-set-on-purpose"),
        pytest.param({"covered": 900}, 1, id="most"),
        pytest.param({"covered": 901}, 0, id="all-of-it"),
    ],
)
def test_each_side_of_what_is_told_of_one_evaluation(fields: dict[str, Any], times: int) -> None:
    assert len(in_parts(part(**fields))) == times


@pytest.mark.parametrize(("covered", "times"), [(49, 0), (50, 1), (1000, 1)])
def test_a_few_examples_with_a_name_are_looked_at_on_purpose(covered: int, times: int) -> None:
    assert len(in_parts(part("x_test", judged=covered, shared=covered, covered=covered))) == times


@pytest.mark.parametrize("fields", [{"whole": False}, {"room": 63.0}, {"crowded": 3}])
def test_what_keeps_quiet_of_all_keeps_quiet_of_one(fields: dict[str, Any]) -> None:
    assert in_parts(part(), **fields) == []
