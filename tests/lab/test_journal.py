"""What an interrupted command has found out so far."""

from pathlib import Path

import pytest

from firstlight.lab.journal import LabJournal


@pytest.fixture
def script(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    found = tmp_path / "train.py"
    found.write_text("lr = 1")
    return found


def journal(script: Path, **options: object) -> LabJournal:
    return LabJournal.of("lr-find", ("train.py",), options, script.parent)


def test_the_same_command_finds_what_was_kept(script: Path) -> None:
    journal(script).keep("ramp", [1.0, float("nan")])
    found = journal(script).get("ramp", list[float])
    assert found is not None
    assert found[0] == 1.0
    assert found[1] != found[1]


def test_other_options_or_sources_begin_anew(script: Path) -> None:
    journal(script).keep("ramp", 1.0)
    assert journal(script, steps=3).get("ramp", float) is None
    script.write_text("lr = 2")
    assert journal(script).get("ramp", float) is None


def test_a_line_that_was_torn_off_costs_only_itself(script: Path) -> None:
    kept = journal(script)
    kept.keep("one", 1.0)
    with kept.path.open("ab") as file:
        file.write(b'{"trial": "two", "ma')
    assert journal(script).get("one", float) == 1.0
    journal(script).keep("three", 3.0)
    assert journal(script).get("two", float) is None
    assert journal(script).get("three", float) == 3.0


def test_nothing_is_left_once_it_is_cleared(script: Path) -> None:
    kept = journal(script)
    kept.keep("one", 1.0)
    kept.clear()
    assert len(kept) == 0
    assert not kept.path.exists()
