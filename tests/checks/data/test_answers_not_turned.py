from typing import Any

import pytest
from tests.checks.data.relating import found, related

from firstlight.checks.data.answers_not_turned import CHECK
from firstlight.records.places import Site
from firstlight.records.relations import Relations
from firstlight.records.stored import ExamplesStored, ImagesTurned, NumbersExchanged


def turning(**changes: Any) -> Relations:
    usual = {"how": "mirrored left to right", "share": 0.5, "part": 2, "kept": 0.8, "given": 0.02, "mirrored": 0.7}
    site = Site(file="data.py", line=14)
    return related(
        stored=ExamplesStored(name="Spots", site=site, examples=384, turned=ImagesTurned(**{**usual, **changes}))
    )


def test_tells_what_a_plain_fit_makes_of_it() -> None:
    (evidence,) = found(CHECK, turning())

    assert evidence.saw == (
        "`Spots` returns 50% of its images mirrored left to right, but number 2 of the label unchanged: a simple fit "
        "predicts 2% of it from these images, 80% from the stored ones, and 70% if the number is mirrored too"
    )
    assert (evidence.where.file, evidence.where.line) == ("data.py", 14)


def test_images_that_are_not_turned_are_fine() -> None:
    assert found(CHECK, turning(how="")) == []
    assert found(CHECK, related()) == []


@pytest.mark.parametrize(("kept", "times"), [(0.39, 0), (0.4, 1), (float("nan"), 0)])
def test_each_side_of_kept(kept: float, times: int) -> None:
    assert len(found(CHECK, turning(kept=kept))) == times


@pytest.mark.parametrize(("given", "times"), [(0.4, 1), (0.41, 0), (float("nan"), 0)])
def test_each_side_of_given(given: float, times: int) -> None:
    assert len(found(CHECK, turning(given=given))) == times


@pytest.mark.parametrize(("mirrored", "times"), [(0.63, 0), (0.65, 1), (float("nan"), 0)])
def test_each_side_of_mirrored(mirrored: float, times: int) -> None:
    assert len(found(CHECK, turning(mirrored=mirrored))) == times


def exchanging(**changes: Any) -> Relations:
    usual = {"pairs": ((0, 2), (1, 3)), "examples": 100, "as_they_are": 4.0, "exchanged": 0.2}
    turned = ImagesTurned(how="mirrored left to right", share=0.4, kept=0.8, given=0.7, mirrored=0.1)
    numbers = NumbersExchanged(**{**usual, **changes})
    return related(stored=ExamplesStored(name="Faces", examples=256, turned=turned, numbers=numbers))


def test_tells_which_numbers_change_places() -> None:
    (evidence,) = found(CHECK, exchanging())

    fit = "fit only if they are swapped (0 and 2, 1 and 3): the squared error is 4 as they are and 0.2 when swapped"
    assert fit in evidence.saw
    assert found(CHECK, exchanging(pairs=())) == []


@pytest.mark.parametrize(("off", "times"), [(0.49, 0), (0.5, 1), (float("nan"), 0)])
def test_each_side_of_off(off: float, times: int) -> None:
    assert len(found(CHECK, exchanging(as_they_are=off, exchanged=0.1))) == times


@pytest.mark.parametrize(("there", "times"), [(1.2, 1), (1.21, 0), (float("nan"), 0)])
def test_each_side_of_exchanged(there: float, times: int) -> None:
    assert len(found(CHECK, exchanging(exchanged=there))) == times
