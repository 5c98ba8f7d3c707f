"""Reading logs: what is found where, that the quick and the slow way agree, and that no log whatever breaks it."""

import json
import os
import signal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from firstlight.errors import UsageError
from firstlight.observe.inside import cores
from firstlight.observe.log import ahead as going_ahead
from firstlight.observe.log import scan as scanning
from firstlight.observe.log import stretches as stretching
from firstlight.observe.log.scan import Scanner, scan
from firstlight.observe.log.stretches import Stretch
from firstlight.records.log import EventRule, LogRules, LogSeen
from firstlight.store.log_rules import BUILT_IN

ANY = BUILT_IN["any"]
STEP = LogRules(name="own", events={"step": EventRule(fields={"step": int, "loss": float}, rising="step")})


def line(phase: str, **fields: Any) -> bytes:
    return json.dumps({"phase": phase, **fields}).encode() + b"\n"


def steps(count: int, start: int = 0, **fields: Any) -> bytes:
    return b"".join(line("step", step=start + i, loss=1.5, seq=start + i, **fields) for i in range(count))


def read(data: bytes, rules: LogRules = ANY) -> LogSeen:
    scanner = Scanner(rules)
    number = 1
    for part in data.splitlines(keepends=True):  # one line a stretch: the quick way is tried on each
        scanner.read(Stretch(number, part, 1, complete=part.endswith(b"\n")))
        number += 1
    scanner.ledger.close(scanner.lines)
    return LogSeen(
        file="log",
        rules=rules.name,
        lines=scanner.lines,
        events=dict(scanner.ledger.events),
        faults=scanner.ledger.faults,
    )


def told(seen: LogSeen) -> list[tuple[str, int, str]]:
    return [(fault.kind, fault.line, fault.saw) for fault in seen.faults]


def test_a_sound_log_is_counted_and_nothing_else() -> None:
    seen = read(steps(50), STEP)

    assert (seen.lines, seen.events, seen.faults) == (50, {"step": 50}, ())


@pytest.mark.parametrize(
    ("bad", "fault"),
    [
        (b"x\n", ("unreadable", 51, "no JSON: JSON is malformed: invalid character (byte 0)")),
        (b"[1]\n", ("unreadable", 51, "a JSON list")),
        (b'{"phase":"step","step":50,"loss":NaN}\n', ("unreadable", 51, "the bare word `NaN`")),
        (b'{"step":1}\n', ("lacking", 51, "an event without `phase`")),
        (line("step", step=50), ("lacking", 51, "a `step` without `loss`")),
        (line("step", step=50, los=1.0), ("lacking", 51, "a `step` without `loss`; it has `los`")),
        (line("step", step=50, loss="1"), ("mistyped", 51, "`loss` of `step`: expected `float`, got `str`")),
        (line("step", step=50, loss="NaN"), ("nonfinite", 51, "`loss` of `step` is NaN")),
        (line("step", step=49, loss=1.0), ("steps", 51, "step 49 again")),
        (line("step", step=9, loss=1.0), ("steps", 51, "step 9 after 49")),
        (line("step", step=50, loss=1.0, seq=7), ("order", 51, "`seq` 7 after 49")),
        (b'{"phase":"step","st', ("torn", 51, "19 bytes behind the last newline, cut off")),
    ],
)
def test_each_fault_is_told_with_its_line(bad: bytes, fault: tuple[str, int, str]) -> None:
    assert told(read(steps(50) + bad, STEP)) == [fault]


def test_a_fault_that_comes_again_is_counted() -> None:
    (fault,) = read(
        steps(5) + line("step", step=9) * 3, LogRules(name="own", events={"step": EventRule(fields={"loss": float})})
    ).faults

    assert (fault.times, fault.line) == (3, 6)


def test_writers_are_kept_apart() -> None:
    both = b"".join(steps(1, i, rank=rank) for i in range(20) for rank in (0, 1))

    assert read(both, STEP).faults == ()


def test_a_resume_explains_steps_that_come_again() -> None:
    assert read(steps(5) + line("resume", from_step=2) + line("step", step=2, loss=1.0), STEP).faults == ()


def test_a_number_that_begins_at_zero_again_is_another_process() -> None:
    assert read(line("a", seq=0) + line("a", seq=1) + line("a", seq=0) + line("a", seq=1)).faults == ()


