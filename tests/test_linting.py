"""What a check reads of a program's sources."""

from pathlib import Path

from firstlight.linting import facts_of
from firstlight.records.source import SourceFile, TrainingLoop

MAIN = """
import torch
from engine import run
from unrelated import nothing
model = torch.nn.Linear(3, 1)
run(model, torch.optim.SGD(model.parameters(), lr=0.1))
"""
ENGINE = """
import torch
def run(model, optimizer):
    for step in range(10):
        loss = model(torch.randn(4, 3)).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
"""


def test_the_files_that_a_script_is_followed_into_are_read_too(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(MAIN, encoding="utf-8")
    (tmp_path / "engine.py").write_text(ENGINE, encoding="utf-8")
    (tmp_path / "beside.py").write_text(ENGINE, encoding="utf-8")
    found = facts_of(tmp_path / "train.py", tmp_path)

    assert [fact.path for fact in found if isinstance(fact, SourceFile)] == ["train.py", "engine.py"]
    assert len([fact for fact in found if isinstance(fact, TrainingLoop)]) == 1  # and not once more by itself


def test_a_script_that_cannot_be_read_gives_nothing(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text("def (", encoding="utf-8")

    assert facts_of(tmp_path / "train.py", tmp_path) == facts_of(tmp_path / "absent.py", tmp_path) == ()
