"""Puts every part of the containment in place, once per process."""

import os
import sys
import tempfile
from pathlib import Path

from firstlight.observe.inside.containment.databases import route_databases
from firstlight.observe.inside.containment.doings import note_doings
from firstlight.observe.inside.containment.files import route_files
from firstlight.observe.inside.containment.native import route_native
from firstlight.observe.inside.containment.overlay import Overlay
from firstlight.observe.inside.containment.passes import default_passes
from firstlight.observe.inside.containment.processes import Unpickled, route_processes
from firstlight.observe.inside.containment.refusal import refuse_unrouted
from firstlight.observe.inside.containment.trackers import silence_trackers

_installed: Overlay | None = None


def install(scratch: Path) -> Overlay:
    """Contain this process; a second call answers the first one's overlay.

    Everything outside `default_passes()` is held back, and within them the current directory of the first process to
    install; the others that share `scratch` follow it.
    """
    global _installed
    if _installed is None:
        os.makedirs(scratch, exist_ok=True)
        project = _agreed_project(scratch)
        _leave_shared_temp(scratch, project)
        overlay = _installed = Overlay(scratch, (*default_passes(), scratch.absolute().parent), (project,))
        os.register_at_fork(after_in_child=overlay.after_fork)
        route_files(overlay)
        route_native(overlay)
        route_databases(overlay)
        route_processes(overlay, Unpickled(install, scratch.absolute()))
        silence_trackers(scratch)
        sys.addaudithook(refuse_unrouted(overlay))
        sys.addaudithook(note_doings(str(scratch.absolute())))
    return _installed


def stay_offline(scratch: Path) -> None:
    """Without the layers over files, for a run that only the floor contains: trackers still send nothing."""
    os.makedirs(scratch, exist_ok=True)
    silence_trackers(scratch)


def _agreed_project(scratch: Path) -> Path:
    record = scratch / "project"
    if not record.exists():
        record.write_bytes(os.fsencode(os.getcwd()))
    return Path(os.fsdecode(record.read_bytes()))


def _leave_shared_temp(scratch: Path, project: Path) -> None:
    """A user at work in the temporary directory itself: their files there are held, so ours must lie elsewhere."""
    if os.path.realpath(tempfile.gettempdir()) == os.path.realpath(project):
        tempfile.tempdir = os.environ["TMPDIR"] = str(scratch.absolute() / "tmp")
        os.makedirs(tempfile.tempdir, exist_ok=True)
