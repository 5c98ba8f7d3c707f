"""Copies of a program run beside it: they neither disturb it nor outlive it, and what they prove is told."""

import json
import uuid
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil
import pytest

Check = Callable[..., Any]
Judge = Callable[..., Any]

DATA = """import os, sys, queue, tempfile, threading
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
torch.manual_seed(0)
typical = torch.randn(6, 20)
y = torch.randint(6, (2400,))
x = typical[y] + 0.7 * torch.randn(2400, 20)
"""
MODEL = """
model = nn.Sequential(nn.Linear(20, 32), nn.ReLU(), nn.Dropout(0.1), nn.Linear(32, 6))
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
"""
STEP = """
    optimizer.zero_grad()
    loss = nn.functional.cross_entropy(model(xb), yb)
    loss.backward()
    optimizer.step()
"""
LOADER = "loader = DataLoader(TensorDataset(x, y), batch_size=16, shuffle=True)\n"
LOOP = "for step, (xb, yb) in enumerate(loader):"
PLAIN = DATA + MODEL + LOADER + LOOP + STEP


WRITER = """
folder = tempfile.TemporaryDirectory()
waiting, written = queue.Queue(MOST_WAITING), os.path.join(folder.name, "scalars")
def write():
    while (item := waiting.get()) is not None:
        with open(written, "a") as file:
            file.write(f"{item}\\n")
thread = threading.Thread(target=write)
thread.start()
"""
WRITTEN = """
    waiting.put(loss.item())
waiting.put(None)
thread.join()
print("written", len(open(written).read().split()), os.path.isdir(folder.name))
folder.cleanup()
"""


def writer(most_waiting: int) -> str:
    """A background thread that writes what it is given, as those of experiment trackers do."""
    return WRITER.replace("MOST_WAITING", str(most_waiting))


def running(marker: str) -> list[int]:
    return [one.pid for one in psutil.process_iter(["cmdline"]) if marker in (one.info["cmdline"] or ())]


def events_of(checked: Any) -> list[dict[str, Any]]:
    path = checked.folder / checked.report["subject"]["run"] / "events.ndjson"
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def losses_of(checked: Any) -> dict[str | None, list[float]]:
    """By timeline; the program's own under None."""
    found = defaultdict(list)
    for event in events_of(checked):
        if (event.get("observed") or {}).get("fact") == "backward":
            found[event.get("timeline")].append(event["observed"]["value"])
    return found


def fates_of(checked: Any) -> dict[str, int | None]:
    seen = [event["observed"] for event in events_of(checked) if event.get("observed")]
    return {record["name"]: record["exit_code"] for record in seen if record["fact"] == "timeline-ended"}


def output_of(checked: Any) -> str:
    path: Path = checked.folder / checked.report["subject"]["run"] / "output.log"
    return path.read_text(encoding="utf-8")


def left_in(checked: Any) -> set[str]:
    return {path.name for path in (checked.folder / checked.report["subject"]["run"]).iterdir()}


class TestNothingIsDisturbed:
    def test_the_same_again_is_the_same_to_the_last_bit(self, judge: Judge) -> None:
        """Weights, batches, dropout and the random states, Python's own among them, all came along."""
        noisy = STEP.replace("model(xb)", "model(xb + 0.1 * random.random() + 0.1 * numpy.random.rand())")
        checked = judge("import random, numpy\n" + DATA + MODEL + LOADER + LOOP + noisy, profile="deep")
        losses = losses_of(checked)

        assert fates_of(checked)["same-again"] == 0
        assert len(losses["same-again"]) == 150
        assert losses["same-again"] == losses[None][:150]
        assert losses["other-seed"] != losses[None][:150]
        assert checked.loud() == []

    def test_every_copy_begins_where_the_program_does(self, judge: Judge) -> None:
        losses = losses_of(judge(PLAIN))
        same_loss = losses.keys() - {"probes", "sharpened", "unregularised"}

        assert len(same_loss) > 4
        assert {losses[name][0] for name in same_loss} == {losses[None][0]}

    def test_loader_workers_serve_the_program_alone(self, judge: Judge) -> None:
        loader = LOADER.replace("shuffle=True", "num_workers=2")
        checked = judge(DATA + MODEL + loader + LOOP + STEP + 'print("steps", step + 1)\n')
        losses, fates = losses_of(checked), fates_of(checked)

        assert output_of(checked).splitlines()[-1] == "steps 150"
        assert len(losses[None]) == 150
        assert set(fates.values()) == {0}
        assert all(len(values) >= 100 for name, values in losses.items() if name not in ("probes", "rehearsal"))
        assert checked.loud() == []

    def test_threads_and_temporary_folders_stay_with_the_program(self, judge: Judge) -> None:
        checked = judge(DATA + writer(most_waiting=0) + MODEL + LOADER + LOOP + STEP + WRITTEN)

        assert output_of(checked).splitlines()[-1] == "written 150 True"
        assert set(fates_of(checked).values()) == {0}
        assert checked.loud() == []

    def test_checkpoints_of_the_copies_leave_nothing_behind(self, judge: Judge) -> None:
        after = """
    if step % 20 == 0:
        torch.save(model.state_dict(), "last.pt")
        assert torch.load("last.pt").keys() == model.state_dict().keys()
print("saved", os.path.exists("last.pt"))
"""
        checked = judge(PLAIN + after)

        assert output_of(checked).splitlines()[-1] == "saved True"
        assert {path.name for path in checked.folder.iterdir()} - {".gitignore"} == {"train.py", ".firstlight"}
        assert left_in(checked) & {"timelines", "scratch", "session.json"} == set()
        assert set(fates_of(checked).values()) == {0}
        assert checked.loud() == []

    def test_no_process_outlives_the_command(self, check_apart: Check) -> None:
        marker = f"--mark-{uuid.uuid4().hex}"
        checked = check_apart(PLAIN, arguments=(marker,))

        assert len(fates_of(checked)) > 4
        assert running(marker) == []


