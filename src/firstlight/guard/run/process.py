"""The real run: the program as the user would start it, with its own input, output, signals and exit code."""

import importlib.metadata
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from firstlight.guard.run import order as orders
from firstlight.observe.target import Target, lend

PASSED_ON = tuple(
    getattr(signal, name)
    for name in ("SIGTERM", "SIGHUP", "SIGUSR1", "SIGUSR2", "SIGQUIT", "SIGCONT")
    if hasattr(signal, name)
)
CALLS_ENTRY_POINTS = (2, 5)
"""The first torch that calls our entry point by itself."""


def run(target: Target, order: orders.Order) -> int:
    """Waits for the program, however long it takes. Returns its exit code, 128 + n where signal n ended it."""
    environment = {**os.environ, orders.VARIABLE: orders.written(order)}
    lent = _lent(target, Path(order.run))
    if lent is not None:
        environment["PYTHONPATH"] = os.pathsep.join(filter(None, [lent, environment.get("PYTHONPATH")]))
    process = subprocess.Popen(_command(target), env=environment)
    with _passing_on(process):
        code = process.wait()
    return code if code >= 0 else 128 - code


def _lent(target: Target, folder: Path) -> str | None:
    """A program in another environment starts unguarded where there is no room for what it would be lent."""
    try:
        return lend(target.interpreter, folder / "lent")
    except OSError as error:
        sys.stderr.write(f"firstlight: this run is not guarded ({error.strerror or error})\n")
        return None


def _command(target: Target) -> tuple[str, ...]:
    """As the user wrote it, unless its torch would not find us."""
    return target.plain if _finds_us(target, os.environ) else target.command


def _finds_us(target: Target, environment: Mapping[str, str]) -> bool:
    if environment.get("TORCH_DEVICE_BACKEND_AUTOLOAD") == "0" or target.interpreter != sys.executable:
        return False
    try:
        release = importlib.metadata.version("torch").split(".")[:2]
        return tuple(int(part) for part in release) >= CALLS_ENTRY_POINTS
    except (importlib.metadata.PackageNotFoundError, ValueError):
        return False


@contextmanager
def _passing_on(process: "subprocess.Popen[bytes]") -> Iterator[None]:
    """Ctrl-C reaches the program from the terminal itself; what is sent to us alone is handed to it."""

    def hand_on(number: int, _frame: object) -> None:
        if process.poll() is None:
            process.send_signal(number)

    before = {number: signal.signal(number, hand_on) for number in PASSED_ON}
    before[signal.SIGINT] = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
