"""Relations of examples with their answers as checks get them, with one thing changed."""

from typing import Any

from msgspec.structs import replace

from firstlight.checks.declare import Check
from firstlight.records.finding import Evidence
from firstlight.records.places import Site
from firstlight.records.relations import Neighbours, Relations, RelationsSeen, Tells

SEEN = RelationsSeen(
    step=60,
    rank=1,
    site=Site(file="train.py", line=20),
    meeting=Site(file="train.py", line=22),
    examples=1000,
    met=1200,
    answers="classes",
    classes=4,
    tells=Tells(of=10, others=0.4),
    near=Neighbours(examples=1000, likeness=0.8, deviations=90.0),
)


def related(unlearnt: int = 0, **changes: Any) -> Relations:
    return Relations(seen=replace(SEEN, **changes), unlearnt=unlearnt)


def found(check: Check, relations: Relations) -> list[Evidence]:
    return list(check.find(relations, check.limits))
