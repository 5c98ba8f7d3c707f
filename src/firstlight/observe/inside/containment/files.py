"""Routes Python's own file functions through the overlay."""

import _io
import functools
import posix

from firstlight.observe.inside.containment.directories import Directories
from firstlight.observe.inside.containment.opening import Opening, file_io
from firstlight.observe.inside.containment.overlay import Overlay
from firstlight.observe.inside.containment.routes import Routes
from firstlight.observe.inside.containment.stand_ins import Route, StandIn, rebind


def route_files(overlay: Overlay) -> None:
    opening = Opening(overlay)
    routes = {**_by_name(overlay, opening), **_by_kind(Routes(overlay))}
    originals = {name: getattr(posix, name) for name in routes if hasattr(posix, name)}
    rebind({
        **{id(original): StandIn(original, "os", routes[name]) for name, original in originals.items()},
        id(_io.open): StandIn(_io.open, "io", opening.file),
        id(_io.FileIO): file_io(opening),
    })  # fmt: skip


def _by_name(overlay: Overlay, opening: Opening) -> dict[str, Route]:
    routes, directories = Routes(overlay), Directories(overlay)
    return {
        "open": opening.descriptor, "listdir": directories.listdir, "scandir": directories.scandir,
        "chdir": directories.chdir, "getcwd": overlay.paths.cwd, "getcwdb": directories.getcwdb,
        "access": routes.access, "symlink": routes.symlink, "truncate": routes.truncate,
        "unlink": routes.removes(overlay.remove), "remove": routes.removes(overlay.remove),
        "rmdir": routes.removes(overlay.rmdir), "rename": routes.moves(overlay.rename),
        "replace": routes.moves(overlay.rename), "link": routes.moves(overlay.link),
        "fchmod": routes.updates(posix.chmod), "fchown": routes.updates(posix.chown),
    }  # fmt: skip


def _by_kind(routes: Routes) -> dict[str, Route]:
    makers: dict[Route, tuple[str, ...]] = {
        routes.reads: ("stat", "statvfs", "pathconf", "getxattr", "listxattr"),
        functools.partial(routes.reads, follow=False): ("lstat", "readlink"),
        routes.updates: ("chmod", "chown", "utime", "setxattr", "removexattr"),
        functools.partial(routes.updates, follow=False): ("lchown", "lchmod"),
        routes.creates: ("mkdir", "mkfifo", "mknod"),
    }
    made = {name: make for make, names in makers.items() for name in names if hasattr(posix, name)}
    return {name: make(getattr(posix, name)) for name, make in made.items()}
