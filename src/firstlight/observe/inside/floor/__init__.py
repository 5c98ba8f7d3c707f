"""The floor under the patched layers of containment: what the kernel itself keeps from the user's files.

Put in place before the first line of the script; whatever the script starts inherits it. Two of them, as far as the
machine has them: a `view` of the file system, in which native code and started programs write to a copy of the project,
and `landlock`, which refuses every other write. What neither covers, the report names.
"""

import json
import os
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path

import msgspec

from firstlight.observe.inside.floor import landlock, view
from firstlight.records.containment import Floor

FILE = "floor.json"
CHANGES = "view"


def stand(scratch: Path, project: Path, writable: Iterable[Path], floors: tuple[str, ...]) -> Floor:
    """On those of `floors` that this machine gives, and say so in `scratch`; a second call answers the first one's.

    Nothing but `writable` can be written afterwards, and of the project only a copy where there is a view.
    """
    known = found(scratch)
    if known is not None:
        return known
    home = os.path.realpath(project)
    folders = [real for path in writable if not f"{home}/".startswith(f"{(real := os.path.realpath(path))}/")]
    changes = os.path.join(os.path.realpath(tempfile.gettempdir()), CHANGES)
    has_view = "view" in floors and _stands(lambda: view.enter(home, folders, changes))
    version = landlock.version() if "landlock" in floors else 0
    has_rules = version >= landlock.LEAST_VERSION and _stands(
        lambda: landlock.restrict([*folders, *([home] if has_view else [])])
    )
    floor = Floor(
        view=has_view,
        landlock=version if has_rules else 0,
        project=home,
        changes=os.path.join(changes, "upper") if has_view else "",
    )
    Path(scratch, FILE).write_text(json.dumps(msgspec.to_builtins(floor)), encoding="ascii")  # paths may be no Unicode
    return floor


def found(scratch: Path) -> Floor | None:
    try:
        return msgspec.convert(json.loads(Path(scratch, FILE).read_bytes()), Floor)
    except (OSError, ValueError, msgspec.MsgspecError):
        return None


def _stands(lay: Callable[[], None]) -> bool:
    try:
        lay()
    except (OSError, AttributeError):
        return False
    return True
