from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.dashboard.conftest import Written

from firstlight.dashboard import follower as module
from firstlight.dashboard.follower import Follower
from firstlight.store import event_log
from firstlight.store.run_directory import RunDirectory

Write = Callable[..., Written]
FOREVER = 60.0


@given(
    steps=st.lists(st.integers(0, 60), min_size=1, max_size=80),
    cuts=st.lists(st.integers(0, 80), max_size=3),
    low=st.integers(-5, 65),
    width=st.integers(0, 70),
)
@settings(max_examples=60)
def test_the_index_finds_every_step_of_a_stretch_and_no_other(
    tmp_path_factory: pytest.TempPathFactory, steps: list[int], cuts: list[int], low: int, width: int
) -> None:
    """Whatever the order of the steps, the lines between them, and the pieces in which the log came."""
    folder = tmp_path_factory.mktemp("run")
    lines = [b'{"phase":"step","event":"step","step":%d,"loss":%d.5}\n' % (step, at) for at, step in enumerate(steps)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "BLOCK", 120)
        patch.setattr(event_log, "PIECE", 64)
        follower = Follower(RunDirectory(folder))
        for begin, end in zip([0, *sorted(cuts)], [*sorted(cuts), len(lines)], strict=True):
            with (folder / "events.ndjson").open("ab") as file:
                file.writelines([b'{"phase":"other"}\n', *lines[begin:end]])
            follower.advance(FOREVER)
        found = follower.between(low, low + width)
    assert found is not None
    curves = found.measures.get("loss", ())
    seen = sorted(value for curve in curves for value in curve.y)
    assert seen == sorted(at + 0.5 for at, step in enumerate(steps) if low <= step <= low + width)


def test_a_log_is_read_in_slices_and_then_only_what_is_new(write: Write) -> None:
    going = write("a", steps=6000)
    follower = Follower(going.run)
    assert follower.advance(0.0)
    assert 0.0 < follower.read < 1.0
    while follower.advance(0.0):
        pass
    assert follower.read == 1.0
    assert not follower.advance(FOREVER)
    going.steps(6000, 6001)
    assert follower.advance(FOREVER)
    assert follower.chronicle().measures["lr"][0].x[-1] == 6000


def test_a_stretch_that_is_too_long_is_not_read_again(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    follower = Follower(write("a").run)
    follower.advance(FOREVER)
    monkeypatch.setattr(module, "MOST_DETAIL_BYTES", 10)
    assert follower.between(0, 5) is None


def test_another_log_in_its_place_is_read_from_its_beginning(write: Write) -> None:
    run = write("a").run
    follower = Follower(run)
    follower.advance(FOREVER)
    run.events.write_bytes(b'{"phase":"step","event":"step","step":7,"loss":1.5}\n')
    follower.advance(FOREVER)
    assert follower.chronicle().measures["loss"][0].x == (7,)


def test_an_endless_line_is_a_fault_and_not_an_endless_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(event_log, "MOST_TORN", 1000)
    (tmp_path / "events.ndjson").write_bytes(b"x" * 5000)
    follower = Follower(RunDirectory(tmp_path))
    follower.advance(FOREVER)
    assert follower.fault is not None
    assert follower.read == 1.0
    assert not follower.advance(FOREVER)


def test_a_red_flag_and_its_finding_are_told_once(tmp_path: Path) -> None:
    lines = [
        {"phase": "red_flag", "type": "loss-spike", "severity": "warning", "message": "a spike"},
        {"phase": "finding", "rule_id": "FL571", "message": "loss-spike: a spike", "step": 7},
        {"phase": "red_flag", "type": "of-another-tool", "severity": "warning", "message": "odd"},
        {"phase": "finding", "rule_id": "FL572", "message": "stall: it stands"},
    ]
    (tmp_path / "events.ndjson").write_bytes(b"".join(msgspec.json.encode(line) + b"\n" for line in lines))
    follower = Follower(RunDirectory(tmp_path))
    follower.advance(FOREVER)
    assert [one["id"] for one in follower.sightings] == ["FL571", "of-another-tool", "FL572"]


def test_what_is_loud_is_kept_and_cut(tmp_path: Path) -> None:
    lines = [
        {"phase": "red_flag", "type": "t" * 9999, "severity": "error", "message": ["no text"], "where": "no place"},
        {"phase": "finding", "rule_id": "FL1", "message": "m", "where": {"file": "a.py", "line": "x"}, "step": True},
    ] * 400
    (tmp_path / "events.ndjson").write_bytes(b"".join(msgspec.json.encode(line) + b"\n" for line in lines))
    follower = Follower(RunDirectory(tmp_path))
    follower.advance(FOREVER)
    assert len(follower.sightings) == module.MOST_SIGHTINGS
    assert len(follower.sightings[0]["id"]) == 2000
    assert follower.sightings[1]["file"] == "a.py"
    assert follower.sightings[1]["line"] is None
