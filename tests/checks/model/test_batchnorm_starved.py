from typing import Any

import pytest
from msgspec.structs import replace

from firstlight.checks.model.batchnorm_starved import CHECK
from firstlight.records.declared import Normalisation
from firstlight.records.finding import Evidence

ILL = Normalisation(name="norm", values=2, examples=2, smallest_batch=2, momentum=0.1)


def found(**changes: Any) -> list[Evidence]:
    return list(CHECK.find(replace(ILL, **changes), CHECK.limits))


def test_tells_what_was_seen_and_wanted() -> None:
    evidence = found()[0]

    assert "`norm` normalizes over 2 values per channel, in batches of 2 examples" in evidence.saw
    assert "at least 8 values" in evidence.wanted
    assert (evidence.cause or CHECK.causes[0]) == "arch-norm"


@pytest.mark.parametrize(
    ("changes", "times"),
    [
        ({"values": 7, "examples": 7, "smallest_batch": 7}, 1),
        ({"values": 8, "examples": 8, "smallest_batch": 8}, 0),
        ({"values": 32, "examples": 32, "smallest_batch": 8}, 0),
    ],
)
def test_both_sides_of_every_limit(changes: dict[str, Any], times: int) -> None:
    assert len(found(**changes)) == times


def test_a_small_last_batch_is_a_note_unless_it_is_a_single_value() -> None:
    assert found(values=32, examples=32, smallest_batch=4)[0].severity == "note"
    assert found(values=32, examples=32, smallest_batch=1)[0].severity is None
