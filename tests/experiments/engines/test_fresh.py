"""When the engine of fresh runs begins which job, and what it writes down."""

import os
from pathlib import Path

import pytest
from tests.experiments.engines.conftest import spec_in

from firstlight.experiments.engine import fates, opened
from firstlight.experiments.engines.fresh import PATIENCE, FreshEngine
from firstlight.experiments.engines.job import Job, Made, lost
from firstlight.experiments.plan import Order
from firstlight.observe.inside import cores
from firstlight.observe.logged import read_log
from firstlight.observe.target import Target
from firstlight.observe.watch import Watched
from firstlight.records.program import ProcessSeen
from firstlight.store.run_directory import RunDirectory

TARGET = Target(("train.py",), ("python", "train.py"), "train.py", "python")


class Patient:
    """Hands whose jobs are done when the test says so."""

    name = "fresh"

    def __init__(self) -> None:
        self.is_ready = True
        self.begun: list[Job] = []
        self.done: dict[str, Made] = {}

    def ready(self) -> bool:
        return self.is_ready

    def begin(self, job: Job) -> str:
        self.begun.append(job)
        return job.order.name

    def made(self, token: str) -> Made | None:
        return self.done.get(token)

    def end(self) -> None: ...

    @property
    def names(self) -> list[str]:
        return [job.order.name for job in self.begun]


def orders(*names: str) -> list[Order]:
    return [Order(name=name, steps=10, seconds=1.0) for name in names]


def seen(device: str = "cpu", world: int = 1, over: bool = False) -> Watched:
    process = ProcessSeen(step=0, python="3.11", torch="2.13", device=device, threads=1, world=world)
    return Watched([process], startup=3.0, over=over)


@pytest.fixture
def hands() -> Patient:
    return Patient()


@pytest.fixture
def engine(hands: Patient, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FreshEngine:
    monkeypatch.setattr(cores, "usable", lambda: 2)
    return FreshEngine(hands, TARGET, spec_in(tmp_path), seconds=20.0)


def log_of(engine: FreshEngine) -> Watched:
    return read_log(Path(engine.program.events))[0]


def test_nothing_is_made_of_a_program_that_does_not_train(engine: FreshEngine, hands: Patient) -> None:
    engine.order(*orders("a"))
    assert not engine.attend(Watched())
    assert engine.settled(Watched())
    assert hands.names == []
    assert not Path(engine.program.events).exists()


def test_as_many_at_once_as_there_are_cores(engine: FreshEngine, hands: Patient) -> None:
    engine.order(*orders("a", "b", "c"))
    assert engine.attend(seen())
    engine.attend(seen())
    assert hands.names == ["a", "b"]
    hands.done["b"] = Made(b"", 1.0, 0)
    engine.attend(seen())
    assert hands.names == ["a", "b", "c"]


@pytest.mark.parametrize("shared", [{"device": "cuda"}, {"world": 2}])
def test_one_at_a_time_and_not_beside_the_program_where_they_share_a_device_or_a_port(
    engine: FreshEngine, hands: Patient, shared: dict[str, object]
) -> None:
    engine.order(*orders("a", "b"))
    engine.attend(seen(**shared))  # type: ignore[arg-type]  # by name
    assert hands.names == []
    engine.attend(seen(**shared, over=True))  # type: ignore[arg-type]
    engine.attend(seen(**shared, over=True))  # type: ignore[arg-type]
    assert hands.names == ["a"]


def test_what_is_ordered_last_goes_first(engine: FreshEngine, hands: Patient) -> None:
    engine.order(*orders("control"))
    engine.order(*orders("repair", "other-repair"))
    engine.attend(seen())
    assert hands.names == ["repair", "other-repair"]
    assert [order.name for order in engine.ordered] == ["control", "repair", "other-repair"]


def test_nothing_begins_before_the_hands_are_ready(engine: FreshEngine, hands: Patient) -> None:
    hands.is_ready = False
    engine.order(*orders("a"))
    assert engine.attend(seen())
    assert hands.names == []


def test_a_job_holds_all_it_needs_and_has_a_folder_of_its_own(engine: FreshEngine, hands: Patient) -> None:
    engine.order(*orders("a"))
    engine.attend(seen())
    (job,) = hands.begun
    assert job.spec.run == str(RunDirectory(Path(engine.program.run)).timelines / "a")
    assert {job.spec.events, job.spec.scratch}.isdisjoint({engine.program.events, engine.program.scratch})
    assert (job.spec.steps, job.spec.seconds, job.spec.taps) == (10, 1.0, ("loaders",))
    assert job.environment["PATH"] == os.environ["PATH"]
    assert job.startup_seconds >= 3.0


def test_what_a_timeline_saw_comes_before_what_became_of_it(engine: FreshEngine, hands: Patient) -> None:
    line = b'{"phase":"fact","timeline":"a","observed":{"fact":"unseen","step":0,"tap":"x","reason":"y"}}\n'
    engine.reason = "CUDA"
    engine.order(*orders("a", "b"))
    engine.attend(seen())
    hands.done |= {"a": Made(line + b'{"torn', 1.5, 3, "boom"), "b": lost(OSError("no disk"))}
    engine.attend(seen())
    found = log_of(engine)
    nursery, ended = opened(found), fates(found)
    assert nursery is not None
    assert (nursery.engine, nursery.reason) == ("fresh", "CUDA")
    assert len(found.timelines["a"]) == 1
    assert (ended["a"].exit_code, ended["a"].seconds, ended["a"].message) == (3, 1.5, "boom")
    assert (ended["b"].exit_code, ended["b"].message) == (None, "OSError: no disk")


def test_it_is_settled_when_all_is_over_or_the_time_is_spent(
    engine: FreshEngine, hands: Patient, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine.order(*orders("a"))
    assert not engine.settled(seen())
    hands.done["a"] = Made(b"", 1.0, 0)
    engine.attend(seen())
    whole = seen()
    whole.timelines = log_of(engine).timelines
    assert engine.settled(whole)

    engine.order(*orders("b"))
    assert not engine.settled(whole)
    assert engine.seconds == PATIENCE * 20.0
    engine.seconds = 0.0
    assert engine.settled(whole)
