import pytest

from firstlight.checks.data.workers_repeat_draws import CHECK
from firstlight.facts.derive import derive
from firstlight.records.facts import WorkerStream
from firstlight.records.feed import WorkerSeen
from firstlight.records.places import Site
from firstlight.records.program import LoaderSeen
from firstlight.records.sighting import Sighting


def stream(alike: int) -> WorkerStream:
    return WorkerStream(name="`rng` of the data set", dataset="Photos", workers=4, alike=alike)


def test_tells_the_stream_and_the_data_set() -> None:
    (evidence,) = CHECK.find(stream(4), CHECK.limits)

    assert evidence.saw == "4 of 4 workers of `Photos` start drawing from `rng` of the data set in the same state"


@pytest.mark.parametrize(("alike", "times"), [(1, 0), (2, 1)])
def test_each_side_of_workers(alike: int, times: int) -> None:
    assert len(list(CHECK.find(stream(alike), CHECK.limits))) == times


def worker(number: int, seed: int = 5, **streams: str) -> WorkerSeen:
    return WorkerSeen(step=0, loader=9, worker=number, workers=2, seed=seed, dataset="Photos", streams=streams)


def test_workers_of_one_epoch_are_compared() -> None:
    site = Site(file="train.py", line=4)
    epoch = LoaderSeen(step=0, loader=0, epoch=0, batches=3, batch_size=2, examples=6, sampler="Random", site=site)
    records: list[Sighting] = [
        epoch,
        worker(0, rng="a", own="x"),
        worker(1, rng="a", own="y"),
        worker(0, seed=6, own="x"),
    ]
    facts = [fact for fact in derive(records) if isinstance(fact, WorkerStream)]

    assert [(fact.name, fact.alike, fact.site) for fact in facts] == [
        ("rng", 2, site),
        ("own", 1, site),
        ("own", 1, site),
    ]
