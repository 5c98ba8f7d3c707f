from typing import Any

from firstlight.checks.tables.images_damaged import CHECK
from firstlight.records.finding import Evidence, Severity
from firstlight.records.tables import ImagesSeen

BASE: dict[str, Any] = {"file": "train", "split": "train", "images": 1000, "modes": {}}


def found(**fields: Any) -> list[Evidence]:
    return list(CHECK.find(ImagesSeen(**(BASE | fields)), CHECK.limits))


def test_one_broken_image_is_an_error() -> None:
    (evidence,) = found(broken=1, broken_examples=("a.png (cut)",))

    assert evidence.severity is Severity.ERROR
    assert evidence.saw == "1 of 1,000 images cannot be decoded: a.png (cut)"


def test_both_sides_of_the_flat_share() -> None:
    assert [one.cause for one in found(flat=10)] == ["data-degenerate"]
    assert found(flat=9) == []
    assert [one.cause for one in found(dark=10)] == ["data-scale"]
    assert found(dark=9) == []


def test_both_sides_of_the_mixed_share() -> None:
    (evidence,) = found(modes={"RGB": 980, "L": 20})

    assert evidence.severity is Severity.NOTE
    assert found(modes={"RGB": 981, "L": 19}) == []
