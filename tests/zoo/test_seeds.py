"""Seeds are shifted from outside, in real processes, in every way a program sets them."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from zoo.running import environment

DRAWS = """
import importlib.util, json, random, subprocess, sys
importlib.util.find_spec("torch")  # as libraries do that ask whether torch is there
import numpy as np, torch
from sklearn.datasets import make_blobs

def child(code):
    return subprocess.check_output([sys.executable, "-c", "import random; " + code + "print(random.random())"])

drawn = {"start": (random.random(), np.random.rand(), torch.rand(1).item())}
torch.manual_seed(3)
drawn["torch.manual_seed"] = torch.rand(1).item()
torch.random.manual_seed(3)
drawn["torch.random.manual_seed"] = torch.rand(1).item()
drawn["torch.Generator"] = torch.rand(1, generator=torch.Generator().manual_seed(3)).item()
np.random.seed(3)
drawn["numpy.random.seed"] = np.random.rand()
drawn["numpy.random.default_rng"] = np.random.default_rng(3).random()
drawn["numpy.random.RandomState"] = np.random.RandomState(3).rand()
random.seed(3)
drawn["random.seed"] = random.random()
drawn["random.Random"] = random.Random(3).random()
drawn["scikit-learn"] = make_blobs(5, random_state=3)[0][0, 0]
drawn["a process it starts"] = child("random.seed(3); ").decode()
print(json.dumps({
    "drawn": drawn,
    "children_alike": child("") == child(""),
    "legacy": isinstance(np.random.mtrand._rand, np.random.RandomState),
    "unseeded_alike": np.random.default_rng().random() == np.random.default_rng().random(),
}))
"""
FIRST, AGAIN, SECOND = "first", "again", "second"
SEEDS = {"plain": 0, "plain again": 0, FIRST: 1, AGAIN: 1, SECOND: 2}
WAYS = [line.split('"')[1] for line in DRAWS.splitlines() if line.startswith("drawn[")]


@pytest.fixture(scope="module")
def said(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, object]]:
    folder = tmp_path_factory.mktemp("seeds")
    return {name: _said(seed, folder) for name, seed in SEEDS.items()}


def _said(seed: int, folder: Path) -> dict[str, object]:
    words = [sys.executable, "-c", DRAWS]
    drawn = subprocess.check_output(words, env=environment(seed), cwd=folder, text=True, timeout=200)
    answer: dict[str, object] = json.loads(drawn)
    return answer


def drawn(said: dict[str, dict[str, object]], run: str, way: str) -> str:
    draws = said[run]["drawn"]
    assert isinstance(draws, dict)
    return str(draws[way])


@pytest.mark.parametrize("way", WAYS)
def test_a_seed_that_is_set_is_shifted_and_stays_a_seed(way: str, said: dict[str, dict[str, object]]) -> None:
    plain, plain_again, first, again, second = (drawn(said, run, way) for run in SEEDS)
    assert plain == plain_again
    assert first == again
    assert len({plain, first, second}) == 3


def test_a_program_that_sets_no_seed_is_seeded_at_its_start(said: dict[str, dict[str, object]]) -> None:
    plain, plain_again, first, again, second = (drawn(said, run, "start") for run in SEEDS)
    assert plain != plain_again
    assert first == again != second


def test_what_it_starts_or_leaves_unseeded_is_not_alike(said: dict[str, dict[str, object]]) -> None:
    assert said[FIRST]["children_alike"] is False
    assert said[FIRST]["unseeded_alike"] is False


def test_the_legacy_generator_of_numpy_passes_for_one(said: dict[str, dict[str, object]]) -> None:
    assert said[FIRST]["legacy"] is True