@pytest.mark.parametrize(
    ("first", "second", "back"),
    [
        ("2024-01-01T00:00:01Z", "2024-01-01T00:00:00Z", True),
        ("2024-01-01T00:00:00.5Z", "2024-01-01T00:00:00.50001Z", False),
        ("2024-01-01T01:00:00+02:00", "2024-01-01T00:00:00Z", False),
        ("yesterday", "today", False),
        (2.0, 1.0, True),
        (1.0, "2024-01-01T00:00:00Z", False),
    ],
)
def test_times_are_compared_as_times(first: Any, second: Any, back: bool) -> None:
    assert bool(read(line("a", ts=first) + line("a", ts=second)).faults) is back


def test_rules_about_the_whole_log() -> None:
    rules = LogRules(
        name="own",
        events={"begin": EventRule(once=True), "end": EventRule(), "epoch": EventRule(rising="n", contiguous=True)},
        first="begin",
        last="end",
        pairs=(("open", "shut", "id"),),
    )
    sound = (
        line("begin") + line("open", id=1) + line("epoch", n=0) + line("epoch", n=1) + line("shut", id=1) + line("end")
    )
    unsound = (
        line("epoch", n=0)
        + line("begin")
        + line("begin")
        + line("shut", id=3)
        + line("open", id=4)
        + line("epoch", n=2)
    )

    assert read(sound, rules).faults == ()
    assert told(read(unsound, rules)) == [
        ("order", 1, "`epoch` comes first"),
        ("order", 3, "a second `begin`"),
        ("order", 4, "`shut` of id 3 with no `open` before it"),
        ("steps", 6, "epoch 2 after 0".replace("epoch", "n")),
        ("absent", 6, "no `end` among 6 events"),
        ("order", 5, "`open` of 4 is never closed"),
    ]
    assert ("order", 7, "`begin` comes last") in told(read(sound + line("begin"), rules))


def test_either_of_two_names_tells_the_kind() -> None:
    lines = b"".join(json.dumps({"event": "step", "step": i, "loss": 1.0}).encode() + b"\n" for i in range(10))

    assert read(lines, STEP) == read(lines.replace(b'"event"', b'"phase"'), STEP)


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, bytes]:
    folder = tmp_path_factory.mktemp("log")
    data = line("run_start", seed=3) + steps(40) + line("epoch_complete", epoch=0, note="é—\\n") + steps(40, start=40)
    return folder / "run.ndjson", data


@given(data=st.data())
@settings(max_examples=200, suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture])
def test_a_log_cut_anywhere_is_torn_at_most(sound: tuple[Path, bytes], data: st.DataObject) -> None:
    path, whole = sound
    path.write_bytes(whole[: data.draw(st.integers(0, len(whole)))])

    seen = scan(path, "run.ndjson", lambda _start: ANY)

    assert {fault.kind for fault in seen.faults} <= {"torn"}
    assert sum(seen.events.values()) + len(seen.faults) == seen.lines


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=6,
)
FIELDS = st.sampled_from(["phase", "event", "step", "loss", "seq", "ts", "rank", "timeline", "epoch"])
LINES = (
    st.binary(max_size=20)
    | st.dictionaries(FIELDS, JSON, max_size=5).map(lambda fields: json.dumps(fields).encode())
    | st.integers(0, 9).map(lambda i: line("step", step=i, loss=1.0, seq=i).strip())
)


@given(st.lists(LINES, max_size=30), st.sampled_from([*BUILT_IN.values(), STEP]), st.booleans())
def test_any_log_is_read_alike_in_stretches_and_line_by_line(lines: list[bytes], rules: LogRules, ended: bool) -> None:
    """In one stretch everything is quick or everything slow; line by line each is tried the quick way first."""
    data = b"\n".join(part.replace(b"\n", b" ") for part in lines) + (b"\n" if ended else b"")
    together = Scanner(rules)
    whole, newline, rest = data.rpartition(b"\n")
    if newline:
        together.read(Stretch(1, whole + newline, whole.count(b"\n") + 1))
    if rest:
        together.read(Stretch(whole.count(b"\n") + 2 if newline else 1, rest, complete=False))
    together.ledger.close(together.lines)

    alone = read_by_newline(data, rules)

    assert (together.ledger.faults, together.ledger.events) == (alone.ledger.faults, alone.ledger.events)


def read_by_newline(data: bytes, rules: LogRules) -> Scanner:
    scanner = Scanner(rules)
    *whole, rest = data.split(b"\n")
    for number, part in enumerate(whole, 1):
        scanner.read(Stretch(number, part + b"\n", 1))
    if rest:
        scanner.read(Stretch(len(whole) + 1, rest, complete=False))
    scanner.ledger.close(scanner.lines)
    return scanner


