from typing import Any

import pytest

from firstlight.diagnosis.evidence import case_of
from firstlight.records.census import Census
from firstlight.records.sighting import Some

NONE = Some()
WEIGHTS = Some(tensors=3, elements=300, names=("body.weight",))
CENSUS: dict[str, Any] = {
    "step": 9, "model": 1, "name": "Net", "site": None, "steps": 9, "backwards": 9, "trainable": WEIGHTS,
    "frozen": NONE, "optimized": WEIGHTS, "unoptimized": NONE, "uncalled": NONE, "cut_off": NONE, "wasted": NONE,
    "zero": NONE,
}  # fmt: skip


@pytest.mark.parametrize("what", ["cut_off", "wasted", "left_random"])
def test_gradients_are_missing_where_weights_are_cut_off_or_frozen_as_they_were_drawn(what: str) -> None:
    assert dict(case_of([Census(**{**CENSUS, what: WEIGHTS})], ()).observed)["gradients-missing"]


def test_what_is_frozen_after_it_was_trained_misses_none() -> None:
    assert not dict(case_of([Census(**{**CENSUS, "frozen": WEIGHTS})], ()).observed)["gradients-missing"]
