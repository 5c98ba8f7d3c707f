"""Findings on a declared experiment stand on the line to change, not where the experiment was declared or judged."""

from pathlib import Path

import pytest
import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, Dataset, TensorDataset

import firstlight as fl
from firstlight.records.finding import Finding

WAVES = torch.sin(torch.arange(400) / 7.0)
WINDOWS = torch.stack([WAVES[i : i + 16] for i in range(380)])
ORDER = torch.randperm(380, generator=torch.Generator().manual_seed(0))
SOURCE = Path(__file__).read_text(encoding="utf-8").splitlines()


@pytest.fixture(autouse=True)
def _somewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    torch.manual_seed(0)


class Answers(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.scores = nn.Linear(16, 4)

    def forward(self, windows: torch.Tensor) -> torch.Tensor:
        scores: torch.Tensor = self.scores(windows)
        return scores.softmax(-1)


class Recording(Dataset[tuple[torch.Tensor, torch.Tensor]]):
    def __init__(self, rows: torch.Tensor) -> None:
        self.windows = WINDOWS[rows]

    def __len__(self) -> int:
        return len(self.windows)

    def __getitem__(self, index: int) -> tuple[torch.Tensor, torch.Tensor]:
        return self.windows[index].unsqueeze(-1), self.windows[index, -1:]


class Reads(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.recurrent = nn.GRU(1, 8, batch_first=True)
        self.head = nn.Linear(8, 1)

    def forward(self, windows: torch.Tensor) -> torch.Tensor:
        answer: torch.Tensor = self.head(self.recurrent(windows)[0][:, -1])
        return answer


def finding(experiment: fl.Experiment, name: str) -> Finding:
    report = fl.preflight(experiment, profile="quick")
    return next(finding for finding in report.findings if finding.name == name)


def line(found: Finding) -> str:
    assert (found.where.file or "").endswith("test_places.py")
    assert found.where.line is not None
    return SOURCE[found.where.line - 1].strip()


def adam(model: nn.Module) -> torch.optim.Optimizer:
    return torch.optim.Adam(model.parameters())


def test_a_double_activation_is_told_where_the_activation_is() -> None:
    data = TensorDataset(WINDOWS, torch.arange(380) % 4)
    bad = fl.Experiment(model=Answers, train=DataLoader(data, 32), loss=F.cross_entropy, optimizer=adam)

    assert line(finding(bad, "loss-double-activation")) == "return scores.softmax(-1)"


def test_what_is_wrong_with_the_data_is_told_at_the_data() -> None:
    train, val = (DataLoader(Recording(rows), 32) for rows in (ORDER[:300], ORDER[300:]))
    bad = fl.Experiment(model=Reads, train=train, val=val, loss=F.mse_loss, optimizer=adam)

    assert line(finding(bad, "windows-overlap")) == "def __init__(self, rows: torch.Tensor) -> None:"
