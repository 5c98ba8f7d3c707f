"""Rooms keep probes apart: one that overruns is ended, one that dies is a fact, and neither takes another with it."""

import itertools
import os
import signal
import time
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest
import torch

import firstlight as fl
from firstlight.experiments.declared.rooms import Emit, ForkedRooms, SameRoom, Task, patience
from firstlight.records.declared import LogTried, ProbeEnded
from firstlight.store.run_directory import RunDirectory

SECOND = 1.0


def noted(emit: Emit) -> None:
    emit(LogTried(path="here", written=True, read_back=True, free_bytes=1))


def sleeps(emit: Emit) -> None:
    noted(emit)
    time.sleep(60)


def dies(_emit: Emit) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def leaves(_emit: Emit) -> None:
    os._exit(7)


def fails(_emit: Emit) -> None:
    os.write(1, b"a word that belongs to nobody")
    raise KeyError("nothing of that name")


def leaves_a_copy_behind(_emit: Emit) -> None:
    if os.fork() == 0:
        time.sleep(60)
        os._exit(0)


@pytest.fixture
def run(tmp_path: Path) -> RunDirectory:
    return RunDirectory.create(tmp_path)


def ended(rooms: ForkedRooms | SameRoom, *works: Callable[[Emit], None], most: float = 30.0) -> dict[str, ProbeEnded]:
    for work in works:
        rooms.submit(Task(work.__name__, work, typical_seconds=0.1, most_seconds=most, action="wait less"))
    found: list[ProbeEnded] = []
    try:
        while rooms.busy:
            found += rooms.settle()
            time.sleep(0.01)
    finally:
        rooms.close()
    return {end.name: end for end in found}


def test_a_probe_that_overruns_is_ended_and_said_so(run: RunDirectory) -> None:
    found = ended(ForkedRooms(run), sleeps, most=SECOND)["sleeps"]

    assert found.overran
    assert found.seconds > SECOND
    assert not found.fault
    assert found.action == "wait less"


@pytest.mark.parametrize(("load", "times"), [(0.0, 1.0), (2.0, 1.0), (6.0, 3.0), (80.0, 6.0)])
def test_a_busy_machine_is_given_more_time(monkeypatch: pytest.MonkeyPatch, load: float, times: float) -> None:
    monkeypatch.setattr(os, "getloadavg", lambda: (load, 0.0, 0.0))
    monkeypatch.setattr(os, "cpu_count", lambda: 2)

    assert patience() == times


def test_what_it_had_found_by_then_is_kept(run: RunDirectory) -> None:
    ended(ForkedRooms(run), sleeps, most=SECOND)

    assert '"log-tried"' in run.events.read_text()


@pytest.mark.parametrize(("work", "code"), [(dies, -signal.SIGKILL), (leaves, 7)])
def test_a_probe_whose_process_dies_is_a_fact(run: RunDirectory, work: Callable[[Emit], None], code: int) -> None:
    found = ended(ForkedRooms(run), work, noted)

    assert found[work.__name__].fault == f"its process ended with {code}"
    assert not found[work.__name__].overran
    assert not found["noted"].fault


def test_each_failure_is_told_in_its_own_words(run: RunDirectory) -> None:
    """Whatever else was printed in the meantime."""
    found = ended(ForkedRooms(run), fails, noted)

    assert found["fails"].fault == "KeyError: 'nothing of that name'"
    assert not found["noted"].fault


def test_a_copy_left_behind_neither_delays_the_answer_nor_outlives_the_room(run: RunDirectory) -> None:
    rooms = ForkedRooms(run)
    rooms.submit(Task("leaves", leaves_a_copy_behind, 0.1, 30.0, ""))
    found: list[ProbeEnded] = []
    while rooms.busy:
        found += rooms.settle()
        time.sleep(0.01)
    group = rooms._groups[0]
    os.killpg(group, 0)
    rooms.close()

    assert not found[0].fault
    for _ in range(500):
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return
        time.sleep(0.01)
    pytest.fail("a copy is still there")


def test_no_descriptors_are_left_open(run: RunDirectory) -> None:
    before = psutil.Process().num_fds()
    ended(ForkedRooms(run), noted, fails, dies)

    assert psutil.Process().num_fds() == before


def test_in_the_same_process_a_failure_is_told_too(run: RunDirectory) -> None:
    found = ended(SameRoom(run, ()), fails, noted)

    assert found["fails"].fault == "KeyError: 'nothing of that name'"
    assert not found["noted"].fault


def test_the_report_says_which_question_is_left_open(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A loss that takes its process along at its third call, which the first contact does not make."""
    monkeypatch.chdir(tmp_path)
    target = torch.zeros(16, 1)
    calls = itertools.count(1)

    def loss(output: torch.Tensor, wanted: torch.Tensor) -> torch.Tensor:
        if next(calls) > 2:
            os.kill(os.getpid(), signal.SIGKILL)
        return ((output - wanted) ** 2).mean()

    batches = [(torch.randn(16, 4), target)] * 4
    experiment = fl.Experiment(model=lambda: torch.nn.Linear(4, 1), train=batches, loss=loss)
    report = fl.preflight(experiment, profile="quick", select=["initial-loss-off", "probe-overruns"])

    (finding,) = report.findings
    assert finding.name == "probe-overruns"
    assert finding.saw == "the probe `first-loss` failed: its process ended with -9"
    assert {check.name: check.status for check in report.checks}["initial-loss-off"] == "skipped"
