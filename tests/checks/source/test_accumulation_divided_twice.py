"""accumulation-divided-twice: what is seen, and what is not."""

import pytest
from tests.checks.source.conftest import Lint

BAD = [
    """
from accelerate import Accelerator
def train(model, optimizer, loader, accum):
    accelerator = Accelerator(gradient_accumulation_steps=accum)
    for x, y in loader:
        with accelerator.accumulate(model):
            loss = model(x, y)
            accelerator.backward(loss / accum)
            optimizer.step()
""",
    """
from accelerate import Accelerator
def train(model, optimizer, loader, args):
    accelerator = Accelerator(gradient_accumulation_steps=args.accum_steps)
    for x, y in loader:
        with accelerator.accumulate(model):
            loss = model(x, y) / args.accum_steps
            accelerator.backward(loss)
            optimizer.step()
""",
    """
from accelerate import Accelerator
def train(model, optimizer, loader):
    accelerator = Accelerator(gradient_accumulation_steps=4)
    for x, y in loader:
        with accelerator.accumulate(model):
            loss = model(x, y)
            loss = loss / accelerator.gradient_accumulation_steps
            accelerator.backward(loss)
            optimizer.step()
""",
]
GOOD = [
    """
from accelerate import Accelerator
def train(model, optimizer, loader):
    accelerator = Accelerator(gradient_accumulation_steps=4)
    for x, y in loader:
        with accelerator.accumulate(model):
            loss = model(x, y)
            accelerator.backward(loss)
            optimizer.step()
""",
    """
from accelerate import Accelerator
def train(model, optimizer, loader, accum):
    accelerator = Accelerator()
    for i, (x, y) in enumerate(loader):
        loss = model(x, y) / accum
        accelerator.backward(loss)
        if i % accum == 0:
            optimizer.step()
""",
    """
from accelerate import Accelerator
def train(model, optimizer, loader):
    accelerator = Accelerator(gradient_accumulation_steps=4)
    for x, y in loader:
        with accelerator.accumulate(model):
            loss = model(x, y).sum() / len(x)
            accelerator.backward(loss)
            optimizer.step()
""",
]


@pytest.mark.parametrize("code", BAD)
def test_found(lint: Lint, code: str) -> None:
    assert len(lint(code, "accumulation-divided-twice")) == 1


@pytest.mark.parametrize("code", GOOD)
def test_quiet(lint: Lint, code: str) -> None:
    assert lint(code, "accumulation-divided-twice") == []
