from typing import Any

import pytest
from msgspec.structs import replace

from firstlight.checks.data.collate_tears_pairs import CHECK
from firstlight.facts.derive import derive
from firstlight.records.feed import Collated, CollateSeen
from firstlight.records.finding import Evidence
from firstlight.records.places import Site

SITE = Site(file="data.py", line=8, function="collate")
SORTED = Collated(rank=1, site=SITE, what="rows", first="part 0", second="part 1", batches=2, step=3, torn=0.9)


def found(**changes: Any) -> list[Evidence]:
    return list(CHECK.find(replace(SORTED, **changes), CHECK.limits))


def test_names_the_function_and_both_parts() -> None:
    (evidence,) = found()

    assert evidence.saw == (
        "part 0 and part 1 of an item are in rows of different items in the batches that `collate` returns, "
        "for 90% of the items"
    )
    assert (evidence.where.line, evidence.where.step, evidence.where.rank) == (8, 3, 1)


@pytest.mark.parametrize(("what", "told"), [("rows", "data-label-misaligned"), ("places", "data-padding")])
def test_rows_and_places_have_causes_of_their_own(what: str, told: str) -> None:
    (evidence,) = found(what=what)

    assert evidence.cause == told


@pytest.mark.parametrize(
    ("changes", "times"),
    [({"batches": 1}, 0), ({"torn": 0.2}, 1), ({"torn": 0.19}, 0), ({"torn": float("nan")}, 0)],
)
def test_each_side_of_every_limit(changes: dict[str, Any], times: int) -> None:
    assert len(found(**changes)) == times


def test_batches_of_one_function_are_one_fact() -> None:
    seen = [
        CollateSeen(step=step, site=SITE, what="rows", first="part 0", second="part 1", torn=torn, items=8)
        for step, torn in enumerate((8, 4, 6))
    ]
    (fact,) = (fact for fact in derive(seen) if isinstance(fact, Collated))

    assert (fact.batches, fact.step, fact.torn) == (3, 0, 0.75)
