"""What the addresses answer, asked over a real connection."""

import contextlib
import http.client
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import quote

import msgspec
import pytest
from tests.dashboard.conftest import HOSTILE, SHELF, Served, Written, judge

from firstlight.records import events
from firstlight.records.report import Verdict

Serve = Callable[[], Served]
Write = Callable[..., Written]


def next_picture(answer: http.client.HTTPResponse) -> dict[str, Any]:
    """The next one of a stream."""
    data = b""
    while True:
        line = answer.readline()
        assert line
        if line.startswith(b"data: "):
            data = line[6:]
        elif line == b"\n" and data:
            found: dict[str, Any] = msgspec.json.decode(data)
            return found


def test_the_list_tells_each_run_in_a_line(serve: Serve, write: Write) -> None:
    judge(write("20260101-a"))
    judge(write("20260102-b"), Verdict.CLEAN)
    write("20260103-c", steps=7)
    cards = serve().json("/api/runs")["runs"]
    assert [card["id"] for card in cards] == ["20260103-c", "20260102-b", "20260101-a"]
    going, clean, ill = cards
    assert (going["state"], going["verdict"], going["steps"], going["command"]) == ("running", None, 7, "train.py")
    assert (clean["state"], clean["verdict"], clean["cause"]) == ("ended", "clean", None)
    assert (ill["verdict"], ill["errors"], ill["notes"], ill["cause"]) == ("ill", 4, 1, "hp-lr-high")
    assert ill["seconds"] == 1.5


def test_the_list_follows_what_changes(serve: Serve, write: Write) -> None:
    going = write("a", steps=3)
    served = serve()
    assert served.json("/api/runs")["runs"][0]["steps"] == 3
    going.steps(3, 9)
    assert served.json("/api/runs")["runs"][0]["steps"] == 9
    judge(going, Verdict.WARN)
    assert served.json("/api/runs")["runs"][0]["verdict"] == "warn"


@pytest.mark.parametrize(
    ("log", "report"),
    [
        (b"", b""),
        (b"not json\n[1, 2]\n{}\n", b"{"),
        (b'{"phase": "step", "step": "x", "loss": []}\n{"phase": 3}\n', b"[]"),
        (b'{"phase":"run_start","argv":"no list","ts":[]}\n{"phase":"step","step":1e999', b'{"verdict": 3}'),
        (b"\xff\xfe\x00\n" * 50, b"\xff"),
    ],
)
def test_broken_files_break_no_page(serve: Serve, tmp_path: Path, log: bytes, report: bytes) -> None:
    folder = tmp_path / SHELF / "broken"
    folder.mkdir(parents=True)
    (folder / "events.ndjson").write_bytes(log)
    (folder / "report.json").write_bytes(report)
    served = serve()
    assert [card["id"] for card in served.json("/api/runs")["runs"]] == ["broken"]
    assert served.json("/api/runs/broken")["report"] is None
    assert served.json("/api/runs/broken/curves")["read"] == 1.0
    assert served.ask("/runs/broken/report").status == 404


def test_a_hostile_name_is_data(serve: Serve, write: Write) -> None:
    name = HOSTILE.replace("/", "")
    judge(write(name, command=HOSTILE), text=HOSTILE)
    served = serve()
    assert served.json(f"/api/runs/{quote(name, safe='')}")["card"]["id"] == name
    page = served.ask(f"/runs/{quote(name, safe='')}/report")
    assert page.status == 200
    assert b"<img src=x" not in page.body


def test_the_report_runs_apart_from_the_server(serve: Serve, write: Write) -> None:
    judge(write("a"))
    policy = serve().ask("/runs/a/report").headers["content-security-policy"]
    assert "sandbox allow-scripts" in policy
    assert "allow-same-origin" not in policy
    assert "default-src 'none'" in policy


