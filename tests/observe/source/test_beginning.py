"""Whether a script would notice that torch was imported before its first line."""

from pathlib import Path

import pytest

from firstlight.observe.source.beginning import notices_torch

HARMLESS = [
    "import torch",
    '"""Trains."""\nfrom __future__ import annotations\nimport os, sys\nimport numpy as np\nfrom torch import nn',
    "import os\nHERE = os.path.dirname(__file__)\nimport torch\nos.environ['A'] = '1'",
    "import argparse\ndef words():\n    return argparse.ArgumentParser().parse_args()\nimport torch.nn as nn",
    "from torchvision import datasets",
    "import net",
    "from settings import RATE\nimport torch",
]
NOTICED = [
    "import os\nos.environ['OMP_NUM_THREADS'] = '1'\nimport torch",
    "from os import environ\nimport torch",
    "import sys\nsys.path.insert(0, 'vendored')\nimport torch",
    "import sys\nsys.modules['triton'] = None\nimport torch",
    "from sys import path\nimport torch",
    "import json, importlib\nimportlib.import_module('another')\nimport torch",
    "import sets_threads\nimport torch",
    "from sets_threads import nothing\nimport torch",
    "import dotenv\nimport torch",
    "from . import net\nimport torch",
    "if True:\n    import dotenv\nimport torch",
    "try:\n    import torch\nexcept ImportError:\n    torch = None",
    "print('no training here')",
    "from package.net import Net\nimport torch",
    "import torch as",
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "net.py").write_text("import math\nimport torch\nimport os\nos.environ['A'] = '1'\n", encoding="utf-8")
    (tmp_path / "settings.py").write_text("import settings\nRATE = 0.1\n", encoding="utf-8")
    (tmp_path / "sets_threads.py").write_text("import os\nos.environ['OMP_NUM_THREADS'] = '1'\n", encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize("text", HARMLESS)
def test_what_changes_nothing_may_come_first(folder: Path, text: str) -> None:
    (folder / "train.py").write_text(text, encoding="utf-8")
    assert not notices_torch(folder / "train.py")


@pytest.mark.parametrize("text", NOTICED)
def test_what_is_in_doubt_is_noticed(folder: Path, text: str) -> None:
    (folder / "train.py").write_text(text, encoding="utf-8")
    assert notices_torch(folder / "train.py")


def test_what_is_not_there_is_in_doubt(tmp_path: Path) -> None:
    assert notices_torch(tmp_path / "train.py")
    assert notices_torch(tmp_path)
