"""Lightning and the Hugging Face Trainer end by their own means, and totals of theirs that schedules use stay."""

from pathlib import Path
from typing import Any

import pytest

from firstlight.experiments.inside.shortening import libraries
from firstlight.experiments.inside.shortening.rounds import Book, Plan

PLAN = Plan(inner=3, outer=2, last="all")


@pytest.mark.parametrize(("given", "left"), [(1.0, 3), (0.5, 3), (0.0, 0), (0, 0), (2, 2), (50, 3), (None, 3), (-1, 3)])
def test_a_limit_is_lowered_and_never_raised(given: float | None, left: int) -> None:
    assert libraries._fewer(given, PLAN.inner) == left


def test_a_trainer_of_lightning_is_limited(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    lightning: Any = pytest.importorskip("lightning.pytorch")
    for name in ("__init__", "fit"):
        monkeypatch.setattr(lightning.Trainer, name, getattr(lightning.Trainer, name))
    libraries._shorten_lightning(lightning.Trainer, Book(PLAN))
    quiet = {"logger": False, "enable_checkpointing": False, "enable_progress_bar": False, "accelerator": "cpu"}
    made = lightning.Trainer(max_epochs=100, val_check_interval=50, default_root_dir=tmp_path, **quiet)

    assert (made.limit_train_batches, made.limit_val_batches, made.max_epochs) == (3, 3, 2)
    assert made.val_check_interval == 3


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
