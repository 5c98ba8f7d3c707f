"""Nothing of a script is left, however it, its children or the command end."""

import os
import signal
import subprocess
import sys
import time
import uuid
from pathlib import Path

import psutil
import pytest

from firstlight.observe.process import Script, popen
from firstlight.observe.target import START

DAEMON = """
import os, sys, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        time.sleep(600)
    os._exit(0)
os.wait()
time.sleep(float(sys.argv[1]))
sys.exit(7)
"""
COMMAND = """
import os, sys, time
from firstlight.observe.process import popen
print("begun", flush=True)
process = popen(sys.argv[1:], os.environ, os.getcwd())
time.sleep(600)
"""
linux = pytest.mark.skipif(sys.platform != "linux", reason="orphans are adopted on Linux alone")


@pytest.fixture
def mark(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """By which every process of a test is known: a variable that all inherit."""
    word = uuid.uuid4().hex
    monkeypatch.setenv("MARK", word)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "script.py").write_text(DAEMON)
    return word


def alive(mark: str) -> list[psutil.Process]:
    found = []
    for process in psutil.process_iter():
        try:
            is_other = process.pid == os.getpid() or process.status() == psutil.STATUS_ZOMBIE
            if not is_other and process.environ().get("MARK") == mark:
                found.append(process)
        except psutil.Error:
            continue
    return found


def all_gone(mark: str, seconds: float = 10.0) -> bool:
    until = time.monotonic() + seconds
    while alive(mark) and time.monotonic() < until:
        time.sleep(0.02)
    return not alive(mark)


def script(seconds: str) -> Script:
    command = (sys.executable, *START, "script.py", seconds)
    return Script(popen(command, os.environ, str(Path.cwd())), Path("output.log"), None)


@linux
def test_a_daemon_ends_with_the_script_that_left_it(mark: str) -> None:
    running = script("0")
    assert running.wait(lambda: running.seconds > 30) == 7
    assert alive(mark)
    running.end()
    assert alive(mark) == []


@linux
def test_a_script_that_is_stopped_takes_its_daemon_along(mark: str) -> None:
    running = script("600")
    running.wait(lambda: len(alive(mark)) >= 3 or running.seconds > 30)
    running.end()
    running.end()
    assert alive(mark) == []


def test_a_program_that_cannot_begin_tells_its_own_code(mark: str) -> None:
    running = Script(
        popen((sys.executable, "-c", "raise SystemExit(3)"), os.environ, str(Path.cwd())), Path("o.log"), None
    )
    assert running.wait(lambda: running.seconds > 30) == 3
    running.end()


def test_a_signal_is_told_as_such(mark: str) -> None:
    Path("script.py").write_text("import os; os.kill(os.getpid(), 11)")
    running = script("0")
    assert running.wait(lambda: running.seconds > 30) == -signal.SIGSEGV
    running.end()


@linux
@pytest.mark.parametrize("after", [0.0, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0])
def test_a_command_that_is_killed_leaves_no_process(mark: str, after: float) -> None:
    words = [sys.executable, "-c", COMMAND, sys.executable, *START, "script.py", "600"]
    with subprocess.Popen(words, stdout=subprocess.PIPE) as command:
        assert command.stdout is not None
        command.stdout.readline()
        time.sleep(after)
        command.kill()
    assert all_gone(mark)
