"""`firstlight diagnose` on real scripts: the cause first, the reasoning shown, nothing claimed of a healthy program."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from firstlight import session
from firstlight.observe.target import parse
from firstlight.observe.watch import Eyes
from firstlight.report import json as json_report
from firstlight.settings import load

SCRIPT = """import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
torch.manual_seed(0)
centres = torch.randn(4, 16) * 2
y = torch.randint(4, (896,))
x = centres[y] + torch.randn(896, 16)
{data}
loader = DataLoader(TensorDataset(x, y), batch_size=64, shuffle=True)
model = nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 4))
optimizer = torch.optim.Adam(model.parameters(), lr={lr})
for epoch in range(12):
    for xb, yb in loader:
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(xb), yb)
        loss.backward()
        optimizer.step()
"""
HEALTHY = SCRIPT.format(data="", lr="1e-3")


@pytest.fixture
def diagnosed(eyes: Eyes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Any]:
    """As the command does, with torch imported already."""
    monkeypatch.chdir(tmp_path)

    def report(source: str, symptom: str | None = None) -> Any:
        (tmp_path / "train.py").write_text(source, encoding="utf-8")
        found = session.diagnose(parse(("train.py",), module=False), load(tmp_path, seconds=100.0), eyes, symptom)
        return json.loads(json_report.render(found))

    return report


def diagnose(command: Callable[..., Any], folder: Path, source: str, *flags: str) -> Any:
    (folder / "train.py").write_text(source, encoding="utf-8")
    done = command("diagnose", "--format", "json", *flags, "train.py")
    assert done.stdout, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize(
    ("source", "cause"),
    [
        pytest.param(SCRIPT.format(data="", lr="1e-5"), "hp-lr-low", id="rate-too-low"),
        pytest.param(
            SCRIPT.format(data="", lr="1e-3")
            .replace("        optimizer.zero_grad()\n", "")
            .replace("Adam", "SGD")
            .replace("1e-3", "0.1, momentum=0.9"),
            "train-no-zero-grad",
            id="no-zero-grad",
        ),
    ],
)
def test_the_cause_comes_first(diagnosed: Callable[..., Any], source: str, cause: str) -> None:
    assert_first(diagnosed(source), cause)


def assert_first(report: Any, cause: str) -> None:
    assert report["diagnosis"][0]["cause"] == cause
    assert report["diagnosis"][0]["role"] == "likely"
    assert all(hypothesis["probability"] >= 0.05 for hypothesis in report["diagnosis"])
    assert report["verdict"] in ("ill", "warn")
    assert report["diagnosis"][0]["fix"] or cause.startswith("hp-")


def test_a_healthy_program_is_said_to_be_healthy_with_what_was_tried(
    command: Callable[..., Any], tmp_path: Path
) -> None:
    report = diagnose(command, tmp_path, HEALTHY)
    assert (report["verdict"], report["findings"]) == ("clean", [])
    assert report["diagnosis"][0]["role"] == "null"
    assert {"one-batch", "permuted-targets"} <= set(report["coverage"]["experiments"])
    assert report["trail"]


def test_a_run_is_diagnosed_and_again_from_its_log_without_running_anything(
    command: Callable[..., Any], diagnosed: Callable[..., Any], tmp_path: Path
) -> None:
    first = diagnosed(SCRIPT.format(data="x = x[torch.randperm(896)]", lr="1e-3"))
    assert_first(first, "data-label-misaligned")
    (tmp_path / "train.py").unlink()
    done = command("diagnose", "--format", "json", first["subject"]["run"])
    again = json.loads(done.stdout)
    assert again["subject"]["kind"] == "log"
    assert again["diagnosis"][0]["cause"] == "data-label-misaligned"


def test_a_symptom_is_evidence(diagnosed: Callable[..., Any]) -> None:
    assert diagnosed(HEALTHY, symptom="val loss stuck at 0.69")["verdict"] == "clean"


def test_an_unknown_symptom_is_an_error(command: Callable[..., Any], tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(HEALTHY, encoding="utf-8")
    refused = command("diagnose", "--symptom", "the colours are wrong", "train.py")
    assert refused.returncode == 2
    assert "not understood" in refused.stderr


def test_a_directory_that_is_no_run_is_a_sentence(command: Callable[..., Any], tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    refused = command("diagnose", "folder")
    assert refused.returncode == 2
    assert "Traceback" not in refused.stderr
