"""A tiny program of the tests' own, and a mutation of it."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from zoo.mutants import Mutant
from zoo.mutations.source import Source
from zoo.programs import load
from zoo.records import Mutation, Planted, Program, Site

TRAIN = """\
import torch
from torch import nn

torch.manual_seed(0)
inputs = torch.randn(512, 6)
targets = (inputs @ torch.tensor([1.0, -2.0, 0.5, 1.5, -1.0, 2.0]) > 0).long()
model = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 2))
optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
for step in range(80):
    rows = torch.randint(0, 400, (64,))
    optimizer.zero_grad()
    loss = nn.functional.cross_entropy(model(inputs[rows]), targets[rows])
    loss.backward()
    optimizer.step()
accuracy = (model(inputs[400:]).argmax(dim=1) == targets[400:]).float().mean()
print(f"accuracy: {accuracy:.3f}")
"""
DESCRIPTION = """\
title = "A line between two classes"
domain = "tabular"
style = ["plain-loop"]
command = ["train.py"]
needs = []
seconds = 2.0
[metric]
name = "accuracy"
pattern = 'accuracy: ([0-9.]+)'
better = "higher"
reaches = 0.95
chance = 0.5
"""

MakeProgram = Callable[..., Program]


@pytest.fixture
def make_program(tmp_path: Path) -> MakeProgram:
    def make(slug: str = "tiny", description: str = DESCRIPTION, **files: str) -> Program:
        folder = tmp_path / slug
        folder.mkdir()
        (folder / "program.toml").write_text(description)
        for name, text in (files or {"train": TRAIN}).items():
            (folder / f"{name}.py").write_text(text)
        return load(folder)

    return make


def replacing(old: str, new: str, *, name: str = "wrong", cause: str = "loss-sign", leaks: bool = False) -> Mutation:
    """A mutation that replaces one text of `train.py` by another."""

    def plant(source: Source) -> Iterator[Planted]:
        text = source.program.files["train.py"]
        if old in text:
            line = text[: text.index(old)].count("\n") + 1
            yield Planted(Site("train.py", line, f"{name}#0"), {"train.py": text.replace(old, new)}, line)

    return Mutation(name, cause, "answers", "loop", "It was replaced.", leaks, plant)


def mutant_of(program: Program, mutation: Mutation) -> Mutant:
    (planted,) = mutation.plant(Source(program))
    return Mutant(program, mutation, planted)
