"""One fresh timeline, made of a real script: how it begins, and every way in which it can end."""

import io
import os
import signal
import tarfile
import threading
import uuid
from pathlib import Path

import psutil
from tests.experiments.engines.conftest import Prepare, left_behind, losses_of, script

from firstlight.experiments.engines.job import make, put_in_place
from firstlight.observe.inside.containment.overlay import Overlay
from firstlight.store.run_directory import RunDirectory


def running(marker: str) -> list[int]:
    return [one.pid for one in psutil.process_iter(["cmdline"]) if marker in (one.info["cmdline"] or ())]


def test_it_ends_after_its_steps_and_leaves_nothing(prepare: Prepare) -> None:
    job = prepare(script())
    made = make(job)
    assert (made.exit_code, made.message) == (0, "")
    assert len(losses_of(made)) == 20
    assert left_behind(job) == []


def test_a_process_that_ends_itself_is_a_fact(prepare: Prepare) -> None:
    made = make(prepare(script(after="step == 5 and (print('so long', flush=True), os._exit(3))")))
    assert (made.exit_code, made.message, len(losses_of(made))) == (3, "so long", 6)


def test_so_is_one_that_is_killed(prepare: Prepare) -> None:
    made = make(prepare(script(after="step == 5 and os.kill(os.getpid(), signal.SIGKILL)")))
    assert (made.exit_code, len(losses_of(made))) == (-signal.SIGKILL, 6)


def test_one_that_hangs_is_ended_with_all_it_started(prepare: Prepare) -> None:
    marker = f"mark-{uuid.uuid4().hex}"
    escape = f"__import__('subprocess').Popen([sys.executable, '-c', 'import time; time.sleep(99)', '{marker}'],"
    hang = f"step == 5 and ({escape} start_new_session=True), time.sleep(99))"
    made = make(prepare(script(after=hang), seconds=5.0))
    assert (made.exit_code, len(losses_of(made))) == (None, 6)
    assert running(marker) == []


def test_one_that_never_trains_has_a_deadline_too(prepare: Prepare) -> None:
    made = make(prepare(script(before="time.sleep(99)"), startup=5.0))
    assert (made.exit_code, losses_of(made)) == (None, [])


def test_one_that_nobody_waits_for_is_dropped(prepare: Prepare) -> None:
    job, dropped = prepare(script(before="time.sleep(99)")), threading.Event()
    dropped.set()
    assert make(job, given_up=dropped.is_set).exit_code is None
    assert left_behind(job) == []


def test_every_rank_takes_part(prepare: Prepare) -> None:
    ranks = script(before="torch.distributed.init_process_group('gloo')")
    made = make(prepare(ranks, "torch.distributed.run", "--nproc_per_node=2", "--standalone", steps=10))
    assert (made.exit_code, len(losses_of(made)), len(losses_of(made, rank=1))) == (0, 10, 10)


def test_files_that_another_timeline_left_are_seen_in_place(tmp_path: Path) -> None:
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w") as archive:
        entry = tarfile.TarInfo("home/me/last.pt")
        entry.size = 3
        archive.addfile(entry, io.BytesIO(b"abc"))
    home = RunDirectory(tmp_path)
    put_in_place(made.getvalue(), home)
    overlay = Overlay(home.scratch, passes=())

    assert Path(overlay.opened("/home/me/last.pt", os.O_RDONLY)).read_bytes() == b"abc"
