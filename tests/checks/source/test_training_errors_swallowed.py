"""training-errors-swallowed: what is seen, and what is not."""

import pytest
from tests.checks.source.conftest import Lint

BAD = [
    """
import torch, torch.nn as nn, torch.nn.functional as F
def f(losses, opt):
    for loss in losses:
        try:
            loss.backward()
            opt.step()
        except:
            print('oops')
""",
]
GOOD = [
    """
import torch, torch.nn as nn, torch.nn.functional as F
def f(loss):
    try:
        loss.backward()
    except Exception as e:
        print(e)
        raise
    try:
        loss.backward()
    except KeyboardInterrupt:
        pass
""",
]


@pytest.mark.parametrize("code", BAD)
def test_seen(lint: Lint, code: str) -> None:
    assert lint(code, "training-errors-swallowed")


@pytest.mark.parametrize("code", GOOD)
def test_not_seen(lint: Lint, code: str) -> None:
    assert lint(code, "training-errors-swallowed") == []
