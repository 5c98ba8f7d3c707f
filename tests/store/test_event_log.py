import json
import multiprocessing
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firstlight.errors import LogError, UsageError
from firstlight.records.events import Heartbeat, RunEnd, Step
from firstlight.store import event_log
from firstlight.store.event_log import MOST_LINE_BYTES, EventLog, LineReader, typed
from firstlight.store.run_directory import RunDirectory


def lines_of(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_an_event_is_one_line_that_says_what_it_is_twice(tmp_path: Path) -> None:
    log = EventLog(tmp_path / "e", "run-1", rank=3)
    log.append(Step, step=4, loss=float("nan"))
    log.append(Heartbeat, step=5)
    first, second = lines_of(tmp_path / "e")
    assert (first["phase"], first["event"], first["run_id"], first["rank"]) == ("step", "step", "run-1", 3)
    assert first["loss"] == "NaN"
    assert (first["seq"], second["seq"]) == (0, 1)
    assert str(first["ts"]).endswith("Z")


def test_an_event_over_the_line_limit_is_refused_whole(tmp_path: Path) -> None:
    log = EventLog(tmp_path / "e", "r")
    with pytest.raises(LogError, match="bytes"):
        log.append(RunEnd, status="x" * MOST_LINE_BYTES, elapsed_seconds=1.0, exit_code=0)
    assert (tmp_path / "e").read_bytes() == b""


@given(cut=st.integers(min_value=0, max_value=400))
def test_a_log_cut_anywhere_gives_every_whole_line_and_names_the_torn_one(
    tmp_path_factory: pytest.TempPathFactory, cut: int
) -> None:
    path = tmp_path_factory.mktemp("log") / "e"
    log = EventLog(path, "r")
    for step in range(2):
        log.append(Heartbeat, step=step)
    whole = path.read_bytes()
    path.write_bytes(whole[:cut])
    reader = LineReader(path)
    events = list(reader.new())
    assert len(events) == whole[:cut].count(b"\n")
    assert reader.torn == whole[:cut].rpartition(b"\n")[2]
    assert not reader.broken


def test_a_line_that_arrives_in_two_pieces_is_read_once_it_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "e"
    reader = LineReader(path)
    assert list(reader.new()) == []
    path.write_bytes(b'{"phase":"heart')
    assert list(reader.new()) == []
    with path.open("ab") as file:
        file.write(b'beat","step":1}\n')
    assert [event["step"] for event in reader.new()] == [1]
    assert list(reader.new()) == []


@given(st.binary(max_size=300))
def test_arbitrary_bytes_never_raise(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    path = tmp_path_factory.mktemp("log") / "e"
    path.write_bytes(data)
    reader = LineReader(path)
    for event in reader.new():
        typed(event)
    assert len(reader.broken) <= data.count(b"\n")


def test_either_name_of_the_kind_is_understood_and_unknown_kinds_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "e"
    path.write_text('{"event":"heartbeat","step":1,"ts":"t","run_id":"r","seq":0}\n{"phase":"tomorrow","x":1}\n')
    known, unknown = LineReader(path).new()
    assert isinstance(typed(known), Heartbeat)
    assert typed(unknown) is None
    assert unknown["x"] == 1


def write_many(path: Path, rank: int) -> None:
    log = EventLog(path, "r", rank=rank)
    for step in range(300):
        log.append(Heartbeat, step=step)


def test_several_processes_share_one_log_without_mixing_lines(tmp_path: Path) -> None:
    path = tmp_path / "e"
    context = multiprocessing.get_context("spawn")
    workers = [context.Process(target=write_many, args=(path, rank)) for rank in range(3)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    reader = LineReader(path)
    events = list(reader.new())
    assert len(events) == 900
    assert not reader.broken
    for rank in range(3):
        assert [e["seq"] for e in events if e["rank"] == rank] == list(range(300))


def test_the_run_directory_keeps_itself_out_of_version_control(tmp_path: Path) -> None:
    first, second = RunDirectory.create(tmp_path), RunDirectory.create(tmp_path)
    assert first.path != second.path
    assert (tmp_path / ".firstlight" / ".gitignore").read_text() == "*\n"


def test_a_place_that_cannot_be_written_is_a_clear_error(tmp_path: Path) -> None:
    (tmp_path / ".firstlight").write_text("in the way")
    with pytest.raises(UsageError, match="run directory"):
        RunDirectory.create(tmp_path)
    assert os.listdir(tmp_path) == [".firstlight"]  # noqa: PTH208


@given(
    lines=st.lists(st.binary(max_size=40).filter(lambda line: b"\n" not in line), max_size=12), piece=st.integers(1, 64)
)
def test_pieces_of_any_size_give_the_same_lines(
    tmp_path_factory: pytest.TempPathFactory, lines: list[bytes], piece: int
) -> None:
    path = tmp_path_factory.mktemp("log") / "e"
    path.write_bytes(b"".join(line + b"\n" for line in lines) + b"torn")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(event_log, "PIECE", piece)
        reader = LineReader(path)
        found: list[bytes] = []
        while new := list(reader.lines(most_bytes=1)):
            found += new
        found += reader.lines()
    assert found == lines
    assert reader.offset == path.stat().st_size - len(b"torn")
    assert reader.torn == b"torn"


def test_a_reader_can_begin_in_the_middle(tmp_path: Path) -> None:
    path = tmp_path / "e"
    path.write_bytes(b'{"phase":"a"}\n{"phase":"b"}\n')
    assert [event["phase"] for event in LineReader(path, start=14).new()] == ["b"]


def test_of_many_broken_lines_only_some_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(event_log, "MOST_BROKEN", 3)
    (tmp_path / "e").write_bytes(b"no\n" * 10)
    reader = LineReader(tmp_path / "e")
    assert list(reader.new()) == []
    assert len(reader.broken) == 3


@pytest.mark.parametrize(
    ("written", "phase"), [(b"", None), (b'{"phase":"a"}', None), (b'{"event":"a"}\n{', "a"), (b"no\n", None)]
)
def test_the_first_line(tmp_path: Path, written: bytes, phase: str | None) -> None:
    (tmp_path / "e").write_bytes(written)
    assert event_log.first(tmp_path / "e").get("phase") == phase
    assert event_log.first(tmp_path / "none") == {}


@given(cut=st.integers(min_value=0, max_value=400))
def test_the_whole_lines_of_another_log_are_taken_in(tmp_path_factory: pytest.TempPathFactory, cut: int) -> None:
    folder = tmp_path_factory.mktemp("log")
    other, log = EventLog(folder / "other", "r"), EventLog(folder / "e", "r")
    for step in range(2):
        other.append(Heartbeat, step=step)
    lines = (folder / "other").read_bytes()[:cut]
    log.take_in(lines)
    log.append(Heartbeat, step=9)
    reader = LineReader(folder / "e")
    assert [event["step"] for event in reader.new()] == [*range(lines.count(b"\n")), 9]
    assert not reader.broken
    other.close()
    log.close()


@pytest.mark.parametrize("phase", [[], {}, 3, True])
def test_an_event_whose_phase_is_no_text_is_a_broken_line(tmp_path: Path, phase: object) -> None:
    (tmp_path / "e").write_text(json.dumps({"phase": phase, "event": phase}) + '\n{"phase": "step"}\n')
    reader = LineReader(tmp_path / "e")
    assert [event["phase"] for event in reader.new()] == ["step"]
    assert reader.broken == [f"{tmp_path / 'e'}:1: its phase is no text"]
