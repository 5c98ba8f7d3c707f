"""The guard in Lightning, the Hugging Face Trainer, Accelerate and a plain loop, each with the real library."""

import json
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

import firstlight as fl
from firstlight.errors import UsageError
from firstlight.guard.attach import Guard
from firstlight.store import artifacts

BAD_STEP = 5
STEPS = 12
BATCH = 4


class Rows(Dataset[dict[str, torch.Tensor]]):
    """One row of the batch of step 5 holds a zero, which the model takes the logarithm of."""

    def __init__(self, bad: bool) -> None:
        torch.manual_seed(0)
        self.x = torch.rand(STEPS * BATCH, 3) + 0.5
        self.y = self.x.sum(1, keepdim=True)
        if bad:
            self.x[BAD_STEP * BATCH + 1] = 0.0

    def __len__(self) -> int:
        return len(self.x)

    def __getitem__(self, index: int) -> dict[str, torch.Tensor]:
        return {"x": self.x[index], "labels": self.y[index]}


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        torch.manual_seed(1)
        self.body = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 1))

    def forward(self, x: torch.Tensor, labels: torch.Tensor) -> dict[str, torch.Tensor]:
        out = self.body(x.log())
        return {"loss": nn.functional.mse_loss(out, labels), "logits": out}


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def check_trip(guard: Guard | None, steps: int) -> None:
    """One red flag at the bad step, with an artifact whose batch is the bad one."""
    assert guard is not None
    assert guard.closed
    assert [(trip.finding.name, trip.step) for trip in guard.trips] == [("turns-nonfinite", BAD_STEP)]
    assert guard.step == steps
    assert guard.run is not None
    (folder,) = guard.run.artifacts.iterdir()
    found = artifacts.read(folder)
    part = found.part("batch", "before")
    assert part is not None
    assert any(min(memoryview(t.data).cast("f").tolist()) == 0.0 for t in found.tensors(part).values())
    assert found.manifest.before_step == BAD_STEP


def line_of(guard: Guard | None, phase: str) -> list[dict[str, Any]]:
    assert guard is not None
    assert guard.events is not None
    found = [json.loads(line) for line in guard.events.read_text().splitlines()]
    return [event for event in found if event["phase"] == phase]


def told_names(guard: Guard | None) -> set[str]:
    return {name for line in line_of(guard, "step") for name in line["components"]}


def lightning_fit(callback: Any, bad: bool, also: Any = ()) -> Any:
    import lightning as L

    class Module(L.LightningModule):
        def __init__(self) -> None:
            super().__init__()
            self.net = Net()

        def training_step(self, batch: dict[str, torch.Tensor], _index: int) -> torch.Tensor:
            loss = self.net(**batch)["loss"]
            self.log("fit_score", loss)
            return loss  # type: ignore[no-any-return]

        def validation_step(self, batch: dict[str, torch.Tensor], _index: int) -> None:
            self.log("val_loss", self.net(**batch)["loss"])

        def configure_optimizers(self) -> torch.optim.Optimizer:
            return torch.optim.Adam(self.parameters(), lr=0.01)

    module = Module()
    trainer = L.Trainer(
        max_epochs=1,
        accelerator="cpu",
        logger=False,
        enable_checkpointing=False,
        enable_progress_bar=False,
        enable_model_summary=False,
        callbacks=[callback, *also],
    )
    trainer.fit(module, DataLoader(Rows(bad), batch_size=BATCH), DataLoader(Rows(bad=False), batch_size=BATCH))
    return module


@pytest.mark.filterwarnings("ignore")
def test_lightning_stops_by_its_own_switch() -> None:
    callback = fl.integrations.lightning.Guard(on_red="stop")
    lightning_fit(callback, bad=True)
    check_trip(callback.guard, steps=BAD_STEP + 1)
    assert line_of(callback.guard, "run_end")[0]["status"] == "stopped"


@pytest.mark.filterwarnings("ignore")
def test_lightning_is_left_alone_when_it_is_well() -> None:
    callback = fl.integrations.lightning.Guard(on_red="stop")
    module = lightning_fit(callback, bad=False)
    assert callback.guard is not None
    assert (callback.guard.step, callback.guard.trips) == (STEPS, [])
    assert told_names(callback.guard) == {"val_loss"}
    assert line_of(callback.guard, "run_end")[0]["status"] == "ok"
    assert all(torch.isfinite(p).all() for p in module.parameters())


