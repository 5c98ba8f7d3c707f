"""What the dashboard bears: 50 pages on a live run that logs 10,000 events a second, 1,000 runs, a run of 1,000,000 steps.

    python bench/dashboard.py [--seconds 20] [--clients 50] [--rate 10000] > bench/results/dashboard.md

The server runs as users run it, in a process of its own; the program that logs and the pages that look are others.
Latency is from the moment a step is written to the moment a page holds a picture with it.
"""

import argparse
import asyncio
import contextlib
import json
import math
import os
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from urllib.parse import urlsplit

import msgspec
import psutil

LINE = (
    '{"phase":"step","event":"step","ts":"2026-01-01T00:00:00.000Z","run_id":"%s","seq":%d,"schema":"firstlight/1",'
    '"rank":0,"timeline":null,"elapsed_s":%.4f,"step":%d,"loss":%.6f,"lr":0.001,"grad_norm":%.6f,"clip_coef":1.0,'
    '"param_norm":10.5,"amp_scale":null,"skipped":false,"data_wait_s":0.001,"step_s":0.0001,"batch_hash":null,'
    '"components":{},"observed":null}\n'
)


def line(run: str, step: int) -> bytes:
    return (LINE % (run, step, step / 1e4, step, 0.1 + math.exp(-step / 5e4), 1.0 + math.sin(step))).encode()