class TestCopiesThatDie:
    DIES = "    if step == 30 and os.getpid() != HOME:\n        os._exit(3)\n"

    def test_it_is_recorded_and_the_program_goes_on(self, judge: Judge) -> None:
        checked = judge(DATA + "HOME = os.getpid()\n" + MODEL + LOADER + LOOP + STEP + self.DIES)
        fates, losses = fates_of(checked), losses_of(checked)

        assert fates.pop("probes") == 0
        assert set(fates.values()) == {3}
        assert {len(losses[name]) for name in fates} == {31}
        assert checked.report["coverage"]["steps"] == 150
        assert (checked.report["verdict"], checked.loud()) == ("clean", [])

    def test_copies_that_hang_are_ended(self, check_apart: Check) -> None:
        """A copy has no thread to empty the queue, and waits for ever once that is full."""
        marker = f"--mark-{uuid.uuid4().hex}"
        source = DATA + writer(most_waiting=9) + MODEL + LOADER + LOOP + STEP + WRITTEN
        checked = check_apart(source, "--seconds", "10", arguments=(marker,))
        fates, losses = fates_of(checked), losses_of(checked)

        assert fates.pop("probes") == 0
        assert set(fates.values()) <= {None}
        assert max(len(values) for name, values in losses.items() if name is not None) == 10
        assert output_of(checked).splitlines()[-1] == "written 150 True"
        assert (checked.report["verdict"], checked.loud()) == ("clean", [])
        assert running(marker) == []

    def test_an_illness_is_still_found(self, judge: Judge) -> None:
        ill = MODEL.replace("nn.Linear(32, 6))", "nn.Linear(32, 6), nn.Softmax(dim=1))")
        checked = judge(DATA + "HOME = os.getpid()\n" + ill + LOADER + LOOP + STEP + self.DIES)

        assert checked.report["verdict"] == "ill"
        assert checked.named("error") == ["loss-double-activation"]


REGRESSION = """
w = torch.randn(20, 1)
z = (x @ w).squeeze(1)
loader = DataLoader(TensorDataset(x, z), batch_size=16, shuffle=True)
model = nn.Sequential(nn.Linear(20, 32), nn.ReLU(), nn.Linear(32, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
for xb, zb in loader:
    optimizer.zero_grad()
    loss = nn.functional.mse_loss(model(xb), zb)
    loss.backward()
    optimizer.step()
"""
MOMENTUM = MODEL.replace("Adam(model.parameters(), lr=3e-3)", "SGD(model.parameters(), lr=0.02, momentum=0.9)")
PROVABLE = {
    "gradients-never-cleared": DATA + MOMENTUM + LOADER + LOOP + STEP.replace("    optimizer.zero_grad()\n", ""),
    "loss-double-activation": PLAIN.replace("nn.Linear(32, 6))", "nn.Linear(32, 6), nn.Softmax(dim=1))"),
    "loss-broadcast": DATA + REGRESSION,
    "rate-too-high": PLAIN.replace("lr=3e-3", "lr=0.3").replace("nn.Dropout(0.1)", "nn.Linear(32, 32), nn.ReLU()"),
}


class TestProof:
    @pytest.mark.parametrize("name", PROVABLE)
    def test_the_repair_was_tried_and_helped(self, judge: Judge, name: str) -> None:
        checked = judge(PROVABLE[name])
        finding, diagnosis = checked.finding(name), checked.report["diagnosis"][0]

        assert checked.named("error") == [name]
        assert finding["verified"]
        assert finding["likely"].startswith("proven: ")
        assert finding["proof"]["reached"] < finding["proof"]["as_it_is"]
        assert (diagnosis["cause"], diagnosis["verified"]) == (finding["cause"], True)

    def test_labels_that_do_not_belong_to_their_inputs(self, judge: Judge) -> None:
        checked = judge(PLAIN.replace("loader =", "y = y[torch.randperm(len(y))]\nloader ="))

        (warned,) = [one for one in checked.report["findings"] if one["severity"] == "warning"]
        assert warned["cause"] == "data-label-misaligned"
        assert checked.named("error") == []
        assert not warned["verified"]