@pytest.mark.parametrize("wrong", [{"on_red": "halt"}, {"on_rd": "stop"}], ids=str)
def test_a_wrong_option_is_told_where_it_is_written(wrong: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match="on_red"):
        fl.integrations.lightning.Guard(**wrong)
    with pytest.raises(UsageError, match="on_red"):
        hugging_face(**wrong)


def hugging_face(**options: Any) -> Any:
    return fl.integrations.transformers.GuardCallback(**options)


def train(callback: Any, folder: Path, bad: bool, model: nn.Module | None = None) -> None:
    from transformers import Trainer, TrainingArguments

    arguments = TrainingArguments(
        output_dir=str(folder / "out"),
        per_device_train_batch_size=BATCH,
        num_train_epochs=1,
        save_strategy="no",
        eval_strategy="epoch",
        report_to=[],
        disable_tqdm=True,
        use_cpu=True,
        train_sampling_strategy="sequential",
        max_grad_norm=0,
    )
    Trainer(
        model=model or Net(),
        args=arguments,
        train_dataset=Rows(bad),
        eval_dataset=Rows(bad=False),
        callbacks=[callback],
    ).train()


@pytest.mark.filterwarnings("ignore")
def test_the_hugging_face_trainer_stops_by_its_own_switch_and_trains_again(tmp_path: Path) -> None:
    callback = hugging_face(on_red="stop")
    train(callback, tmp_path, bad=True)
    check_trip(callback.guard, steps=BAD_STEP + 1)
    assert line_of(callback.guard, "run_end")[0]["status"] == "stopped"

    train(callback, tmp_path, bad=False)
    assert (callback.guard.step, callback.guard.trips) == (STEPS, [])
    assert told_names(callback.guard) == {"eval_loss"}
    assert line_of(callback.guard, "run_end")[0]["status"] == "ok"


class Crashing(Net):
    def forward(self, x: torch.Tensor, labels: torch.Tensor) -> dict[str, torch.Tensor]:
        self.calls = getattr(self, "calls", 0) + 1
        if self.calls > BAD_STEP:
            raise ValueError("theirs")
        return super().forward(x, labels)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("within", [True, False], ids=["with", "the next training"])
def test_a_hugging_face_training_that_crashed_is_no_clean_one(within: bool, tmp_path: Path) -> None:
    callback = hugging_face()
    with pytest.raises(ValueError, match="theirs"), callback if within else nullcontext():
        train(callback, tmp_path, bad=False, model=Crashing())
    crashed = callback.guard
    if not within:
        train(callback, tmp_path, bad=False)

    assert crashed.closed
    status, ended = ("crashed", "ended by ValueError") if within else ("interrupted", "did not come to its end")
    assert line_of(crashed, "run_end")[0]["status"] == status
    assert ended in crashed.run.report.read_text()


@pytest.mark.filterwarnings("ignore")
def test_a_fit_that_crashed_is_no_clean_one() -> None:
    from lightning.pytorch import Callback, Trainer

    class Late(Callback):
        def on_train_batch_end(self, trainer: Trainer, *_: Any) -> None:
            if trainer.global_step == BAD_STEP:
                raise ValueError("theirs")

    callback = fl.integrations.lightning.Guard()
    with pytest.raises(ValueError, match="theirs"):
        lightning_fit(callback, bad=False, also=[Late()])

    assert callback.guard is not None
    assert callback.guard.closed
    assert line_of(callback.guard, "run_end")[0]["status"] == "crashed"


@pytest.mark.filterwarnings("ignore")
def test_accelerate() -> None:
    from accelerate import Accelerator

    accelerator = Accelerator(cpu=True)
    model = Net()
    model, optimizer, loader = accelerator.prepare(
        model, torch.optim.Adam(model.parameters(), lr=0.01), DataLoader(Rows(bad=True), batch_size=BATCH)
    )
    with fl.integrations.accelerate.guard(accelerator, model, optimizer, loader) as guard:
        for batch in loader:
            accelerator.backward(model(**batch)["loss"])
            optimizer.step()
            optimizer.zero_grad()
    check_trip(guard, steps=STEPS)


def test_a_plain_loop() -> None:
    model = Net()
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    seen = []
    with fl.guard(model, optimizer, on_red=lambda trip, _: seen.append(trip.step)) as guard:
        for batch in DataLoader(Rows(bad=True), batch_size=BATCH):
            optimizer.zero_grad()
            model(**batch)["loss"].backward()
            optimizer.step()
    check_trip(guard, steps=STEPS)
    assert seen == [BAD_STEP]
