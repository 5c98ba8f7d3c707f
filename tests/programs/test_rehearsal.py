"""Whole programs, rehearsed: healthy ones reach their last line, and late crashes are told at theirs."""

from collections.abc import Callable
from typing import Any

import pytest

Rehearse = Callable[..., Any]

PROGRAM = """import json, os, sys, time
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
x = torch.randn(330, 8)
y = (x.sum(1) > 0).long()
train = DataLoader(TensorDataset(x, y), batch_size=32, shuffle=True)
val = DataLoader(TensorDataset(x[:70], y[:70]), batch_size=32)
model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 2))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=3000 * len(train))


def evaluate():
    model.eval()
    good = 0
    with torch.no_grad():
        for a, b in val:
            good += (model(a).argmax(1) == b).sum().item()
            #IN_EVALUATION
    model.train()
    return good / len(val.dataset)


def main():
    history = {"loss": [], "accuracy": []}
    for epoch in range(3000):
        for i, (a, b) in enumerate(train):
            loss = nn.functional.cross_entropy(model(a), b)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            schedule.step()
            #IN_STEP
        history["loss"].append(loss.item())
        if (epoch + 1) % 500 == 0:
            history["accuracy"].append(evaluate())
            torch.save({"model": model.state_dict(), "epoch": epoch}, "last.pt")
            #AFTER_SAVING
    state = torch.load("last.pt")
    model.load_state_dict(state["model"])
    #AFTER_LOADING
    head = torch.optim.SGD(model[2].parameters(), lr=1e-3)
    step = 0
    while True:
        loss = nn.functional.cross_entropy(model(x), y)
        head.zero_grad()
        loss.backward()
        head.step()
        step += 1
        #IN_SECOND_STAGE
        if step == 100_000:
            break
    with open("history.json", "w") as file:
        json.dump(history, file)
    #AT_END
    print(f"accuracy: {evaluate():.3f}")


try:
    main()
finally:
    print("over")
    #IN_FINALLY
"""


def planted(place: str, code: str) -> tuple[str, int]:
    """The program with one line planted, and the number of that line."""
    source = PROGRAM.replace(f"#{place}", code)
    return source, source[: source.index(code)].count("\n") + 1


def test_a_healthy_program_reaches_its_last_line_and_leaves_nothing(rehearse: Rehearse) -> None:
    done = rehearse(PROGRAM)

    assert (done.code, done.report["verdict"], done.named()) == (0, "clean", [])
    seen = done.report["assurance"]["rehearsal"]
    assert seen["reached_end"]
    assert seen["epochs"] >= 2
    assert seen["evaluations"] >= 2
    assert seen["checkpoints"] >= 1
    assert len(seen["curves"]["accuracy"]) == 1
    assert sorted(path.name for path in done.folder.iterdir()) == [".firstlight", "train.py"]
    assert set(done.report["coverage"]["held_back"]) == {"history.json", "last.pt"}


LATE = [
    ("IN_EVALUATION", "model.predict(a)", "AttributeError"),
    ("IN_STEP", "a.view(32, 8)", "RuntimeError"),
    ("AFTER_SAVING", "plot(history)", "NameError"),
    ("AFTER_LOADING", "model.load_state_dict(state)", "RuntimeError"),
    ("IN_SECOND_STAGE", "head.step(loss, loss)", "TypeError"),
    ("AT_END", "json.dumps({'accuracy': torch.ones(1)})", "TypeError"),
    ("IN_FINALLY", "import a_module_that_is_nowhere", "ModuleNotFoundError"),
]


@pytest.mark.parametrize(("place", "code", "error"), LATE)
def test_a_late_crash_is_told_at_its_line(rehearse: Rehearse, place: str, code: str, error: str) -> None:
    source, line = planted(place, code)
    done = rehearse(source)

    assert (done.code, done.report["verdict"]) == (1, "ill")
    finding = done.finding("later-part-crashes")
    assert finding["where"]["line"] == line
    assert finding["saw"].startswith(error)


