"""Functions of the user's, and guards within guards: what is theirs reaches the training, what is ours does not."""

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn

import firstlight as fl
from firstlight.guard import inside
from firstlight.guard.attach import Guard
from firstlight.guard.options import Options
from firstlight.records.telemetry import Trip
from firstlight.store.run_directory import RunDirectory

Run = Callable[..., "subprocess.CompletedProcess[str]"]


class MyStopError(Exception):
    pass


def train(steps: int = 12, bad_at: int = 5, **options: Any) -> Guard:
    torch.manual_seed(0)
    model = nn.Linear(4, 2)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    with fl.guard(model, optimizer, **options) as guard:
        for step in range(steps):
            x = torch.full((8, 4), float("nan")) if step == bad_at else torch.randn(8, 4)
            optimizer.zero_grad()
            nn.functional.cross_entropy(model(x), torch.randint(2, (8,))).backward()
            optimizer.step()
    return guard


def test_what_a_users_function_raises_reaches_the_training(tmp_path: Path) -> None:
    seen: list[Guard] = []

    def stop(trip: Trip, guard: Guard) -> None:
        seen.append(guard)
        raise MyStopError(trip.finding.name)

    with pytest.raises(MyStopError, match="turns-nonfinite"):
        train(directory=tmp_path, on_red=stop)
    assert seen[0].shield.broken == {}
    assert seen[0].step == 5, "the step itself was refused"


def test_a_guard_of_the_programs_own_takes_the_run_over(tmp_path: Path) -> None:
    run = RunDirectory.create(tmp_path)
    outer = inside.install(Options(directory=run))
    guard = train(steps=8, bad_at=-1)
    assert guard.run is not None
    assert guard.run.path == run.path
    assert outer.guard.closed
    assert outer.guard.watches == []
    assert sorted(path.name for path in (tmp_path / ".firstlight" / "runs").iterdir()) == [run.id]


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--ignore", "loss-spike"), "loss-spikes"),
        (("--on-red", "nowhere:stop"), "names the module `nowhere`"),
        (("--on-red", "mine:halt"), "names `halt`"),
    ],
)
def test_mistakes_are_told_before_the_program_starts(
    firstlight: Run, words: tuple[str, str], told: str, tmp_path: Path
) -> None:
    (tmp_path / "train.py").write_text("open('started', 'w')\n")
    (tmp_path / "mine.py").write_text("def stop(trip, guard): ...\n")
    done = firstlight("run", "--no-check", *words, "train.py")
    assert (done.returncode, told in done.stderr) == (2, True), done.stderr
    assert not (tmp_path / "started").exists()


def test_settings_that_cannot_be_read_are_told_before_the_program_starts(firstlight: Run, tmp_path: Path) -> None:
    (tmp_path / "firstlight.toml").write_text('ignor = ["x"]\n')
    (tmp_path / "train.py").write_text("open('started', 'w')\n")
    done = firstlight("run", "--no-check", "train.py")
    assert done.returncode == 2, done.stderr
    assert "ignor" in done.stderr
    assert not (tmp_path / "started").exists()


def test_a_guard_that_could_not_be_attached_is_told(firstlight: Run, tmp_path: Path) -> None:
    """Its order is spoilt by the program itself before it imports torch."""
    (tmp_path / "train.py").write_text(
        "import json, os\n"
        "run = json.loads(os.environ['FIRSTLIGHT_GUARD'])['run']\n"
        "os.environ['FIRSTLIGHT_GUARD'] = json.dumps({'run': run})\n"
        "import torch\n"
    )
    done = firstlight("run", "--no-check", "train.py")
    assert "not judged: the guard could not be attached" in done.stderr, done.stderr


def test_the_norm_in_the_log_is_from_before_the_clipping(tmp_path: Path) -> None:
    parameter = nn.Parameter(torch.ones(4))
    optimizer = torch.optim.SGD([parameter], lr=0.1)
    with fl.guard(optimizer, directory=tmp_path) as guard:
        (3 * parameter).sum().backward()
        nn.utils.clip_grad_norm_([parameter], 1.0)
        optimizer.step()
    assert guard.window[0].grad_norm == pytest.approx(6.0)
    assert guard.window[0].clip_coef == pytest.approx(1 / 6)


def test_what_is_given_twice_is_watched_once(tmp_path: Path) -> None:
    model = nn.Linear(2, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    with fl.guard(model, optimizer, optimizer, directory=tmp_path) as guard:
        guard.add(optimizer, model, torch.optim.lr_scheduler.StepLR(optimizer, 5))
        assert (len(guard.watches), len(guard.models), len(guard.schedulers)) == (1, 1, 1)
        model(torch.randn(3, 2)).mean().backward()
        optimizer.step()
    assert [row.step for row in guard.window] == [0]
