"""What is written, read and loaded back, as the tap sees it."""

import copy
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from torch import nn

from firstlight.observe.inside.taps.checkpoints import RESUMED_STEPS, Checkpoints
from firstlight.records.restored import Restored, Resumption


@pytest.fixture
def told() -> list[Any]:
    return []


@pytest.fixture
def seen(told: list[Any]) -> Checkpoints:
    moments = SimpleNamespace(state_loaded=[])
    observer: Any = SimpleNamespace(
        step=10, emit=told.append, chooses=lambda _: False, tell=lambda *_: None, moments=moments
    )
    return Checkpoints(observer)


def load(seen: Checkpoints, model: nn.Module, state: Any) -> None:
    seen.about_to_load(model, state)
    model.load_state_dict(state, strict=False)
    seen.model_loaded(model, state)


def restored(told: list[Any]) -> Restored:
    (found,) = (record for record in told if isinstance(record, Restored))
    return found


def test_the_models_own_memory_is_known(seen: Checkpoints, told: list[Any]) -> None:
    model = nn.Linear(3, 2)
    kept = model.state_dict()
    seen.taken(model, kept)
    seen.observer.step = 25
    load(seen, model, kept)

    assert (restored(told).own, restored(told).matched, restored(told).steps) == (2, 2, 15)


def test_a_line_that_took_a_state_before_keeps_this_one_no_better(seen: Checkpoints, told: list[Any]) -> None:
    """Where the last evaluation is the best no step lies between, and it would have been the same earlier."""
    model = nn.Linear(3, 2)
    for step in (10, 25):
        seen.observer.step = step
        kept = model.state_dict()
        seen.taken(model, kept)
    load(seen, model, kept)

    assert (restored(told).own, restored(told).steps) == (2, 15)


@pytest.mark.parametrize(("taken", "own"), [(10, 2), (25, None), (0, None)])
def test_what_is_saved_steps_after_it_was_taken_is_what_the_model_became(
    seen: Checkpoints, told: list[Any], taken: int, own: int | None
) -> None:
    """A state that is saved at once is as it was, and one from before the first step is a plain reference."""
    model = nn.Linear(3, 2)
    kept = model.state_dict()
    seen.observer.step = taken
    seen.taken(model, kept)
    seen.observer.step = 25
    seen.written("best.pt", {"epoch": 3, "best": kept})

    assert [(record.how, record.own, record.steps) for record in told] == (
        [] if own is None else [(Restored.SAVED, own, 15)]
    )


@pytest.mark.parametrize(("chooses", "steps"), [(True, [15]), (False, [])])
def test_the_best_so_far_may_have_been_taken_just_now(
    seen: Checkpoints, told: list[Any], chooses: bool, steps: list[int]
) -> None:
    """In place of an earlier one, which would have become the same. Elsewhere it is saved as it is taken."""
    model = nn.Linear(3, 2)
    seen.observer.chooses = lambda _: chooses
    for step in (10, 25):
        seen.observer.step = step
        kept = model.state_dict()
        seen.taken(model, kept)
    seen.written("best.pt", kept)

    assert [record.steps for record in told] == steps


def test_a_copy_is_not(seen: Checkpoints, told: list[Any]) -> None:
    model = nn.Linear(3, 2)
    load(seen, model, copy.deepcopy(model.state_dict()))

    assert restored(told).own == 0


def test_names_that_do_not_fit_are_counted(seen: Checkpoints, told: list[Any]) -> None:
    state = {f"module.{name}": tensor for name, tensor in nn.Linear(3, 2).state_dict().items()}
    load(seen, nn.Linear(3, 2), state)
    found = restored(told)

    assert (found.held, found.matched, found.unexpected) == (2, 0, 2)
    assert (found.first_missing, found.first_unexpected) == ("bias", "module.bias")


def resumed(seen: Checkpoints, told: list[Any], folder: Path, rate: float, both: bool) -> Resumption:
    model = nn.Linear(3, 2)
    first, second = (torch.optim.Adam(model.parameters(), lr=lr) for lr in (0.1, rate))
    model(torch.randn(4, 3)).sum().backward()
    first.step()
    path = str(folder / "state.pt")
    torch.save({"model": model.state_dict(), "nested": {"optimizer": first.state_dict()}}, path)
    seen.written(path, None)
    seen.read(path, torch.load(path))
    load(seen, model, copy.deepcopy(model.state_dict()))
    if both:
        seen.optimizer_loaded()
    for _ in range(RESUMED_STEPS):
        seen.step_ended(second)
    (found,) = (record for record in told if isinstance(record, Resumption))
    return found


@pytest.mark.parametrize("both", [True, False])
def test_a_resumption_is_told_after_some_steps(seen: Checkpoints, told: list[Any], tmp_path: Path, both: bool) -> None:
    found = resumed(seen, told, tmp_path, 0.1, both)

    assert (found.holds_optimizer, found.model_loaded, found.optimizer_loaded) == (True, True, both)


@pytest.mark.parametrize("built", [True, False])
@pytest.mark.parametrize("given", [True, False])
def test_a_schedule_built_since_needs_its_state(
    seen: Checkpoints, told: list[Any], tmp_path: Path, built: bool, given: bool
) -> None:
    """One that goes on from before needs none."""
    optimizer = torch.optim.Adam(nn.Linear(3, 2).parameters())
    schedule = torch.optim.lr_scheduler.StepLR(optimizer, 10)
    path = str(tmp_path / "state.pt")
    seen.built("schedule")
    seen.written(path, None)
    if built:
        seen.built("schedule")
    seen.read(path, {"states": {"schedule": schedule.state_dict()}})
    if given:
        seen.given_state("schedule")
    for _ in range(RESUMED_STEPS):
        seen.step_ended(optimizer)

    assert [record.begun_anew for record in told] == [("schedule",) if built and not given else ()]


def test_another_rate_is_another_stage(seen: Checkpoints, told: list[Any], tmp_path: Path) -> None:
    assert resumed(seen, told, tmp_path, 0.01, both=False).holds_optimizer is False


def test_a_strangers_checkpoint_is_a_beginning(seen: Checkpoints, told: list[Any]) -> None:
    optimizer = torch.optim.Adam(nn.Linear(3, 2).parameters())
    seen.read("elsewhere.pt", {"optimizer": optimizer.state_dict()})
    for _ in range(2 * RESUMED_STEPS):
        seen.step_ended(optimizer)

    assert told == []


@pytest.mark.parametrize("saved", [lambda model: model, lambda model: {"model": model, "epoch": 3}])
def test_a_model_that_was_saved_whole_is_looked_at_when_it_is_called(
    seen: Checkpoints, told: list[Any], saved: Any
) -> None:
    model = nn.Linear(6, 40)
    seen.models_read(saved(model))
    model.reset_parameters()
    call: Any = SimpleNamespace(module=model)
    seen.reuse.returned(call)

    assert [(found.module, found.tensors, found.changed) for found in told] == [("Linear", 2, 2)]
