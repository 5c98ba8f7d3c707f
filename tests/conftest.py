"""Runs the real command on real scripts, as a user would."""

import contextlib
import functools
import io
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from firstlight import session
from firstlight.cli import main
from firstlight.experiments.engines.warm import WarmParent
from firstlight.judge.verdict import exit_code
from firstlight.observe import watch
from firstlight.observe.spec import Spec
from firstlight.observe.target import parse
from firstlight.observe.watch import Eyes, Means
from firstlight.report import json as json_report
from firstlight.settings import PROFILES, load

# Tests run side by side, and a pool of threads for each of them does nothing but wait for a core.
os.environ["OMP_NUM_THREADS"] = "1"
# Without a GPU the kernels run in Triton's interpreter. It is chosen when Triton is first imported, by whichever test.
if not Path("/dev/nvidia0").exists():
    os.environ["TRITON_INTERPRET"] = "1"
# How long an example takes says something about the machine, not about the code. The same examples everywhere: a rare
# input that is met by chance should not fail somebody else's change. `--hypothesis-profile explore` looks for new ones.
settings.register_profile("explore", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("firstlight", settings.get_profile("explore"), derandomize=True)
settings.load_profile("firstlight")

ROOT = Path(__file__).resolve().parents[1]
REAL = tuple(str(ROOT / "tests" / name) for name in ("experiments", "guard", "integrations", "programs", "survey"))
"""Tests that start programs, fork them and wait for them. On a machine that stalls for seconds one may fail although
nothing is wrong: it is run once more, and reported as rerun. What is wrong fails twice."""
PATIENCE = 5
"""Times the seconds of a profile that a program has in a test which is not about time: the machine may be busy."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if str(item.path).startswith(REAL):
            item.add_marker(pytest.mark.flaky(reruns=1))


@dataclass(frozen=True)
class Checked:
    code: int
    report: dict[str, Any]
    stderr: str
    folder: Path

    def named(self, severity: str | None = None) -> list[str]:
        return [f["name"] for f in self.report["findings"] if severity is None or f["severity"] == severity]

    def loud(self) -> list[str]:
        return [f"{f['id']} {f['name']}: {f['saw']}" for f in self.report["findings"] if f["severity"] != "note"]

    def finding(self, name: str) -> dict[str, Any]:
        return next(f for f in self.report["findings"] if f["name"] == name)


def _environment() -> dict[str, str]:
    return {key: value for key, value in os.environ.items() if not key.startswith("FIRSTLIGHT")}


Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def firstlight(tmp_path: Path) -> Run:
    def run(*words: str, cwd: Path | None = None, timeout: float = 200) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "firstlight", *words],
            cwd=cwd or tmp_path,
            env=_environment(),
            capture_output=True,
            text=True,
            timeout=timeout,
            check=False,
        )

    return run


@pytest.fixture
def command(eyes: Eyes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """As `firstlight`, without a process for the command itself, and with torch imported for every script it starts."""
    monkeypatch.chdir(tmp_path)
    for key in os.environ.keys() - _environment().keys():
        monkeypatch.delenv(key)
    monkeypatch.setattr(watch, "Eyes", functools.partial(Eyes, means=eyes.means))

    def run(*words: str) -> subprocess.CompletedProcess[str]:
        said, told = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True) for _ in range(2))
        asked_to_end = signal.getsignal(signal.SIGTERM)
        with contextlib.redirect_stdout(said), contextlib.redirect_stderr(told):
            try:
                code = main.run(words)
            finally:
                signal.signal(signal.SIGTERM, asked_to_end)
        return subprocess.CompletedProcess(words, code, *(text.buffer.getvalue().decode() for text in (said, told)))

    return run


@pytest.fixture
def check(command: Run, tmp_path: Path) -> Callable[..., Checked]:
    """Writes a script, checks it, and gives back the report."""
    return functools.partial(_checked, command, tmp_path)


@pytest.fixture
def check_apart(firstlight: Run, tmp_path: Path) -> Callable[..., Checked]:
    """As `check`, by the real command: where processes, and how they are started, are the matter."""
    return functools.partial(_checked, firstlight, tmp_path)


def _checked(
    run: Run, folder: Path, source: str, *flags: str, arguments: tuple[str, ...] = (), name: str = "train.py"
) -> Checked:
    (folder / name).write_text(source, encoding="utf-8")
    done = run("check", "--format", "json", *flags, name, *arguments)
    assert done.stdout, done.stderr
    return Checked(code=done.returncode, report=json.loads(done.stdout), stderr=done.stderr, folder=folder)


@pytest.fixture(scope="session", autouse=True)
def _state(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """What firstlight keeps for its user lies elsewhere during tests."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_STATE_HOME", str(tmp_path_factory.mktemp("state")))
        yield


