"""What a user may write for a guard, and that a mistake is told before anything is attached."""

from pathlib import Path
from typing import Any

import pytest
import torch
from tests.guard.loops import sgd
from torch import nn

import firstlight as fl
from firstlight.errors import UsageError
from firstlight.guard import taps
from firstlight.guard.options import DISABLED


def of_one(trip: object) -> None:
    """A function of the trip alone."""


WRONG: list[dict[str, Any]] = [
    {"on_red": "shout"},
    {"on_red": of_one},
    {"on_nonfinite": "x"},
    {"every": -1},
    {"every": "x"},
    {"every": 2.5},
    {"every": True},
    {"cost": 2.0},
    {"cost": "5%"},
    {"capture": True},
    {"capture": "yes"},
    {"retention": 5},
    {"directory": 3},
    {"fixed_batch": "second"},
    {"fixed_batch": 3},
    {"invariants": 3},
    {"ignore": 3},
    {"ignore": "no-such-check"},
    {"sinks": "tensorbored"},
    {"sinks": 3},
    {"on_nonfinite": "skip"},
    {"on_rd": "stop"},
]
"""The last but one needs a fused optimizer."""


def hooks_of(optimizer: torch.optim.Optimizer) -> int:
    return len(optimizer._optimizer_step_pre_hooks) + len(optimizer._optimizer_step_post_hooks)


@pytest.mark.parametrize("wrong", WRONG, ids=[f"{name}-{n}" for n, wrong in enumerate(WRONG) for name in wrong])
def test_a_wrong_option_is_told_by_name_and_leaves_nothing_behind(wrong: dict[str, Any]) -> None:
    training = sgd()
    with pytest.raises(UsageError) as told:
        fl.guard(*training.parts, **wrong)

    name, value = next(iter(wrong.items()))
    assert any(word in str(told.value) for word in (name, name.removesuffix("s"), str(value)))
    assert hooks_of(training.parts[1]) == 0
    assert taps._listeners == []


def test_a_part_that_cannot_be_guarded_leaves_nothing_behind() -> None:
    model, optimizer = sgd().parts
    with pytest.raises(UsageError, match="guard was given int"):
        fl.guard([model, optimizer], 3)

    assert hooks_of(optimizer) == 0


def test_one_is_as_good_as_a_list_of_one(tmp_path: Path) -> None:
    rule = fl.Invariant(name="small", on="loss", check="value < 100")
    with fl.guard(
        *sgd().parts, directory=str(tmp_path), sinks="stdout", ignore="loss-spikes", invariants=rule, retention=None
    ) as guard:
        pass

    assert (guard.options.sinks, guard.options.ignore, guard.options.invariants) == (
        ("stdout",),
        ("loss-spikes",),
        (rule,),
    )
    assert "loss-spikes" not in {check.name for check in guard.judge.checks}


def test_a_near_miss_is_named() -> None:
    with pytest.raises(UsageError, match="did you mean `on_red`"):
        fl.guard(*sgd().parts, on_rd="stop")  # type: ignore[call-arg]


def test_switched_off_nothing_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(DISABLED, "1")
    with fl.guard(3, invariants=[{"name": "x"}], every="x") as guard:  # type: ignore[arg-type]
        guard.log(val_loss=1.0)

    assert not guard.active


def test_a_batch_the_model_does_not_take_is_told_and_costs_nothing_else(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    training = sgd()
    with fl.guard(*training.parts, directory=tmp_path, every=5, fixed_batch=torch.randn(4, 3)) as guard:
        training.run()

    told = capsys.readouterr().err
    assert told.count("the model cannot be called with fixed_batch") == 1
    assert "a fault in" not in told
    assert set(guard.shield.broken) == {"fixed_batch"}
    assert guard.events is not None
    assert '"activation_stats"' in guard.events.read_text()


@pytest.mark.parametrize(
    ("name", "value"), [("val", "abc"), ("loss", {"val_loss": 1.0}), ("v", torch.ones(2))], ids=str
)
def test_what_is_no_number_is_told_once_and_left_out(
    name: str, value: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    training = sgd()
    with fl.guard(*training.parts, directory=tmp_path) as guard:
        for _ in range(3):
            guard.log(**{name: value}, kl_loss=0.5, val_loss=None)
            training.run(1)

    assert capsys.readouterr().err.count("no number; it is left out") == 1
    assert [row.components for row in guard.window] == [{"kl_loss": 0.5}] * 3


def test_clipping_takes_what_torch_takes(tmp_path: Path) -> None:
    model = nn.Linear(2, 1)
    with fl.guard(model, torch.optim.SGD(model.parameters(), lr=0.1), directory=tmp_path) as guard:
        model(torch.ones(3, 2)).sum().backward()
        norm = guard.clip_grad_norm_(model.parameters(), 1.0, 1.0)

    assert norm.item() == pytest.approx(9.0)


@pytest.mark.parametrize(
    ("on", "told"),
    [("0", "inside a compiled model"), ("0.weight", None), ("output", None), ("nowhere", "there is no nowhere")],
)
def test_a_compiled_model_has_the_names_the_user_knows(on: str, told: str | None, tmp_path: Path) -> None:
    inner = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))
    model = torch.compile(inner, backend="eager")
    optimizer = torch.optim.SGD(inner.parameters(), lr=0.01)
    rule = fl.Invariant(name="rule", on=on, check="finite")
    with fl.guard(model, optimizer, directory=tmp_path, every=3, capture=None, invariants=rule) as guard:
        for _ in range(6):
            optimizer.zero_grad()
            model(torch.randn(8, 4)).pow(2).mean().backward()
            optimizer.step()

    saw = [trip.finding.saw for trip in guard.trips]
    assert saw == [] if told is None else told in saw[0]


def test_a_model_without_its_optimizer_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model = nn.Linear(2, 1)
    with fl.guard(model, directory=tmp_path):
        for _ in range(2):
            model(torch.ones(3, 2)).sum().backward()

    assert capsys.readouterr().err.count("no optimizer: no step is watched") == 1


def test_an_optimizer_of_another_model_is_told_and_reported(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    training, other = sgd(), nn.Linear(2, 1)
    with fl.guard(other, training.parts[1], directory=tmp_path) as guard:
        training.run(2)

    assert "SGD holds none of the parameters of the models" in capsys.readouterr().err
    assert guard.run is not None
    assert "holds none of the parameters" in guard.run.report.read_text()
