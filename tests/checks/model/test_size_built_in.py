from typing import Any

import pytest
from msgspec.structs import replace

from firstlight.checks.model.size_built_in import CHECK
from firstlight.records.declared import SizesTried
from firstlight.records.declared.contact import SizeTried
from firstlight.records.finding import Evidence

LAST = SizeTried(examples=20, comes="the last training batch", error="RuntimeError: shape '[32, 128]' is invalid")
SEVEN = SizeTried(examples=7, comes="", error="RuntimeError: no")
SIX = SizeTried(examples=6, comes="", error="RuntimeError: no")
ILL = SizesTried(usual=32, shape=(32, 3), tried=(LAST, SEVEN, SIX))


def found(*tried: SizeTried, **changes: Any) -> list[Evidence]:
    return list(CHECK.find(replace(ILL, tried=tried or ILL.tried, **changes), CHECK.limits))


def gave(size: SizeTried, *shape: int) -> SizeTried:
    return replace(size, error="", shape=shape)


def test_tells_what_was_seen_and_wanted() -> None:
    (evidence,) = found()

    assert evidence.saw == (
        "with 20 examples, as the last training batch has, the call raises RuntimeError: shape '[32, 128]' is invalid"
    )
    assert evidence.wanted == "one row per example, as with 32 examples"
    assert evidence.severity == "error"


def test_an_output_of_other_rows_is_told_by_its_shape() -> None:
    (evidence,) = found(gave(LAST, 10, 3))

    assert evidence.saw == "with 20 examples, as the last training batch has, the output has shape (10, 3)"


@pytest.mark.parametrize(
    ("tried", "severity"),
    [
        ((SEVEN, SIX), "warning"),
        ((SEVEN, gave(SIX, 6, 3)), None),
        ((gave(SEVEN, 7, 3), SIX), None),
        ((gave(LAST, 20, 3), SEVEN, SIX), "warning"),
        ((LAST, gave(SEVEN, 7, 3), gave(SIX, 6, 3)), "error"),
        ((gave(LAST, 20), gave(SEVEN, 7, 3), gave(SIX, 6, 3)), "error"),
        ((gave(LAST, 20, 3), gave(SEVEN, 7, 3), gave(SIX, 6, 3)), None),
    ],
)
def test_a_size_that_comes_is_an_error_and_strange_ones_must_both_fail(
    tried: tuple[SizeTried, ...], severity: str | None
) -> None:
    assert [evidence.severity for evidence in found(*tried)] == ([severity] if severity else [])


@pytest.mark.parametrize("shape", [None, (), (3, 32)])
def test_rows_are_not_counted_where_the_usual_output_has_none(shape: tuple[int, ...] | None) -> None:
    assert found(gave(LAST, 5), gave(SEVEN, 5), gave(SIX, 5), shape=shape) == []