def test_most_of_a_large_log_goes_the_quick_way(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    slow: list[int] = []
    original = Scanner._line_by_line
    monkeypatch.setattr(stretching, "STRETCH", 1 << 14)

    def slowly(self: Scanner, part: Stretch) -> None:
        slow.append(part.lines)
        original(self, part)

    monkeypatch.setattr(Scanner, "_line_by_line", slowly)
    path = tmp_path / "run.ndjson"
    path.write_bytes(steps(5000) + line("other") + steps(5000, start=5000))

    seen = scan(path, "run.ndjson", lambda _start: STEP)

    assert (seen.lines, seen.faults) == (10_001, ())
    assert sum(slow) < 1000


def test_a_line_without_end_is_passed_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stretching, "STRETCH", 64)
    monkeypatch.setattr(stretching, "LONGEST_LINE", 256)
    path = tmp_path / "run.ndjson"
    path.write_bytes(line("a") + b'"' + b"x" * 1000 + b'"\n' + line("b") + line("c"))

    seen = scan(path, "run.ndjson", lambda _start: ANY)

    assert seen.events == {"a": 1, "b": 1, "c": 1}
    assert [(fault.kind, fault.line) for fault in seen.faults] == [("unreadable", 2)]
    assert seen.lines == 4


FAULTS = {
    "none": b"",
    "a step again": steps(1, start=3),
    "no JSON": b"{\n",
    "another writer": steps(5, rank=1),
    "an event of a new kind": line("epoch", n=1),
    "a line that is too long": b'"' + b"x" * 5000 + b'"\n',
    "another type": line("step", step=10_000, loss="high"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_several_processes_see_what_one_sees(fault: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "run.ndjson"
    path.write_bytes(steps(300) + FAULTS[fault] + steps(300, start=300) + b'{"phase": "st')
    monkeypatch.setattr(stretching, "STRETCH", 1000)
    monkeypatch.setattr(stretching, "LONGEST_LINE", 4000)
    monkeypatch.setattr(cores, "usable", lambda: 2)
    alone = scan(path, "run.ndjson", lambda _start: STEP)
    monkeypatch.setattr(going_ahead, "LONG", 0)
    together = scan(path, "run.ndjson", lambda _start: STEP)

    assert together == alone
    assert [fault.kind for fault in alone.faults].count("torn") == 1
    assert (len(alone.faults) == 1) == (fault in ("none", "another writer", "an event of a new kind"))


def test_a_process_that_is_killed_costs_its_help_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "run.ndjson"
    path.write_bytes(steps(400))
    monkeypatch.setattr(stretching, "STRETCH", 1000)
    monkeypatch.setattr(going_ahead, "LONG", 0)
    monkeypatch.setattr(cores, "usable", lambda: 2)
    monkeypatch.setattr(os, "pread", lambda _file, _length, _offset: os.kill(os.getpid(), signal.SIGKILL))
    seen = scan(path, "run.ndjson", lambda _start: STEP)

    assert (seen.lines, seen.events, seen.faults) == (400, {"step": 400}, ())


def test_what_is_remembered_has_a_bound() -> None:
    many = b"".join(line(f"kind {i}", rank=i) for i in range(6000))

    scanner = read_by_newline(many, ANY)

    assert len(scanner.ledger.events) <= 1025
    assert len(scanner.ledger.writers) == 4096
    assert sum(scanner.ledger.events.values()) == 6000
    assert len(scanner.known[1]) <= scanning.MOST_SHAPES


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"\x1f\x8b\x08\x00", "compressed with gzip, not lines of JSON: `zcat"),
        (b"PK\x03\x04....", "a zip archive"),
        (b"\x80\x04\x95\x00\x00", "binary"),
    ],
)
def test_what_is_no_text_is_said_to_be(content: bytes, words: str, tmp_path: Path) -> None:
    path = tmp_path / "run.ndjson"
    path.write_bytes(content)

    with pytest.raises(UsageError, match=words):
        scan(path, "run.ndjson", lambda _start: ANY)


def test_folders_and_missing_files(tmp_path: Path) -> None:
    (tmp_path / "events.ndjson").write_bytes(b"")

    with pytest.raises(UsageError, match=r"is a directory, not a log; the log of a run is .*events\.ndjson"):
        scan(tmp_path, "run", lambda _start: ANY)
    with pytest.raises(UsageError, match="No such file"):
        scan(tmp_path / "none", "run", lambda _start: ANY)
