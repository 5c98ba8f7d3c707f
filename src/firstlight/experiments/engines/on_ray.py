"""Jobs done as Ray tasks. For now on a Ray of this machine alone, started and stopped with the command."""

import contextlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from typing import Any

from firstlight.errors import UsageError
from firstlight.experiments.engines.job import Job, Made, lost, make
from firstlight.observe.inside import cores

LEAVE_SECONDS = 5.0
SETTINGS = {"RAY_USAGE_STATS_ENABLED": "0", "RAY_worker_niceness": "0"}
"""Nothing is sent home; and timelines are not starved by the programs beside them, whose seconds they are given."""


@contextlib.contextmanager
def _variables(**values: str) -> Iterator[None]:
    """Only for what is started meanwhile; the user's script gets the environment as it was."""
    before = {name: os.environ.get(name) for name in values}
    os.environ.update(values)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


class RayHands:
    name = "ray"

    def __init__(self) -> None:
        try:
            import ray
        except ImportError:
            raise UsageError(
                "`--engine ray` needs Ray, which is not installed here: pip install 'firstlight[ray]'"
            ) from None
        self._ray: Any = ray
        self._folder = tempfile.mkdtemp(prefix="fl-ray-")
        with _variables(**SETTINGS):
            ray.init(
                address="local",
                num_cpus=cores.usable(),
                include_dashboard=False,
                log_to_driver=False,
                logging_level="ERROR",
                _temp_dir=self._folder,
            )
        self._make = ray.remote(make).options(num_cpus=1, max_retries=0)
        self._under_way: set[Any] = set()

    def ready(self) -> bool:
        return True

    def begin(self, job: Job) -> Any:
        token = self._make.remote(job)
        self._under_way.add(token)
        return token

    def made(self, token: Any) -> Made | None:
        done, _ = self._ray.wait([token], timeout=0)
        if not done:
            return None
        self._under_way.discard(token)
        try:
            found: Made = self._ray.get(token)
        except self._ray.exceptions.RayError as error:
            return lost(error)
        return found

    def end(self) -> None:
        """A task that is cancelled ends its process on the way out; the time for that is bounded."""
        for token in self._under_way:
            with contextlib.suppress(self._ray.exceptions.RayError):
                self._ray.cancel(token)
        if self._under_way:
            self._ray.wait(list(self._under_way), num_returns=len(self._under_way), timeout=LEAVE_SECONDS)
            self._under_way.clear()
        self._ray.shutdown()
        shutil.rmtree(self._folder, ignore_errors=True)