def write(folder: str, rate: float, seconds: float) -> None:
    """A program that logs: a line a step, each written at its time."""
    run = Path(folder)
    run.mkdir(parents=True)
    begun = time.time()
    (run / "begun").write_text(repr(begun), encoding="utf-8")
    descriptor = os.open(run / "events.ndjson", os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    step = 0
    while (now := time.time() - begun) < seconds:
        due = int(now * rate)
        while step < due:
            os.write(descriptor, line(run.name, step))
            step += 1
        time.sleep(0.002)
    print(step / (time.time() - begun))


class Picture(msgspec.Struct):
    plots: dict[str, dict[str, object]]


async def look(url: str, run: str, until: float, begun: float, rate: float) -> list[float]:
    """A page: seconds from the writing of the last step it sees to its seeing it."""
    parts, token = urlsplit(url), url.partition("token=")[2]
    reader, writer = await asyncio.open_connection(parts.hostname, parts.port, limit=2**24)
    asked = f"GET /api/runs/{run}/live HTTP/1.1\r\nhost: {parts.netloc}\r\nauthorization: Bearer {token}\r\n\r\n"
    writer.write(asked.encode())
    found = []
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout_at(asyncio.get_running_loop().time() + until - time.time()):
            while data := await reader.readline():
                if data.startswith(b"data: "):
                    seen = time.time()
                    curve = msgspec.json.decode(data[6:], type=Picture).plots["loss"]["curves"][0]  # type: ignore[index]
                    found.append(seen - begun - curve["x"][-1] / rate)
    writer.close()
    return found


@contextlib.contextmanager
def serving(folder: Path) -> Iterator[tuple[str, psutil.Process]]:
    command = [sys.executable, "-m", "firstlight", "serve", str(folder), "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout
        url = server.stdout.readline().strip()
        try:
            yield url, psutil.Process(server.pid)
        finally:
            server.terminate()


def ask(url: str, path: str) -> tuple[float, dict[str, object]]:
    request = urllib.request.Request(url.partition("?")[0] + path)
    request.add_header("authorization", f"Bearer {url.partition('token=')[2]}")
    begun = time.perf_counter()
    with urllib.request.urlopen(request, timeout=120) as answer:
        found = json.loads(answer.read())
    return time.perf_counter() - begun, found


def live(rate: float, clients: int, seconds: float) -> Iterator[str]:
    with tempfile.TemporaryDirectory() as folder:
        run = Path(folder) / ".firstlight" / "runs" / "live"
        run.parent.mkdir(parents=True)
        with serving(Path(folder)) as (url, server):
            logging = [sys.executable, __file__, "--write", str(run), "--rate", str(rate), "--seconds", str(seconds)]
            with subprocess.Popen(logging, stdout=subprocess.PIPE, text=True) as writer:
                while not (run / "begun").exists():
                    time.sleep(0.01)
                begun = float((run / "begun").read_text(encoding="utf-8"))
                before = sum(server.cpu_times()[:2])
                pages = asyncio.run(_all(url, clients, begun, seconds, rate))
                spent = sum(server.cpu_times()[:2]) - before
                memory = server.memory_info().rss / 1e6
                assert writer.stdout
                achieved = float(writer.stdout.read())
    latencies = sorted(latency for page in pages for latency in page[1:])
    yield f"| events written a second | {achieved:,.0f} |"
    yield f"| pages | {clients} |"
    yield f"| pictures a page and second | {median(map(len, pages)) / seconds:.2f} |"
    for percent in (50, 90, 99):
        yield f"| latency, {percent} % below | {latencies[int(percent / 100 * (len(latencies) - 1))]:.2f} s |"
    yield f"| fewest pictures of any page | {min(map(len, pages))} |"
    yield f"| CPU of the server | {spent / seconds:.0%} of a core |"
    yield f"| memory of the server | {memory:.0f} MB |"


async def _all(url: str, clients: int, begun: float, seconds: float, rate: float) -> list[list[float]]:
    looks = [look(url, "live", begun + seconds, begun, rate) for _ in range(clients)]
    return await asyncio.gather(*looks)


def many(count: int) -> Iterator[str]:
    with tempfile.TemporaryDirectory() as folder:
        for number in range(count):
            run = Path(folder) / ".firstlight" / "runs" / f"20260101-{number:06d}"
            run.mkdir(parents=True)
            (run / "events.ndjson").write_bytes(b"".join(line(run.name, step) for step in range(150)))
            (run / "report.json").write_text(json.dumps(REPORT), encoding="utf-8")
        with serving(Path(folder)) as (url, server):
            cold, found = ask(url, "api/runs")
            assert len(found["runs"]) == count  # type: ignore[arg-type]
            warm = median(ask(url, "api/runs")[0] for _ in range(5))
            memory = server.memory_info().rss / 1e6
    yield f"| list of {count:,} runs, first time | {cold:.2f} s |"
    yield f"| the same again | {warm:.3f} s |"
    yield f"| memory of the server | {memory:.0f} MB |"


FINDING = {"severity": "error", "id": "FL203", "saw": "x" * 400, "wanted": "y" * 200}
REPORT = {"verdict": "ill", "subject": {"command": ["train.py"]}, "findings": [FINDING] * 4, "timing": {"seconds": 3.0}}


def long(steps: int) -> Iterator[str]:
    with tempfile.TemporaryDirectory() as folder:
        run = Path(folder) / ".firstlight" / "runs" / "long"
        run.mkdir(parents=True)
        with (run / "events.ndjson").open("wb") as file:
            file.writelines(line("long", step) for step in range(steps))
        size = (run / "events.ndjson").stat().st_size
        with serving(Path(folder)) as (url, server):
            begun, before = time.perf_counter(), sum(server.cpu_times()[:2])
            first, found = ask(url, "api/runs/long/curves")
            slowest = 0.0
            while float(found["read"]) < 1.0:  # type: ignore[arg-type]
                slowest = max(slowest, ask(url, "api/runs")[0])
                _, found = ask(url, "api/runs/long/curves")
            whole, spent = time.perf_counter() - begun, sum(server.cpu_times()[:2]) - before
            again, _ = ask(url, "api/runs/long/curves")
            zoom, fine = ask(url, f"api/runs/long/curves?from={steps // 3}&to={steps // 3 + 1000}")
            assert fine["fine"]
            memory = server.memory_info().rss / 1e6
    yield f"| log of {steps:,} steps | {size / 1e6:,.0f} MB |"
    yield f"| first picture | {first:.2f} s |"
    yield f"| whole log read | {whole:.1f} s, {spent:.1f} s of CPU |"
    yield f"| slowest answer to another page meanwhile | {slowest:.2f} s |"
    yield f"| picture of the whole, afterwards | {again:.2f} s |"
    yield f"| 1,000 of its steps as logged | {zoom:.2f} s |"
    yield f"| memory of the server | {memory:.0f} MB |"


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("--clients", type=int, default=50)
    parser.add_argument("--rate", type=float, default=10_000.0)
    parser.add_argument("--runs", type=int, default=1_000)
    parser.add_argument("--steps", type=int, default=1_000_000)
    parser.add_argument("--write")
    given = parser.parse_args()
    if given.write:
        write(given.write, given.rate, given.seconds)
        return
    print("# The dashboard under load\n\nWritten by `bench/dashboard.py`, which says how it measures.")
    load = os.getloadavg()[0]
    print(f"2 shared cores, Linux, Python {sys.version.split()[0]}; load average {load:.0f} from other work.\n")
    for title, rows in (
        ("A live run", live(given.rate, given.clients, given.seconds)),
        ("Many runs", many(given.runs)),
        ("A long run", long(given.steps)),
    ):
        print(f"## {title}\n\n| | |\n|---|---|", *rows, sep="\n", flush=True)
        print()


if __name__ == "__main__":
    main()
