"""files-paired-unsorted: what is seen, and what is not."""

import pytest
from tests.checks.source.conftest import Lint

BAD = [
    """
import os, torch
class Data(torch.utils.data.Dataset):
    def __init__(self, a, b):
        self.images = os.listdir(a)
        self.masks = os.listdir(b)
    def __getitem__(self, i):
        return self.images[i], self.masks[i]
""",
]
GOOD = [
    """
import os, torch
class Data(torch.utils.data.Dataset):
    def __init__(self, a, b):
        self.images = os.listdir(a)
        self.masks = os.listdir(b)
        self.images.sort()
        self.masks.sort()
    def __getitem__(self, i):
        return self.images[i], self.masks[i]
""",
    """
import os, torch
a = sorted(os.listdir("a"))
b = sorted(os.listdir("b"))
print(list(zip(a, b)))
""",
]


@pytest.mark.parametrize("code", BAD)
def test_seen(lint: Lint, code: str) -> None:
    assert lint(code, "files-paired-unsorted")


@pytest.mark.parametrize("code", GOOD)
def test_not_seen(lint: Lint, code: str) -> None:
    assert lint(code, "files-paired-unsorted") == []
