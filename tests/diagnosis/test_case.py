import pytest

from firstlight.diagnosis.case import Case, Claim, Hint


def test_every_step_is_a_new_case() -> None:
    start = Case()
    after = start.given("amp").observing({"batch-repeats": True}).repairing("shuffle", worked=False)
    assert start == Case()
    assert after.context == {"amp"}
    assert after.observed == (("batch-repeats", True),)
    assert after.repairs == (("shuffle", False),)


def test_a_later_measurement_replaces_the_earlier() -> None:
    case = Case().observing({"batch-repeats": True, "loss-negative": False}).observing({"batch-repeats": False})
    assert dict(case.observed) == {"batch-repeats": False, "loss-negative": False}
    assert Case().repairing("shuffle", worked=False).repairing("shuffle", worked=True).repairs == (("shuffle", True),)


@pytest.mark.parametrize(
    ("case", "empty"),
    [
        (Case(), True),
        (Case().given("amp"), True),
        (Case().observing({"loss-negative": False}), False),
        (Case().claiming([Claim("loss-dim", 0.5, "FL203")]), False),
        (Case().hinting([Hint("loss-dim", 2.0, "LN-1")]), False),
        (Case().repairing("shuffle", worked=False), False),
    ],
)
def test_a_case_is_empty_until_something_is_seen(case: Case, empty: bool) -> None:
    assert case.empty is empty
