from typing import Any

import pytest
from tests.checks.data.relating import found, related

from firstlight.checks.data.classes_change_places import CHECK
from firstlight.records.places import Site
from firstlight.records.relations import Relations
from firstlight.records.stored import ClassesTurned, ExamplesStored

NAN = float("nan")


def turning(**changes: Any) -> Relations:
    usual = {"how": "backwards", "share": 0.5, "kept": 0.97, "pair": (0, 1), "examples": 120, "taken": 0.8}
    site = Site(file="data.py", line=14)
    return related(
        stored=ExamplesStored(
            name="Pulses", site=site, examples=256, classes_turned=ClassesTurned(**{**usual, **changes})
        )
    )


def test_tells_which_classes_change_places() -> None:
    (evidence,) = found(CHECK, turning())

    assert evidence.saw == (
        "`Pulses` returns 50% of its examples backwards, with their original class; a simple fit, right about 97% of "
        "the stored examples, takes at least 80% of the changed ones of classes 0 and 1 for the other class"
    )
    assert (evidence.where.file, evidence.where.line) == ("data.py", 14)


def test_examples_that_are_not_mirrored_are_fine() -> None:
    assert found(CHECK, turning(how="")) == []
    assert found(CHECK, related()) == []


@pytest.mark.parametrize(("name", "told", "fine"), [("kept", 0.7, 0.69), ("taken", 0.6, 0.59), ("examples", 16, 15)])
def test_each_side_of_a_limit(name: str, told: float, fine: float) -> None:
    assert len(found(CHECK, turning(**{name: told}))) == 1
    assert found(CHECK, turning(**{name: fine})) == []
    if isinstance(told, float):
        assert found(CHECK, turning(**{name: NAN})) == []