@pytest.fixture
def interruptible() -> Iterator[None]:
    """Ctrl-C is heard, as in a terminal, here and by what is started here; jobs in the background have it off."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture(scope="session")
def warm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WarmParent]:
    """Starts `train.py` in whatever directory it is asked to, with torch imported already."""
    folder = tmp_path_factory.mktemp("warm")
    (folder / "train.py").touch()
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        parent = WarmParent(parse(("train.py",), module=False), _spec(folder), _environment())
        while not parent.settled():
            time.sleep(0.02)
    yield parent
    parent.end()


def _spec(folder: Path) -> Spec:
    """Each run brings its own; of this one, only what concerns files is used."""
    nowhere = str(folder / "nowhere")
    return Spec(
        run_id="warm",
        run=nowhere,
        events=nowhere,
        scratch=nowhere,
        cwd=str(folder),
        owner=os.getpid(),
        steps=1,
        seconds=1.0,
        full_steps=1,
        sample_every=1,
        taps=(),
        seed=0,
    )


@pytest.fixture
def eyes(warm: WarmParent) -> Eyes:
    return Eyes(lambda _text: None, means=Means(_environment(), warm.start))


@pytest.fixture
def judge(eyes: Eyes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Checked]:
    """What `firstlight check` does with a script, at a third of the cost: nothing is imported again for it."""
    monkeypatch.chdir(tmp_path)

    def judged(source: str, profile: str = "standard", **flags: Any) -> Checked:
        (tmp_path / "train.py").write_text(source, encoding="utf-8")
        settings = load(tmp_path, profile=profile, **{"seconds": PATIENCE * PROFILES[profile].seconds, **flags})
        patient = replace(eyes, startup_seconds=settings.startup_seconds)
        report = session.check(parse(("train.py",), module=False), settings, patient)
        told = json.loads(json_report.render(report))
        return Checked(code=exit_code(report, settings.strict), report=told, stderr="", folder=tmp_path)

    return judged


@pytest.fixture
def rehearse(eyes: Eyes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Checked]:
    """What `firstlight rehearse` does with a script, from a process that has torch imported."""
    monkeypatch.chdir(tmp_path)

    def rehearsed(source: str, seconds: float = 75.0, **others: str) -> Checked:
        for name, text in {"train": source, **others}.items():
            (tmp_path / f"{name}.py").write_text(text, encoding="utf-8")
        settings = load(tmp_path, seconds=seconds)
        report = session.rehearse(parse(("train.py",), module=False), settings, eyes)
        told = json.loads(json_report.render(report))
        return Checked(code=exit_code(report, settings.strict), report=told, stderr="", folder=tmp_path)

    return rehearsed


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    """For one module: as long as it is open its event loop runs in this thread, where no other can then be started."""
    missing = "playwright is not installed: `make test-browser` does it"
    playwright = pytest.importorskip("playwright.sync_api", reason=missing)
    names = ("chromium", "chromium-browser", "google-chrome")
    binary = next(filter(None, (os.environ.get("CHROMIUM"), *map(shutil.which, names))), None)
    if binary is None:
        pytest.skip("no Chromium on this machine")
    with playwright.sync_playwright() as started:
        flags = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run"]
        browser = started.chromium.launch(executable_path=binary, args=flags)
        yield browser
        browser.close()
