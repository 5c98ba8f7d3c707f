"""`firstlight run`: the program as it is, its own exit code and files, a report however it ends."""

import hashlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from firstlight.store.event_log import LineReader

Run = Callable[..., subprocess.CompletedProcess[str]]
PROGRAM = """
import sys, time
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
torch.manual_seed(0)
model = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Dropout(0.1), nn.Linear(16, 2))
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
x = torch.rand(640, 4) + 0.1
if "bad" in sys.argv:
    x[333] = 0
y = (x.sum(1) > 2.2).long()
for step, (xb, yb) in enumerate(DataLoader(TensorDataset(x, y), batch_size=16, shuffle="bad" not in sys.argv)):
    loss = nn.functional.cross_entropy(model(xb / xb.norm(dim=1, keepdim=True)), yb)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if "slow" in sys.argv:
        print(step, flush=True)
        time.sleep(0.05 if step < 16 else 10)  # whoever means to end it may be late
torch.save(model.state_dict(), "weights.pt")
print("said", sys.stdin.read() if "read" in sys.argv else "")
if "crash" in sys.argv:
    raise RuntimeError("boom")
if "exit" in sys.argv:
    sys.exit(7)
"""


@pytest.fixture
def program(tmp_path: Path) -> Path:
    path = tmp_path / "train.py"
    path.write_text(PROGRAM, encoding="utf-8")
    return path


def report_of(folder: Path) -> dict[str, Any]:
    (path,) = folder.glob(".firstlight/runs/*/report.json")
    found: dict[str, Any] = json.loads(path.read_text())
    return found


