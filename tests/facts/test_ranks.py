"""Ranks against each other: what was common of their first passes, and how far their weights lie apart."""

from hypothesis import given
from hypothesis import strategies as st

from firstlight.facts.ranks import distributed_orders, ranks
from firstlight.facts.sightings import Sightings
from firstlight.records.feed import FeedSeen, Pass
from firstlight.records.program import LoaderSeen
from firstlight.records.training import StepSeen

KEYS = st.sets(st.integers(-(2**62), 2**62), min_size=1, max_size=400)


def stepped(rank: int, step: int, batch: str, weights: float | None) -> StepSeen:
    return StepSeen(
        step=step,
        rank=rank,
        optimizer=0,
        name="Adam",
        site=None,
        backward_site=None,
        loss=1.0,
        seconds=0.0,
        backwards=1,
        closure=False,
        held=2,
        fresh=2,
        stale=0,
        empty=False,
        batch=batch,
        weight_norm=weights,
    )


def fed(rank: int, keys: set[int]) -> FeedSeen:
    first = Pass(examples=len(keys), smallest=tuple(sorted(keys)[:128]))
    return FeedSeen(step=9, rank=rank, model=0, name="Net", site=None, eval_site=None, inputs=(), first_pass=first)


def common(one: set[int], other: set[int]) -> float:
    steps = [stepped(rank, 1, "a", 1.0) for rank in (0, 1)]
    (found,) = ranks(Sightings([*steps, fed(0, one), fed(1, other)]))
    return found.common


@given(keys=KEYS)
def test_equal_sets_have_everything_in_common(keys: set[int]) -> None:
    assert common(keys, keys) == 1.0


@given(keys=KEYS)
def test_sets_apart_have_nothing(keys: set[int]) -> None:
    assert common(keys, {key + 2**64 for key in keys}) == 0.0


def test_steps_are_compared_where_every_rank_was_seen() -> None:
    records = [stepped(0, 1, "a", 2.0), stepped(1, 1, "b", 1.0), stepped(0, 2, "c", None), stepped(1, 2, "c", 1.0)]
    (found,) = ranks(Sightings([*records, stepped(0, 3, "d", 2.0)]))

    assert (found.compared, found.same_batch, found.apart) == (2, 1, (0.5,))


def test_one_process_has_no_ranks() -> None:
    assert list(ranks(Sightings([stepped(0, 1, "a", 1.0), stepped(0, 2, "a", 1.0)]))) == []


def test_the_epochs_of_a_sampler_come_in_order() -> None:
    def began(epoch: int, by: int | None) -> LoaderSeen:
        return LoaderSeen(
            step=epoch * 10,
            loader=0,
            epoch=epoch,
            batches=10,
            batch_size=4,
            examples=40,
            sampler="S",
            site=None,
            shuffled_by=by,
        )

    (order,) = distributed_orders(Sightings([began(0, 0), began(1, 5)]))
    assert order.epochs == (0, 5)
    assert list(distributed_orders(Sightings([began(0, None), began(1, None)]))) == []
