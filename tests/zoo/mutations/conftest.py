"""Small programs of the tests' own, kept as text, each with places for some of the mutations."""

from collections.abc import Callable
from pathlib import Path

import pytest
from zoo.mutations.source import Source
from zoo.records import Metric, Program

SPECIMENS = Path(__file__).parent / "specimens"
BYSTANDER = "bystander"
METRIC = Metric(name="loss", pattern="loss (.*)", better="lower", reaches=0.1, chance=1.0)

MakeSource = Callable[..., Source]


def source_of(slug: str = "tiny", command: tuple[str, ...] = ("train.py",), **files: str) -> Source:
    """A program made of the given texts; a keyword `train` is the file `train.py`, `config_json` is `config.json`."""
    named = {_file(name): text for name, text in files.items()}
    return Source(Program(slug, SPECIMENS, slug, "tests", (), command, (), 1.0, METRIC, named))


def _file(name: str) -> str:
    stem, _, ending = name.rpartition("_")
    return f"{stem}.{ending}" if ending in {"json", "toml", "yaml"} else f"{name}.py"


@pytest.fixture(scope="session")
def specimens() -> list[Source]:
    """All small programs but the one that does not train."""
    found = [
        source_of(path.stem, train=path.read_text(), config_json='{"lr": 0.001, "batch": 3}\n')
        for path in sorted(SPECIMENS.glob("*.txt"))
        if path.stem != BYSTANDER
    ]
    assert found
    return found