def test_weights_files_and_output_are_the_programs_own(
    firstlight: Run, command: Run, program: Path, tmp_path: Path
) -> None:
    plain = subprocess.run(
        [sys.executable, "train.py"],
        cwd=tmp_path,
        env={"OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    weights = hashlib.sha256((tmp_path / "weights.pt").read_bytes()).hexdigest()
    (tmp_path / "weights.pt").unlink()
    done = firstlight("run", "--no-check", "train.py")
    assert done.returncode == 0, done.stderr
    assert done.stdout == plain.stdout
    assert hashlib.sha256((tmp_path / "weights.pt").read_bytes()).hexdigest() == weights
    report = report_of(tmp_path)
    assert (report["verdict"], report["coverage"]["steps"]) == ("clean", 40)
    assert "40 steps watched, no red flag" in done.stderr
    (log,) = tmp_path.glob(".firstlight/runs/*/events.ndjson")
    assert command("log", "validate", str(log)).returncode == 0


@pytest.mark.parametrize(("word", "code"), [("crash", 1), ("exit", 7)])
def test_the_programs_own_code_is_passed_on(
    firstlight: Run, program: Path, tmp_path: Path, word: str, code: int
) -> None:
    done = firstlight("run", "--no-check", "train.py", word)
    assert done.returncode == code
    report = report_of(tmp_path)
    assert report["coverage"]["ended"] == f"the program ended with exit code {code}"
    assert report["coverage"]["steps"] == 40
    assert ("boom" in done.stderr) == (word == "crash")
    assert "firstlight/observe" not in done.stderr


def test_a_red_flag_makes_it_ill_and_leaves_what_replay_needs(
    firstlight: Run, command: Run, program: Path, tmp_path: Path
) -> None:
    done = firstlight("run", "--no-check", "train.py", "bad")
    assert done.returncode == 1
    report = report_of(tmp_path)
    assert report["verdict"] == "ill"
    (finding,) = report["findings"]
    assert (finding["name"], finding["where"]["step"]) == ("turns-nonfinite", 20)
    (artifact,) = tmp_path.glob(".firstlight/runs/*/artifacts/*")

    again = command("replay", str(artifact.relative_to(tmp_path)), "--format", "json")
    assert again.returncode == 1, again.stderr
    (finding,) = json.loads(again.stdout)["findings"]
    assert (finding["where"]["file"], finding["where"]["line"]) == ("train.py", 14)
    assert "`div` was given `self` 16×4 float32" in finding["saw"]
    assert "a division by 1 exact zero(s)" in finding["saw"]
    assert not (artifact / "repro.py").exists()
    (script,) = tmp_path.glob(".firstlight/runs/*/original/repro.py")
    repro = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, check=False, cwd=tmp_path)
    assert (repro.returncode, "nan" in repro.stdout) == (1, True), repro.stderr
    assert "firstlight" not in script.read_text()


def test_stop_ends_the_program_at_the_flag(firstlight: Run, program: Path, tmp_path: Path) -> None:
    done = firstlight("run", "--no-check", "--on-red", "stop", "train.py", "bad")
    assert done.returncode != 0
    assert report_of(tmp_path)["coverage"]["steps"] == 21
    assert not (tmp_path / "weights.pt").exists()


def test_a_function_of_the_users_is_called(firstlight: Run, program: Path, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text("def tell(trip, guard):\n    print('flag at', trip.step, flush=True)\n")
    done = firstlight("run", "--no-check", "--on-red", "mine:tell", "train.py", "bad")
    assert "flag at 20" in done.stdout


def test_an_ill_check_starts_nothing(firstlight: Run, tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(PROGRAM.replace("    optimizer.zero_grad()\n", ""), encoding="utf-8")
    done = firstlight("run", "--profile", "quick", "train.py")
    assert done.returncode == 1
    assert "not started" in done.stderr
    assert "--no-check" in done.stderr
    assert not (tmp_path / "weights.pt").exists()


GUARDED = ("-m", "firstlight", "run", "--no-check")


def start(tmp_path: Path, *words: str, by: tuple[str, ...] = GUARDED) -> "subprocess.Popen[str]":
    process = subprocess.Popen(
        [sys.executable, *by, "train.py", "slow", *words],
        cwd=tmp_path,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert process.stdout is not None
    while process.stdout.readline().strip() != "3":
        assert process.poll() is None
    return process


def interrupted(process: "subprocess.Popen[str]") -> int:
    """As a shell tells it, after what a terminal does."""
    os.killpg(process.pid, signal.SIGINT)
    process.communicate(timeout=100)
    return process.returncode if process.returncode >= 0 else 128 - process.returncode


@pytest.mark.usefixtures("interruptible")
@pytest.mark.parametrize(
    "number", [pytest.param(signal.SIGTERM, id="terminated"), pytest.param(signal.SIGINT, id="ctrl-c")]
)
def test_a_signal_reaches_the_program_and_the_report_is_written(
    program: Path, tmp_path: Path, number: signal.Signals
) -> None:
    """The exit code is the program's own; what Python makes of Ctrl-C differs between its releases."""
    process = start(tmp_path)
    if number == signal.SIGINT:
        assert interrupted(process) == interrupted(start(tmp_path, by=()))
    else:
        process.send_signal(number)
        process.communicate(timeout=100)
        assert process.returncode == 128 + number
    report = report_of(tmp_path)
    assert report["coverage"]["steps"] > 0
    assert report["verdict"] == "clean"


@pytest.mark.parametrize("after", [0.0, 0.11, 0.23, 0.31, 0.47])
def test_a_kill_at_any_moment_leaves_a_readable_log(program: Path, tmp_path: Path, after: float) -> None:
    """Everything that belongs to the run at once, the command included."""
    own = tmp_path / "notes.txt"
    own.write_text("theirs")
    process = start(tmp_path, "bad")
    time.sleep(after)
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate(timeout=100)
    (log,) = tmp_path.glob(".firstlight/runs/*/events.ndjson")
    reader = LineReader(log)
    steps = [event for event in reader.new() if event["phase"] == "step"]
    assert reader.broken == []
    assert [event["step"] for event in steps] == list(range(len(steps)))
    assert len(steps) >= 3
    assert own.read_text() == "theirs"
    assert not (tmp_path / "weights.pt").exists()
