"""Damaged input is judged or refused; it is never a fault of ours. `make fuzz` goes on for as long as it is given."""

import os
import time
from pathlib import Path

import pytest
from tests.fuzz.readers import READERS, Reader, once, seconds

FEWEST = 20
"""Inputs for each reader, however slow the machine."""


@pytest.mark.parametrize("reader", READERS, ids=lambda reader: reader.name.replace(" ", "-"))
def test_damaged_input_is_judged_or_refused(reader: Reader, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FIRSTLIGHT_DEBUG", "1")
    first = int(os.environ.get("FUZZ_SEED", "0"))
    begun, seed = time.monotonic(), first
    while seed - first < FEWEST or time.monotonic() - begun < seconds(reader):
        code = once(reader, seed, tmp_path / "input")
        assert code in (0, 1, 2), f"exit code {code}; its input is made again by once({reader.name!r}, {seed})"
        seed += 1


@pytest.mark.parametrize("reader", READERS, ids=lambda reader: reader.name.replace(" ", "-"))
def test_sound_input_is_read(reader: Reader, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The other side: a reader that refuses everything would pass the test above."""
    monkeypatch.setattr("tests.fuzz.readers.damaged", lambda data, _chance: data)
    monkeypatch.setattr("tests.fuzz.readers.DISGUISES", 0.0)
    wanted = (2,) if reader.name == "replay" else (0, 1)
    assert once(reader, 0, tmp_path / "input") in wanted
