"""What the guard sees, says and does."""

import json
import math
from pathlib import Path
from typing import Any

import pytest
import torch
from tests.guard.loops import accumulating, adam_fused, plain, scaled, sgd
from torch import nn

import firstlight as fl
from firstlight.errors import RedFlagError, UsageError
from firstlight.guard.attach import Guard
from firstlight.records.telemetry import Trip


def lines(guard: Guard, phase: str) -> list[dict[str, Any]]:
    assert guard.events is not None
    found = [json.loads(line) for line in guard.events.read_text().splitlines()]
    return [event for event in found if event["phase"] == phase]


def poisoned(guard: Guard, at: int = 4, steps: int = 12) -> None:
    """Puts a NaN into the first layer's gradient, once."""
    model, optimizer = guard.models["model"], guard.optimizers[0]
    for step in range(steps):
        optimizer.zero_grad()
        nn.functional.cross_entropy(model(torch.randn(16, 8)), torch.randint(3, (16,))).backward()
        if step == at:
            next(model.parameters()).grad[0, 0] = math.nan  # type: ignore[index]
        optimizer.step()


def test_one_nan_is_one_flag_that_names_step_and_parameter(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with fl.guard(*sgd().parts, directory=tmp_path, cost=None) as guard:
        poisoned(guard)

    (trip,) = guard.trips
    assert (trip.finding.id, trip.step, trip.parameter, trip.module) == ("FL670", 4, "0.weight", "0.weight")
    assert [flag["type"] for flag in lines(guard, "red_flag")] == ["turns-nonfinite"]
    assert capsys.readouterr().err.count("error[FL670]") == 1


def test_stop_refuses_the_step_before_its_weights_move(tmp_path: Path) -> None:
    guard = fl.guard(*sgd().parts, directory=tmp_path, cost=None, on_red="stop")
    with pytest.raises(RedFlagError, match="FL670 turns-nonfinite"):
        poisoned(guard)
    guard.close()

    assert guard.step == 4
    assert all(bool(weight.isfinite().all()) for weight in guard.models["model"].parameters())
    assert lines(guard, "run_end")[0]["status"] == "stopped"


def test_a_function_is_called_with_the_trip(tmp_path: Path) -> None:
    seen: list[tuple[Trip, Guard]] = []
    with fl.guard(
        *sgd().parts, directory=tmp_path, cost=None, on_red=lambda trip, guard: seen.append((trip, guard))
    ) as guard:
        poisoned(guard)

    assert [(trip.step, who) for trip, who in seen] == [(4, guard)]


def test_a_check_is_silenced_by_name(tmp_path: Path) -> None:
    with fl.guard(*sgd().parts, directory=tmp_path, cost=None, ignore=("turns-nonfinite",)) as guard:
        poisoned(guard)

    assert guard.trips == []


def test_a_bad_step_is_left_out_by_a_fused_optimizer(tmp_path: Path) -> None:
    training = adam_fused()
    with fl.guard(*training.parts, directory=tmp_path, cost=None, on_nonfinite="skip") as guard:
        poisoned(guard, at=4, steps=5)
        assert all(torch.isfinite(parameter).all() for parameter in training.model.parameters())
        training.run(3)

    assert [trip.step for trip in guard.trips] == [4]
    assert not hasattr(guard.optimizers[0], "found_inf")


def test_skipping_needs_a_fused_optimizer(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="fused=True"):
        fl.guard(*sgd().parts, directory=tmp_path, cost=None, on_nonfinite="skip")


def test_what_cannot_be_guarded_is_told(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="guard was given int"):
        fl.guard(3, directory=tmp_path, cost=None)


def test_rows_hold_what_happened(tmp_path: Path) -> None:
    training = plain(lambda parameters: torch.optim.SGD(parameters, lr=0.25))
    with fl.guard(*training.parts, directory=tmp_path, cost=None) as guard:
        training.run(3)
        gradients = [p.grad for p in training.model.parameters() if p.grad is not None]

    row = guard.window[-1]
    assert (row.step, row.lr) == (2, 0.25)
    assert row.grad_norm == pytest.approx(float(torch.stack([g.norm() for g in gradients]).norm()), rel=1e-5)
    assert row.loss is not None
    assert row.update is not None
    assert row.update > 0


def test_accumulation_and_clipping_are_understood(tmp_path: Path) -> None:
    training = accumulating()
    with fl.guard(*training.parts, directory=tmp_path, cost=None) as guard:
        training.run(5)

    row = guard.window[-1]
    assert guard.step == 5
    assert row.clip_at == 1.0
    assert row.clip_norm is not None
    assert row.clip_coef == pytest.approx(min(1.0, 1.0 / row.clip_norm))
    assert row.loss == pytest.approx(1.1 / 4, abs=0.3)


def test_steps_a_scaler_leaves_out_are_counted_and_no_illness(tmp_path: Path) -> None:
    training = scaled()
    with fl.guard(*training.parts, directory=tmp_path, cost=None) as guard:
        training.run(20)

    assert guard.watches[0].skipped > 0
    assert guard.trips == []
    last = [row for row in guard.window if not row.skipped][-1]
    assert last.amp_scale
    assert last.loss == pytest.approx(110, abs=50)


def test_told_numbers_take_the_place_of_seen_ones(tmp_path: Path) -> None:
    training = sgd()
    with fl.guard(*training.parts, directory=tmp_path, cost=None) as guard:
        guard.log(loss=7.0, kl=0.5)
        training.run(1)

    assert guard.window[-1].loss == 7.0
    assert lines(guard, "step")[0]["components"] == {"kl": 0.5}


def test_validation_that_parts_is_told(tmp_path: Path) -> None:
    training = sgd()
    with fl.guard(*training.parts, directory=tmp_path, cost=None) as guard:
        for epoch, value in enumerate((0.64, 0.62, 0.6, 0.7, 0.8, 0.9, 1.0)):
            for _ in range(8):
                guard.log(loss=1.0 / (epoch + 1))
                training.run(1)
            guard.log(val_loss=value)
            training.run(8)

    assert "validation-parts" in [trip.finding.name for trip in guard.trips]


def test_numbers_told_after_the_last_step_are_kept_and_judged(tmp_path: Path) -> None:
    training = sgd()
    with fl.guard(*training.parts, directory=tmp_path) as guard:
        training.run(3)
        guard.log(val_loss=math.nan, val_accuracy=0.5)

    last = lines(guard, "step")[-1]
    assert (last["step"], last["components"]["val_accuracy"]) == (2, 0.5)
    assert lines(guard, "run_end")[0]["steps"] == 3
    assert [trip.finding.name for trip in guard.trips] == ["turns-nonfinite"]


def test_a_bad_evaluation_is_told_once_and_training_is_judged_on(tmp_path: Path) -> None:
    training = sgd()
    with fl.guard(*training.parts, directory=tmp_path, capture=None) as guard:
        for _ in range(3):
            guard.log(val_loss=math.nan)
            training.run(2)
        poisoned(guard, at=2, steps=4)

    found = [(trip.finding.name, trip.finding.cause) for trip in guard.trips]
    assert found == [("turns-nonfinite", "data-nonfinite"), ("turns-nonfinite", "num-nonfinite")]
    assert "`val_loss` that is not finite" in guard.trips[0].finding.saw


def test_two_models_and_optimizers_have_their_own_names(tmp_path: Path) -> None:
    one, two = nn.Linear(2, 2), nn.Linear(2, 2)
    optimizers = [torch.optim.SGD(each.parameters(), lr=0.1) for each in (one, two)]
    with fl.guard([one, two], optimizers, directory=tmp_path, cost=None) as guard:
        for optimizer, model in zip(optimizers, (one, two), strict=True):
            optimizer.zero_grad()
            model(torch.ones(1, 2)).sum().backward()
            optimizer.step()

    assert [watch.subjects.names[0] for watch in guard.watches] == ["model.weight", "model1.weight"]
    assert [row.optimizer for row in guard.window] == [0, 1]


def test_activations_and_predictions_are_written_down(tmp_path: Path) -> None:
    training = sgd()
    fixed = (torch.randn(6, 8), torch.tensor([0, 1, 2, 0, 1, 2]))
    with fl.guard(*training.parts, directory=tmp_path, cost=None, every=5, fixed_batch=fixed) as guard:
        training.run(12)

    modules = lines(guard, "activation_stats")[0]["modules"]
    assert [module["kind"] for module in modules] == ["Linear", "ReLU", "Dropout", "BatchNorm1d", "Linear"]
    table = lines(guard, "prediction_table")[0]
    assert [row[1] for row in table["rows"]] == [0, 1, 2, 0, 1, 2]
    assert 0 < table["confidence_min"] <= table["confidence_mean"] <= table["confidence_max"] <= 1


def test_a_rival_that_leaves_gradients_behind_piles_nothing_up(tmp_path: Path) -> None:
    maker, critic = nn.Linear(2, 2), nn.Linear(2, 1)
    makes, judges = (torch.optim.SGD(each.parameters(), lr=0.01) for each in (maker, critic))
    with fl.guard([maker, critic], [makes, judges], directory=tmp_path, capture=None) as guard:
        for _ in range(40):
            makes.zero_grad()
            critic(maker(torch.randn(4, 2))).mean().backward()
            makes.step()
            judges.zero_grad()
            (critic(torch.randn(4, 2)) - critic(maker(torch.randn(4, 2)).detach())).mean().backward()
            judges.step()

    assert not any(row.piled for row in guard.window)
    assert guard.trips == []


def test_gradients_nobody_clears_pile_up_from_the_second_step_on(tmp_path: Path) -> None:
    model = nn.Linear(2, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
    with fl.guard(model, optimizer, directory=tmp_path, capture=None) as guard:
        for _ in range(3):
            for _ in range(2):
                model(torch.randn(4, 2)).square().mean().backward()
            optimizer.step()

    assert [row.piled for row in guard.window] == [False, True, True]


def test_gradients_that_blow_up_are_told_with_the_parameter_they_are_in(tmp_path: Path) -> None:
    head = nn.Linear(16, 3)
    model = nn.Sequential(nn.Linear(8, 16), head)
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-6)
    with fl.guard(model, optimizer, directory=tmp_path) as guard:
        for step in range(80):
            optimizer.zero_grad()
            model(torch.randn(16, 8)).square().mean().backward()
            if step > 60 and head.weight.grad is not None:
                head.weight.grad *= 1e5
            optimizer.step()

    (trip,) = guard.trips
    assert (trip.finding.name, trip.module) == ("gradients-blow-up", "1.weight")
