"""The same experiments by other means: fresh runs where a script cannot be forked, or where they are asked for."""

import json
import subprocess
import sys
import uuid
from pathlib import Path
from typing import Any

import pytest
import torch
from tests.conftest import Run
from tests.programs.test_timelines import (
    DATA,
    LOADER,
    LOOP,
    MODEL,
    PLAIN,
    STEP,
    Check,
    Judge,
    fates_of,
    left_in,
    losses_of,
    running,
)

UNSEEDED = PLAIN.replace("torch.manual_seed(0)", "")
ILL = UNSEEDED.replace("nn.Linear(32, 6))", "nn.Linear(32, 6), nn.Softmax(dim=1))")


def in_a_thread(source: str) -> str:
    """Training in a second thread cannot be forked: the copy would have no such thread."""
    body = "".join(f"    {line}\n" for line in source.splitlines() if not line.startswith(("import", "from")))
    heads = "".join(f"{line}\n" for line in source.splitlines() if line.startswith(("import", "from")))
    return f"{heads}def train():\n{body}\nthread = threading.Thread(target=train)\nthread.start()\nthread.join()\n"


def limits_of(checked: Any) -> str:
    return "; ".join(checked.report["coverage"]["limits"])


def test_fresh_runs_begin_and_go_on_as_the_program_does(check_apart: Check) -> None:
    """To the last bit, although it does not seed itself; and neither a process nor a file of them is left."""
    marker = f"--mark-{uuid.uuid4().hex}"
    checked = check_apart(UNSEEDED, "--engine", "fresh", "--seconds", "100", arguments=(marker,))
    losses, fates, coverage = losses_of(checked), fates_of(checked), checked.report["coverage"]
    until_tail = 145

    assert (coverage["engine"], coverage["engine_reason"]) == ("fresh", None)
    assert set(fates.values()) == {0}
    assert losses["regularised"][:until_tail] == losses[None][:until_tail]
    assert losses["lr-tenth"][1:] != losses[None][1:150]
    assert "pairs" not in limits_of(checked)
    assert checked.loud() == []
    assert running(marker) == []
    assert {path.name for path in checked.folder.iterdir()} - {".gitignore"} == {"train.py", ".firstlight"}
    assert left_in(checked) & {"timelines", "scratch", "session.json"} == set()


def test_deaths_are_facts_and_the_rest_goes_on(check_apart: Check) -> None:
    dies = """
    name = os.environ["FIRSTLIGHT_SESSION"].split("/")[-2]
    if step == 30:
        if name == "one-batch": os._exit(3)
        if name == "lr-tenth": os.kill(os.getpid(), 9)
        if name == "lr-tenfold": raise ValueError("too hot")
        if name == "unregularised": threading.Event().wait()
"""
    marker = f"--mark-{uuid.uuid4().hex}"
    checked = check_apart(PLAIN + dies, "--engine", "fresh", "--seconds", "20", arguments=(marker,))
    fates = fates_of(checked)
    wanted = {"one-batch": 3, "lr-tenth": -9, "lr-tenfold": 1, "unregularised": None, "regularised": 0, "probes": 0}

    assert {name: fates[name] for name in wanted} == wanted
    assert "one-batch (exit code 3" in limits_of(checked)
    assert "lr-tenfold (exit code 1: ValueError: too hot)" in limits_of(checked)
    assert "unregularised (took too long)" in limits_of(checked)
    assert (checked.report["verdict"], checked.loud()) == ("clean", [])
    assert running(marker) == []


class TestWhereAForkCannotWork:
    def test_it_runs_afresh_and_proves_as_much(self, command: Run, tmp_path: Path) -> None:
        (tmp_path / "train.py").write_text(in_a_thread(ILL), encoding="utf-8")
        report = json.loads(command("diagnose", "--format", "json", "train.py").stdout)
        (finding,) = [finding for finding in report["findings"] if finding["name"] == "loss-double-activation"]

        assert (report["coverage"]["engine"], finding["verified"]) == ("fresh", True)
        assert report["coverage"]["engine_reason"] == "training runs in a second thread"
        assert not any("timelines" in limit for limit in report["coverage"]["limits"])
        assert report["diagnosis"][0]["cause"] == finding["cause"]

    def test_asked_to_fork_it_says_that_it_could_not(self, judge: Judge) -> None:
        checked = judge(in_a_thread(ILL), engine="fork")

        assert checked.report["coverage"]["engine"] is None
        assert set(checked.report["coverage"]["experiments"]) <= {"rehearsal"}
        assert "not observed: timelines: training runs in a second thread" in limits_of(checked)


ON_GPU = (
    (DATA + MODEL + LOADER + LOOP + "\n    xb, yb = xb.cuda(), yb.cuda()" + STEP)
    .replace("nn.Linear(32, 6))", "nn.Linear(32, 6), nn.Softmax(dim=1)).cuda()")
    .replace("torch.manual_seed(0)", "")
)


@pytest.mark.skipif(not torch.cuda.is_available(), reason="no CUDA device here")
class TestOnAGpu:
    def test_experiments_are_fresh_runs_that_begin_as_the_program_did(self, check: Check) -> None:
        checked = check(ON_GPU)
        losses, coverage = losses_of(checked), checked.report["coverage"]

        assert (coverage["engine"], checked.report["environment"]["device"]) == ("fresh", "cuda")
        assert coverage["engine_reason"] == "CUDA is initialised, and its state cannot be forked"
        assert set(fates_of(checked).values()) == {0}
        assert losses["lr-tenth"][0] == pytest.approx(losses[None][0], rel=1e-3)
        assert checked.finding("loss-double-activation")["verified"]

    def test_a_warm_parent_opens_no_device(self) -> None:
        code = "import torch, torch._dynamo, numpy; from firstlight.experiments.inside.warm import touched_device as t"
        done = subprocess.run([sys.executable, "-c", f"{code}; print(t())"], capture_output=True, text=True, check=True)
        assert done.stdout.strip() == "False"