def test_files_are_text_or_downloads_and_never_pages(serve: Serve, write: Write) -> None:
    run = write("a").run
    (run.path / "artifacts" / "deep").mkdir(parents=True)
    (run.path / "artifacts" / "deep" / "page.html").write_text("<script>alert(1)</script>", encoding="utf-8")
    (run.path / "scratch").mkdir()
    (run.path / "scratch" / "hidden").touch()
    served = serve()
    files = {file["path"]: file["bytes"] for file in served.json("/api/runs/a")["files"]}
    assert set(files) == {"events.ndjson", "artifacts/deep/page.html"}
    page = served.ask("/runs/a/files/artifacts/deep/page.html")
    assert page.headers["content-type"] == "application/octet-stream"
    assert page.headers["content-disposition"].startswith("attachment")
    log = served.ask("/runs/a/files/events.ndjson")
    assert log.headers["content-type"].startswith("text/plain")
    assert log.headers["content-security-policy"] == "default-src 'none'; sandbox"


def test_a_run_is_seen_as_it_goes(serve: Serve, write: Write) -> None:
    going = write("a", steps=20)
    with serve().stream("/api/runs/a/live") as stream:
        assert stream.headers["content-type"].startswith("text/event-stream")
        first = next_picture(stream)
        assert first["plots"]["loss"]["curves"][0]["x"] == list(range(20))
        assert first["plots"]["loss"]["curves"][0]["y"][13] == "NaN"
        going.steps(20, 30)
        going.log.append(events.RedFlag, type="loss-spike", severity="error", message=HOSTILE, recommendation="look")
        while (later := next_picture(stream))["card"]["steps"] < 30 or not later["sightings"]:
            pass
        assert later["plots"]["loss"]["curves"][0]["x"] == list(range(30))
        assert later["sightings"][0]["text"] == HOSTILE
        judge(going)
        while (last := next_picture(stream))["card"]["state"] != "ended":
            pass
        assert last["card"]["verdict"] == "ill"


def test_many_look_at_one_run(serve: Serve, write: Write) -> None:
    going = write("a")
    served = serve()
    with contextlib.ExitStack() as stack:
        streams = [stack.enter_context(served.stream("/api/runs/a/live")) for _ in range(12)]
        for stream in streams:
            assert next_picture(stream)["card"]["steps"] == 20
        going.steps(20, 25)
        for stream in streams:
            while next_picture(stream)["card"]["steps"] != 25:
                pass


def test_a_stretch_of_steps_is_given_as_it_was_logged(serve: Serve, write: Write) -> None:
    write("a", steps=4000)
    served = serve()
    whole = served.json("/api/runs/a/curves")["plots"]["loss"]["curves"][0]
    assert len(whole["x"]) < 2000
    some = served.json("/api/runs/a/curves?from=1500&to=1600.5")
    assert some["fine"]
    assert some["plots"]["loss"]["curves"][0]["x"] == list(range(1500, 1601))
    assert served.ask("/api/runs/a/curves?from=x").status == 400
    assert served.json("/api/runs/a/curves?from=nan&to=nan")["plots"]["loss"]


def test_runs_are_laid_over_each_other(serve: Serve, write: Write) -> None:
    for name in "abc":
        write(name, steps=5)
    found = serve().json("/api/compare?run=a&run=c&run=nope&run=..")
    assert [card["id"] for card in found["cards"]] == ["a", "c"]
    curves = found["plots"]["loss"]["curves"]
    assert [(curve["name"], curve["tone"]) for curve in curves] == [("a", 0), ("c", 1)]
    assert found["read"] == 1.0


def test_layers(serve: Serve, write: Write) -> None:
    going = write("a")
    for step in range(3):
        going.log.append(
            events.GradientStats, step=step, params=[{"name": HOSTILE, "norm": 0.5}, {"name": "fc", "norm": math.nan}]
        )
    plots = serve().json("/api/runs/a/layers")["plots"]
    assert all(HOSTILE in plot["rows"] for plot in plots.values())
    assert plots


@pytest.mark.parametrize("path", ["/api/runs/none", "/api/runs/none/live", "/runs/none/report", "/static/none.js"])
def test_what_is_not_there_is_not_found(serve: Serve, path: str) -> None:
    assert serve().ask(path).status == 404
