"""Six everyday bugs and two healthy programs, as small plain scripts; inputs permuted against labels waits for experiments."""

from collections.abc import Callable
from typing import Any

import pytest

HEAD = """import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
centres = torch.randn(4, 16) * 2
y = torch.randint(4, (896,))
x = centres[y] + torch.randn(896, 16)
loader = DataLoader(TensorDataset(x, y), batch_size=64, shuffle=True)
"""
LOOP = """
for epoch in range(12):
    for xb, yb in loader:
        optimizer.zero_grad()
        loss = criterion(model(xb), yb)
        loss.backward()
        optimizer.step()
    print(epoch, loss.item())
"""
MLP = "model = nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 4))\n"

NO_ZERO_GRAD = (
    HEAD
    + MLP
    + """optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
criterion = nn.CrossEntropyLoss()
"""
    + LOOP.replace("        optimizer.zero_grad()\n", "")
)
SOFTMAX = (
    HEAD
    + """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(16, 32), nn.Linear(32, 4)

    def forward(self, x):
        return torch.softmax(self.b(torch.relu(self.a(x))), dim=1)

model = Net()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
criterion = nn.CrossEntropyLoss()
"""
    + LOOP
)
BROADCAST = (
    HEAD.replace("y = torch.randint(4, (896,))", "y = torch.randint(4, (896,))").replace(
        "TensorDataset(x, y)", "TensorDataset(x, x[:, 0] * 3 + x[:, 1])"
    )
    + """model = nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
criterion = nn.MSELoss()
"""
    + LOOP
)
HIDDEN = (
    HEAD
    + """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.hidden = [nn.Linear(16, 32), nn.Linear(32, 32)]
        self.head = nn.Linear(32, 4)

    def forward(self, x):
        for layer in self.hidden:
            x = torch.relu(layer(x))
        return self.head(x)

model = Net()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
criterion = nn.CrossEntropyLoss()
"""
    + LOOP
)
HIGH_RATE = (
    HEAD.replace("TensorDataset(x, y)", "TensorDataset(x, (x[:, :1] * 3 + x[:, 1:2]))")
    + """model = nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=1.0)
criterion = nn.MSELoss()
"""
    + LOOP
)
HEALTHY_MLP = (
    HEAD + MLP + "optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)\ncriterion = nn.CrossEntropyLoss()\n" + LOOP
)
HEALTHY_CNN = (
    HEAD.replace("TensorDataset(x, y)", "TensorDataset(x.view(-1, 1, 4, 4), y)")
    + """model = nn.Sequential(nn.Conv2d(1, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU(), nn.Flatten(), nn.Dropout(0.2), nn.Linear(128, 4))
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, 12 * len(loader))
criterion = nn.CrossEntropyLoss()
"""
    + LOOP.replace("        optimizer.step()\n", "        optimizer.step()\n        schedule.step()\n")
)


def line_of(source: str, text: str) -> int:
    return next(number for number, line in enumerate(source.splitlines(), 1) if text in line)


@pytest.mark.parametrize(
    ("source", "cause", "line"),
    [
        pytest.param(NO_ZERO_GRAD, "train-no-zero-grad", "loss.backward()", id="no-zero-grad"),
        pytest.param(SOFTMAX, "loss-double-activation", "loss = criterion(", id="softmax-in-forward"),
        pytest.param(BROADCAST, "loss-broadcast", "loss = criterion(", id="broadcast"),
        pytest.param(HIDDEN, "train-params-missing", "self.hidden = [", id="layers-in-a-list"),
        pytest.param(HIGH_RATE, "hp-lr-high", "optimizer = torch.optim.SGD(", id="rate-100-times-too-high"),
    ],
)
def test_the_cause_is_named_on_its_line(judge: Callable[..., Any], source: str, cause: str, line: str) -> None:
    checked = judge(source)
    first = checked.report["findings"][0]
    assert (checked.code, checked.report["verdict"]) == (1, "ill")
    assert checked.report["diagnosis"][0]["cause"] == first["cause"] == cause
    assert (first["where"]["file"], first["where"]["line"]) == ("train.py", line_of(source, line))
    assert {f["cause"] for f in checked.report["findings"] if f["severity"] == "error"} == {cause}


@pytest.mark.parametrize("source", [pytest.param(HEALTHY_MLP, id="mlp"), pytest.param(HEALTHY_CNN, id="cnn")])
def test_a_healthy_program_is_clean(judge: Callable[..., Any], source: str) -> None:
    checked = judge(source)
    assert (checked.code, checked.report["verdict"], checked.loud()) == (0, "clean", [])
    assert checked.report["coverage"]["steps"] == 168
