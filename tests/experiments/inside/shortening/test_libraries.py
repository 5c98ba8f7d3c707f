"""Lightning and the Hugging Face Trainer end by their own means, and totals of theirs that schedules use stay."""

import sys
from pathlib import Path
from typing import Any

import pytest
import torch
from torch.optim.lr_scheduler import LRScheduler
from torch.utils.data import DataLoader, TensorDataset

from firstlight.experiments.inside.rehearsal import _stack
from firstlight.experiments.inside.shortening import libraries
from firstlight.experiments.inside.shortening.rounds import Book, Plan
from firstlight.experiments.inside.shortening.schedules import Schedules, follow
from firstlight.records.rehearsal import ScheduleAhead

PLAN = Plan(inner=3, outer=2, last="all")


@pytest.mark.parametrize(("given", "left"), [(1.0, 3), (0.5, 3), (0.0, 0), (0, 0), (2, 2), (50, 3), (None, 3), (-1, 3)])
def test_a_limit_is_lowered_and_never_raised(given: float | None, left: int) -> None:
    assert libraries._fewer(given, PLAN.inner) == left


NAMES = ("__init__", "fit", "max_epochs", "num_training_batches", "estimated_stepping_batches")


def limited(monkeypatch: pytest.MonkeyPatch, **options: Any) -> tuple[Any, Book]:
    lightning: Any = pytest.importorskip("lightning.pytorch")
    for name in NAMES:
        monkeypatch.setattr(lightning.Trainer, name, getattr(lightning.Trainer, name))
    book = Book(PLAN)
    libraries._shorten_lightning(lightning.Trainer, book)
    quiet = {"logger": False, "enable_checkpointing": False, "enable_progress_bar": False, "accelerator": "cpu"}
    return lightning.Trainer(enable_model_summary=False, **quiet, **options), book


def test_a_trainer_of_lightning_is_limited(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    made, _ = limited(monkeypatch, max_epochs=100, val_check_interval=50, default_root_dir=tmp_path)

    assert (made.limit_train_batches, made.limit_val_batches, made.fit_loop.max_epochs) == (3, 3, 2)
    assert made.val_check_interval == 3
    assert made.max_epochs == 100


@pytest.mark.parametrize(
    ("options", "steps", "epochs"),
    [
        ({"max_epochs": 20}, 200, 20),
        ({"max_epochs": 20, "limit_train_batches": 0.5}, 100, 20),
        ({"max_epochs": 20, "limit_train_batches": 4, "accumulate_grad_batches": 2}, 40, 20),
        ({"max_epochs": 20, "max_steps": 45}, 45, 5),
    ],
)
def test_schedules_of_lightning_are_sized_and_followed_by_the_whole_run(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, options: dict[str, Any], steps: int, epochs: int
) -> None:
    lightning: Any = pytest.importorskip("lightning.pytorch")
    monkeypatch.setattr(LRScheduler, "step", LRScheduler.step)
    monkeypatch.setattr(LRScheduler, "__init__", LRScheduler.__init__)
    asked: list[float] = []

    class Model(lightning.LightningModule):
        def __init__(self) -> None:
            super().__init__()
            self.line = torch.nn.Linear(1, 1)

        def training_step(self, batch: list[torch.Tensor]) -> torch.Tensor:
            loss: torch.Tensor = self.line(batch[0]).square().mean()
            return loss

        def configure_optimizers(self) -> Any:
            asked.append(self.trainer.estimated_stepping_batches)
            optimizer = torch.optim.SGD(self.parameters(), lr=0.1)
            return [optimizer], [torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, 200)]

        def optimizer_step(self, *arguments: Any, **named: Any) -> None:
            super().optimizer_step(*arguments, **named)
            book.stepped(_stack(sys._getframe()))

    made, book = limited(monkeypatch, default_root_dir=tmp_path, **options)
    schedules = Schedules(book)
    follow(schedules, lambda told: told)
    made.fit(Model(), DataLoader(TensorDataset(torch.randn(40, 1)), batch_size=4))
    (ahead,) = [one for one in schedules.played_out() if isinstance(one, ScheduleAhead)]

    assert asked == [steps]
    assert (ahead.ticks, made.global_step <= 6) == (epochs, True)


def test_a_trainer_of_hugging_face_ends_epochs_and_training(monkeypatch: pytest.MonkeyPatch) -> None:
    transformers: Any = pytest.importorskip("transformers")
    module: Any = pytest.importorskip("transformers.trainer")
    monkeypatch.setattr(module.Trainer, "__init__", lambda self: None)
    added: list[Any] = []
    monkeypatch.setattr(module.Trainer, "add_callback", lambda _self, callback: added.append(callback))
    book = Book(PLAN)
    libraries._shorten_transformers(module, book)
    module.Trainer()
    (callback,) = added
    arguments = transformers.TrainingArguments(output_dir="out", eval_strategy="steps", report_to=[])
    control = transformers.TrainerControl()
    callback.on_epoch_begin(arguments, None, control)
    for _ in range(PLAN.inner - 1):
        callback.on_step_end(arguments, None, control)
    assert not control.should_epoch_stop
    callback.on_step_end(arguments, None, control)
    assert (control.should_epoch_stop, control.should_evaluate) == (True, True)
    callback.on_epoch_end(arguments, None, control)
    assert not control.should_training_stop
    callback.on_epoch_end(arguments, None, control)
    assert (control.should_training_stop, book.epochs) == (True, 2)
