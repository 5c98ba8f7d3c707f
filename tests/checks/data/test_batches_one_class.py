from typing import Any

import pytest
from msgspec.structs import replace

from firstlight.checks.data.batches_one_class import CHECK
from firstlight.records.declared import Batching, LabelsSeen
from firstlight.records.finding import Evidence

ILL = LabelsSeen(
    train=1000,
    val=100,
    classes=5,
    whole=True,
    unseen=(),
    unseen_classes=0,
    unseen_examples=0,
    repeated=0,
    conflicting=0,
    pair=(),
    room=200.0,
    batching=Batching(batches=20, single=20, kinds=3, up=9, down=8),
)


def found(**changes: Any) -> list[Evidence]:
    return list(CHECK.find(replace(ILL, **changes), CHECK.limits))


def test_tells_what_was_seen_and_wanted() -> None:
    (evidence,) = found()

    assert evidence.saw == "20 of 20 training batches hold a single class, 3 different ones in turn"
    assert evidence.wanted == "batches that mix the 5 classes"


@pytest.mark.parametrize(
    ("changes", "severity"),
    [
        ({"batching": Batching(batches=6, single=6, kinds=2, up=2, down=3)}, "warning"),
        ({"batching": Batching(batches=5, single=5, kinds=2, up=2, down=2)}, None),
        ({"batching": Batching(batches=20, single=16, kinds=2, up=5, down=5)}, "warning"),
        ({"batching": Batching(batches=20, single=15, kinds=2, up=5, down=5)}, None),
        ({"batching": Batching(batches=20, single=20, kinds=1, up=0, down=0)}, None),
        ({"batching": Batching(batches=20, single=20, kinds=3, up=17, down=3)}, None),
        ({"batching": Batching(batches=20, single=20, kinds=3, up=16, down=4)}, "warning"),
    ],
)
def test_both_sides_of_every_limit(changes: dict[str, Any], severity: str | None) -> None:
    """None where nothing is said, else what the card or the evidence says."""
    assert [evidence.severity or CHECK.severity for evidence in found(**changes)] == ([severity] if severity else [])
