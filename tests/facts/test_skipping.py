"""Which steps stand behind a condition on what was computed."""

from pathlib import Path
from textwrap import indent

import pytest

from firstlight.facts.skipping import with_skips
from firstlight.linting import facts_of
from firstlight.records.facts import Stepping
from firstlight.records.places import Site

PROGRAM = """\
import torch

model = torch.nn.Linear(4, 1)
optimizer = torch.optim.Adam(model.parameters())
x, y, seen = torch.randn(64, 4), torch.randn(64, 1), 0
for step in range(100):
    loss = torch.nn.functional.mse_loss(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    seen += 1
"""


def read(end: str, folder: Path) -> Stepping:
    path = folder / "train.py"
    path.write_text(PROGRAM + indent(end, "    "))
    stepping = Stepping(
        backwards=200,
        steps=0,
        optimizers=("Adam",),
        unstepped={},
        unused={},
        weights_moved=None,
        backward_site=Site(file="train.py", line=9),
    )
    found = [fact for fact in with_skips([stepping, *facts_of(path, folder)]) if isinstance(fact, Stepping)]
    return found[0]


@pytest.mark.parametrize(
    "end",
    [
        "if loss.item() < 0.25: optimizer.step()\n",
        "if loss < 0.25:\n    optimizer.step()\nelse:\n    print(loss)\n",
        "norm = torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)\nif norm <= 1e-3:\n    optimizer.step()\n",
    ],
)
def test_a_comparison_of_what_was_computed_is_the_condition(end: str, tmp_path: Path) -> None:
    line = 11 + end.startswith("norm")
    assert read(end, tmp_path).skipped == Site(file="train.py", line=line)


@pytest.mark.parametrize(
    "end",
    [
        "optimizer.step()\n",
        "if loss.item() < 0.25: optimizer.step()\noptimizer.step()\n",
        "if step % 4 > 2: optimizer.step()\n",
        "if step > 1000: optimizer.step()\n",
        "if seen > 1000: optimizer.step()\n",
        "if model is None: optimizer.step()\n",
        "if loss < 1: print(loss)\n",
        "print(loss)\n",
    ],
)
def test_rounds_flags_and_steps_without_condition_are_not(end: str, tmp_path: Path) -> None:
    assert read(end, tmp_path).skipped is None


@pytest.mark.parametrize(
    ("end", "line"),
    [
        ("if (step + 1) % 4 == 0: optimizer.step()\n", 11),
        ("if (step + 1) % 4 == 0 or step == 99:\n    optimizer.step()\n", 11),
        ("if loss.item() < 0.25: optimizer.step()\n", None),
        ("if step > 1000: optimizer.step()\n", None),
        ("if (step + 1) % 4 == 0: optimizer.step()\noptimizer.step()\n", None),
        ("optimizer.step()\n", None),
    ],
)
def test_a_step_every_few_rounds_gathers_them(end: str, line: int | None, tmp_path: Path) -> None:
    found = read(end, tmp_path).gathering
    assert (found and found.line) == line
