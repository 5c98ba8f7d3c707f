from typing import Any

import pytest
from msgspec.structs import replace

from firstlight.checks.data.ids_counted_otherwise import CHECK
from firstlight.records.feed import FeedSeen, IdsFed
from firstlight.records.finding import Evidence


def found(ids: IdsFed, crowded: int = 0) -> list[Evidence]:
    seen = FeedSeen(step=9, model=0, name="Net", site=None, eval_site=None, inputs=(), ids=(ids,), crowded=crowded)
    return list(CHECK.find(seen, CHECK.limits))


IDS = IdsFed(name="input 0", counted=200, kinds=8, own=0.5, offset=-1, moved=0.1, others=0.5)


def test_ids_of_another_vocabulary_are_told() -> None:
    (evidence,) = found(IDS)

    assert evidence.saw == (
        "the ids of `input 0` are 0.50 nats per id away from those of training, but only 0.10 if the ids are taken "
        "to be 1 lower than there"
    )


@pytest.mark.parametrize(
    ("changes", "times"),
    [
        ({"counted": 199}, 0),
        ({"kinds": 7}, 0),
        ({"offset": 0}, 0),
        ({"others": 0.1, "moved": 0.04}, 1),
        ({"others": 0.09, "moved": 0.0}, 0),
        ({"moved": 0.2}, 1),
        ({"moved": 0.21}, 0),
        ({"others": float("nan")}, 0),
        ({"moved": float("nan")}, 0),
    ],
)
def test_each_side_of_what_ids_must_show(changes: dict[str, Any], times: int) -> None:
    assert len(found(replace(IDS, **changes))) == times


@pytest.mark.parametrize(("crowded", "times"), [(2, 1), (3, 0)])
def test_each_side_of_crowded(crowded: int, times: int) -> None:
    assert len(found(IDS, crowded=crowded)) == times
