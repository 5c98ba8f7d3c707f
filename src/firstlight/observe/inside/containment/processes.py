"""Contains the processes the script makes."""

import os
import posix
from collections.abc import Callable
from pathlib import Path
from typing import Any

from firstlight.observe.inside.containment.overlay import Overlay
from firstlight.observe.inside.containment.replacing import replace_when_imported
from firstlight.observe.inside.containment.stand_ins import Route


class Unpickled:
    """Calls `install` where it is unpickled: in a spawned process, before anything of the user's runs there."""

    def __init__(self, install: Callable[[Path], Overlay], scratch: Path) -> None:
        self._call = install, (scratch,)

    def __reduce__(self) -> tuple[Callable[[Path], Overlay], tuple[Path]]:
        return self._call


def route_processes(overlay: Overlay, installation: Unpickled) -> None:
    def prepared(original: Route) -> Route:
        def get_preparation_data(*args: Any, **options: Any) -> dict[str, Any]:
            # The new process changes into `dir` before it is contained: it needs the physical directory.
            return {**original(*args, **options), "dir": posix.getcwd(), "firstlight": installation}

        return get_preparation_data

    def started_in(original: Route) -> Route:
        def init(*args: Any, **options: Any) -> None:
            if options.get("cwd") is not None and not overlay.layers.untouched():
                options["cwd"] = overlay.paths.entry(os.fsdecode(options["cwd"]))
            original(*args, **options)

        return init

    for module in ("multiprocessing.spawn", "joblib.externals.loky.backend.spawn"):
        replace_when_imported(module, "get_preparation_data", prepared)
    replace_when_imported("subprocess", "Popen.__init__", started_in)
