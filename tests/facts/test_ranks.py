from collections.abc import Iterable

import pytest

from firstlight.facts.ranks import overlaps
from firstlight.records.facts import RankOverlap
from firstlight.records.observed import LoaderSeen, RowsSeen, StepSeen
from firstlight.records.places import Site

TRAIN = Site(file="train.py", line=20)


def rows(
    rank: int, smallest: Iterable[int], times: int | None = None, whole: bool = True, complete: bool = True
) -> RowsSeen:
    kept = tuple(smallest)
    return RowsSeen(
        step=30,
        rank=rank,
        world=2,
        rows=100,
        smallest=kept,
        times=len(kept) if times is None else times,
        all=complete,
        whole=whole,
    )


def loader(
    rank: int, sampler: str = "RandomSampler", examples: int | None = 100, drawn_from: int | None = None
) -> LoaderSeen:
    return LoaderSeen(
        step=0,
        rank=rank,
        loader=0,
        epoch=0,
        batches=10,
        batch_size=10,
        examples=examples,
        sampler=sampler,
        site=TRAIN,
        drawn_from=drawn_from,
    )


def fed(rank: int, at: int, batch: str | None) -> StepSeen:
    return StepSeen(
        step=at,
        rank=rank,
        optimizer=0,
        name="SGD",
        site=TRAIN,
        backward_site=TRAIN,
        loss=1.0,
        seconds=0.1,
        backwards=1,
        closure=False,
        held=4,
        fresh=4,
        stale=0,
        empty=False,
        batch=batch,
    )


def one(first: RowsSeen, second: RowsSeen, loaders: tuple[LoaderSeen, ...] = (loader(0), loader(1))) -> RankOverlap:
    (overlap,) = overlaps([first, second], [], loaders)
    return overlap


def test_the_same_rows_are_all_shared() -> None:
    overlap = one(rows(0, range(50)), rows(1, range(50)))

    assert (overlap.rank, overlap.shared, overlap.distinct, overlap.whole) == (1, 1.0, 1.0, True)
    assert (overlap.site, overlap.world, overlap.rows) == (TRAIN, 2, 100)


@pytest.mark.parametrize(("second", "shared"), [(range(50, 100), 0.0), (range(25, 75), 0.5)])
def test_the_share_is_of_the_ranks_own_rows(second: range, shared: float) -> None:
    assert one(rows(0, range(50)), rows(1, second)).shared == shared


def test_of_samples_the_part_that_both_cover_is_compared() -> None:
    """Rank 0 had many more rows, so that its smallest hashes end earlier."""
    assert one(rows(0, range(50), complete=False), rows(1, range(100))).shared == 1.0


def test_rows_fed_twice_are_not_distinct() -> None:
    assert one(rows(0, range(50), times=100), rows(1, range(50))).distinct == 0.5


def test_both_must_have_been_through_an_epoch() -> None:
    assert not one(rows(0, range(50), whole=False), rows(1, range(50))).whole


def test_the_last_sighting_of_a_rank_counts() -> None:
    (overlap,) = overlaps([rows(0, range(50)), rows(1, range(9, 60)), rows(1, range(50))], [], [loader(0), loader(1)])

    assert overlap.shared == 1.0


@pytest.mark.parametrize("loaders", [(), (loader(0),), (loader(1),)])
def test_without_a_loader_on_both_nothing_is_compared(loaders: tuple[LoaderSeen, ...]) -> None:
    assert list(overlaps([rows(0, range(50)), rows(1, range(50))], [], loaders)) == []


def test_one_rank_alone_is_not_compared() -> None:
    assert list(overlaps([rows(0, range(50))], [], [loader(0)])) == []


@pytest.mark.parametrize(
    ("second", "divided"),
    [
        (loader(1), False),
        (loader(1, sampler="DistributedSampler"), True),
        (loader(1, drawn_from=200), True),
        (loader(1, drawn_from=202), True),
        (loader(1, drawn_from=203), False),
        (loader(1, drawn_from=125), False),
        (loader(1, examples=None, drawn_from=200), False),
    ],
)
def test_a_loader_of_one_ranks_part_is_known_by_its_size(second: LoaderSeen, divided: bool) -> None:
    assert one(rows(0, range(50)), rows(1, range(50)), (loader(0), second)).divided is divided


def test_batches_are_compared_step_by_step() -> None:
    steps = [fed(0, 0, "a"), fed(0, 1, "b"), fed(0, 2, None), fed(1, 0, "a"), fed(1, 1, "c"), fed(1, 2, "d")]
    (overlap,) = overlaps([rows(0, range(50)), rows(1, range(50))], steps, [loader(0), loader(1)])

    assert (overlap.compared, overlap.same) == (2, 1)
