"""A long run keeps a short log and a constant amount of memory."""

import gc
import time
import tracemalloc
from pathlib import Path

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

import firstlight as fl
from firstlight.checks.catalogue import CATALOGUE
from firstlight.facts.live.windows import Seen
from firstlight.facts.sources import LIVE
from firstlight.guard.journal import MOST_WAITING, Journal, Retention, Thinned
from firstlight.guard.judging import Judge
from firstlight.guard.statistics.rows import L2, WIDTH, Frame
from firstlight.records import events
from firstlight.records.telemetry import StepRow
from firstlight.store.event_log import LineReader


@given(most=st.integers(1, 50), steps=st.integers(1, 5000))
def test_what_is_kept_grows_with_the_logarithm(most: int, steps: int) -> None:
    thinned = Thinned(most)
    kept = [step for step in range(steps) if thinned.keeps(step)]

    assert kept[0] == 0
    assert len(kept) <= most * (1 + max(0, (steps // most).bit_length()))


def test_the_log_stays_short_over_a_hundred_thousand_steps(tmp_path: Path) -> None:
    journal = Journal(tmp_path, Retention(steps=200))
    for step in range(100_000):
        if journal.wants_step(0, step):
            journal.write(events.Step, step=step, loss=1.0)
    journal.close()

    assert journal.run is not None
    seen = [event["step"] for event in LineReader(journal.run.events).new()]
    assert len(seen) < 2_200
    assert seen[:200] == list(range(200))
    assert seen[-1] > 98_000


def test_past_its_bytes_only_flags_are_written(tmp_path: Path) -> None:
    journal = Journal(tmp_path, Retention(bytes=1_000))
    for step in range(50):
        journal.write(events.Heartbeat, step=step)
    journal.write(events.Heartbeat, always=True, step=99)
    journal.close()

    assert journal.run is not None
    seen = [event["step"] for event in LineReader(journal.run.events).new()]
    assert len(seen) < 10
    assert seen[-1] == 99


@pytest.mark.parametrize("steps", [20_000])
def test_windows_hold_a_constant_amount(steps: int) -> None:
    judge = Judge([check for check in CATALOGUE if check.needs in LIVE])

    def run(first: int, last: int) -> int:
        for step in range(first, last):
            row = StepRow(step=step, loss=1.0 + step % 7, lr=0.1, grad_norm=1.0, batch=str(step), step_s=0.1)
            judge.sees(row, Seen(memory=1e9 if step % 50 == 0 else None), step % 8 == 0)
        gc.collect()
        return tracemalloc.get_traced_memory()[0]

    tracemalloc.start()
    early = run(0, 4_000)
    late = run(4_000, steps)
    tracemalloc.stop()

    assert late < early * 1.2 + 20_000


def test_a_whole_guard_over_ten_thousand_steps(tmp_path: Path) -> None:
    parameter = torch.nn.Parameter(torch.zeros(2))
    optimizer = torch.optim.SGD([parameter], lr=0.1)
    rows = torch.zeros(2, WIDTH)
    rows[:, L2] = 1.0
    kept = fl.Retention(steps=100, tensors=10)
    with fl.guard(optimizer, directory=tmp_path, retention=kept, capture=None) as guard:

        def run(first: int, last: int) -> tuple[int, int]:
            for step in range(first, last):
                told = {"val_loss": 1.0} if step % 100 == 0 else {}
                row = StepRow(step=step, loss=1.0 + step % 7, lr=0.1, grad_norm=1.0, batch=str(step), components=told)
                guard.steps._judge_row(guard.watches[0], row, Frame(step, rows, (True,)))
            gc.collect()
            assert guard.events is not None
            return tracemalloc.get_traced_memory()[0], guard.events.stat().st_size

        tracemalloc.start()
        early, short = run(0, 2_000)
        late, size = run(2_000, 10_000)
        tracemalloc.stop()

    assert late < early * 1.2 + 20_000
    assert size < 2 * short
    assert guard.shield.broken == {}


def test_a_quiet_log_gets_a_heartbeat(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    journal = Journal(tmp_path, Retention())
    journal.write(events.Heartbeat, step=0)
    journal.beats(1)
    begun = time.monotonic()
    monkeypatch.setattr("firstlight.guard.journal.time.monotonic", lambda: begun + 31)
    journal.beats(2)
    journal.beats(3)
    journal.close()

    assert journal.run is not None
    assert [event["step"] for event in LineReader(journal.run.events).new()] == [0, 2]


def test_without_room_lines_wait_and_the_oldest_of_too_many_are_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("firstlight.guard.journal.room", lambda _folder: 0)
    journal = Journal(tmp_path, Retention())
    for step in range(MOST_WAITING + 5):
        journal.write(events.Heartbeat, step=step)
    assert list(tmp_path.iterdir()) == []
    assert journal.lost == MOST_WAITING + 5

    monkeypatch.setattr("firstlight.guard.journal.room", lambda _folder: 1 << 30)
    journal.try_again()
    journal.close()
    assert journal.lost == 5
    assert journal.run is not None
    assert [event["step"] for event in LineReader(journal.run.events).new()][:1] == [5]
