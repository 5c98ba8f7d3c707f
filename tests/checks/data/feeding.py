"""A model's feed as checks get it, with one thing changed."""

from typing import Any

from msgspec.structs import replace

from firstlight.checks.declare import Check
from firstlight.records.feed import Columns, Echo, Fed, FeedSeen, Overlap
from firstlight.records.finding import Evidence
from firstlight.records.places import Site

COLUMNS = Columns(
    name="input 0",
    shape=(32, 10),
    dtype="float32",
    rows=320,
    low=-3.0,
    high=3.0,
    mean=0.0,
    std=1.0,
    columns=10,
    widest=1.0,
    narrowest=1.0,
)
FEED = FeedSeen(
    step=60,
    rank=1,
    model=0,
    name="Net",
    site=Site(file="train.py", line=20),
    eval_site=Site(file="train.py", line=30),
    inputs=(),
)


def fed(**changes: Any) -> FeedSeen:
    """Training columns with changes."""
    return replace(FEED, inputs=(Fed(train=replace(COLUMNS, **changes)),))


def evaluated(apart: float = 0.0, wider: float = 1.0, rows: int = 320) -> FeedSeen:
    there = replace(COLUMNS, rows=rows, mean=apart, std=wider)
    return replace(FEED, inputs=(Fed(train=COLUMNS, evaluated=there, apart=apart, wider=wider),))


def overlapping(crowded: int = 0, **changes: Any) -> FeedSeen:
    usual = Overlap(trained=1000, judged=200, shared=40, covered=40, calls=8, room=200.0)
    return replace(FEED, overlap=replace(usual, **changes), crowded=crowded)


def echoing(**changes: Any) -> FeedSeen:
    return replace(FEED, echo=replace(Echo(), **changes))


def found(check: Check, feed: FeedSeen) -> list[Evidence]:
    return list(check.find(feed, check.limits))