@pytest.mark.parametrize(
    ("place", "code"),
    [
        ("AT_END", "assert len(history['loss']) == 3000"),
        ("AT_END", "torch.tensor(history['loss']).view(3000)"),
    ],
)
def test_what_shortening_causes_is_no_error(rehearse: Rehearse, place: str, code: str) -> None:
    source, _ = planted(place, code)
    done = rehearse(source, seconds=3.0)

    assert (done.code, done.report["verdict"], done.named()) == (2, "unjudged", [])
    assert "possibly because it was shortened" in done.report["reason"]


def test_it_ends_in_time_and_says_where(rehearse: Rehearse) -> None:
    source, line = planted("AT_END", "time.sleep(600)")
    done = rehearse(source, seconds=4.0)

    assert (done.code, done.report["verdict"]) == (2, "unjudged")
    assert done.report["assurance"]["rehearsal"]["stopped_at"] == f"train.py:{line}"


def test_loops_of_imported_modules_are_shortened_too(rehearse: Rehearse) -> None:
    setup, _, rest = PROGRAM.partition("def evaluate")
    done = rehearse("import work\nwork.main()\n", work=f"{setup}def evaluate{rest.partition('try:')[0]}")

    assert done.code == 0
    assert done.report["assurance"]["rehearsal"]["evaluations"] >= 2


NORMALISED = """import torch
from torch import nn

torch.manual_seed(0)
x = 5 + torch.randn(200, 4)
y = x.sum(1, keepdim=True)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        #HOLD
        self.body = nn.Linear(4, 1)

    def forward(self, inputs):
        return self.body(inputs - self.mean)


model = Net()
model.mean.copy_(x.mean(0))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
for epoch in range(400):
    for rows in torch.randperm(200).split(20):
        loss = nn.functional.mse_loss(model(x[rows]), y[rows])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
torch.save({"model": model.state_dict()}, "model.pt")
again = Net()
again.load_state_dict(torch.load("model.pt")["model"])
"""


@pytest.mark.parametrize(
    ("hold", "named"),
    [
        ("self.mean = torch.zeros(4)", ["checkpoint-loses-state"]),
        ("self.register_buffer('mean', torch.zeros(4))", []),
    ],
)
def test_a_model_that_is_loaded_again_is_asked_again(rehearse: Rehearse, hold: str, named: list[str]) -> None:
    assert rehearse(NORMALISED.replace("#HOLD", hold)).named() == named


TRACKED = """import torch, wandb
from torch.utils.tensorboard import SummaryWriter

weight = torch.nn.Parameter(torch.ones(1))
optimizer = torch.optim.SGD([weight], lr=0.1)
writer = SummaryWriter("logs")
run = wandb.init(project="p")
for epoch in range(4):
    loss = weight.square().sum()
    loss.backward()
    optimizer.step()
    writer.add_scalar("loss/train", loss, epoch)
    wandb.log({"val_acc": 0.25 * min(epoch, 3), "picture": [1, 2]})
    run.log({"rate": 0.1})
    print(f"epoch {epoch} loss: {loss.item():.3f}")
"""


def test_numbers_that_the_program_tells_have_their_names(rehearse: Rehearse) -> None:
    pytest.importorskip("wandb")
    pytest.importorskip("tensorboard")
    curves = rehearse(TRACKED).report["assurance"]["rehearsal"]["curves"]

    assert curves["val_acc"] == [0.0, 0.25, 0.5, 0.75]
    assert curves["rate"] == [0.1] * 4
    assert curves["loss/train"] == pytest.approx([1.0, 0.64, 0.1936, 0.004], abs=1e-2)
    assert len(curves["loss"]) == 4


def test_training_that_goes_on_in_eval_mode_after_an_evaluation_is_seen(rehearse: Rehearse) -> None:
    done = rehearse(PROGRAM.replace("nn.ReLU()", "nn.Dropout(0.5)").replace("    model.train()\n", ""))

    assert "eval-mode-in-training" in done.named()
