"""Holds back what a checked script writes, so that the script does not notice and the user's files stay as they are.

Contained:
- Python's file functions (`open`, `io.FileIO`, `os.*`, and so `pathlib`, `shutil`, `tempfile`, `glob`, `logging`,
  `pickle`, `zipfile`, numpy, pandas, Pillow, matplotlib, TensorBoard) go through an `Overlay`; so does `sqlite3`.
- Native writers and readers that take a path: `_NATIVE` below lists them.
- Trackers: W&B is disabled, MLflow gets a store in the scratch folder, uploads to the Hugging Face Hub are not sent,
  Comet, Neptune, ClearML, SwanLab and Trackio are told by environment to stay offline.
- Processes made by `multiprocessing` (fork, spawn, forkserver) and joblib; others from the moment they import torch.

Not contained: other native writers (XGBoost's `save_model`, `torch.from_file`, TensorFlow, Unix sockets), programs the
script starts (`os.system("rm …")`; they also do not see what is held back), and other use of the network.

A write that reaches Python's lowest layer unrouted is refused with an `OSError` by an audit hook: nothing that Python
itself writes falls through.
"""

import _io
import abc
import errno
import functools
import inspect
import json
import os
import posix
import stat
import sys
import tempfile
import threading
import urllib.parse
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FunctionType, MethodType, ModuleType, TracebackType
from typing import Any

from firstlight.observe.inside.imports import when_imported
from firstlight.observe.inside.overlay import WRITING, Overlay

Route = Callable[..., Any]
_REPLACE = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
_CHANGE = os.O_RDWR | os.O_CREAT
_CHANGING_MODES = frozenset("wax+")
_installed: Overlay | None = None
_quiet = threading.local()


def install(scratch: Path, holds: tuple[Path, ...] = ()) -> Overlay:
    """Contain this process; a second call answers the first one's overlay.

    Everything outside `default_passes()` is held back, and within them the current directory and `holds`. The first
    process to install decides on those; the others that share `scratch` follow it.
    """
    global _installed
    if _installed is None:
        os.makedirs(scratch, exist_ok=True)
        places = _agreed_holds(scratch, holds)
        _leave_shared_temp(scratch, places)
        overlay = _installed = Overlay(scratch, (*default_passes(), scratch.absolute().parent), places)
        os.register_at_fork(after_in_child=overlay.after_fork)
        _route_files(overlay)
        _route_native(overlay)
        _route_processes(overlay, scratch)
        _silence_trackers(scratch)
        sys.addaudithook(_refuse_unrouted(overlay))
    return _installed


def held_back(overlay: Overlay) -> list[str]:
    """The user's paths of all files that were written and kept aside, sorted."""
    return overlay.written()


def default_passes() -> tuple[Path, ...]:
    """Where a script may write: temporary files, Python's own installation, caches that are there to be filled."""
    home = Path.home()
    interpreter = {Path(sys.prefix), Path(sys.base_prefix), *(Path(p) for p in sys.path if p.endswith("-packages"))}
    caches = (home / name for name in _CACHES)
    named = (Path(os.environ[name]).expanduser() for name in _CACHE_VARIABLES if os.environ.get(name))
    written_by_import = (Path(sys.pycache_prefix),) if sys.pycache_prefix else ()
    return (Path(tempfile.gettempdir()), *(interpreter - {Path("/")}), *caches, *named, *written_by_import)


def tracker_environment(scratch: Path) -> dict[str, str]:
    """The environment in which trackers keep to `scratch` or do nothing, for the launcher of the script."""
    return {
        "WANDB_MODE": "disabled",
        "WANDB_SILENT": "true",
        "WANDB_DIR": str(scratch / "wandb"),
        "MLFLOW_TRACKING_URI": _mlflow_store(scratch),
        "MLFLOW_REGISTRY_URI": _mlflow_store(scratch),
        "MLFLOW_ALLOW_FILE_STORE": "true",
        "MLFLOW_DISABLE_TELEMETRY": "true",
        "COMET_MODE": "DISABLED",
        "COMET_START_ONLINE": "0",
        "COMET_OFFLINE_DIRECTORY": str(scratch / "comet"),
        "NEPTUNE_MODE": "debug",
        "CLEARML_OFFLINE_MODE": "1",
        "SWANLAB_MODE": "disabled",
        "TRACKIO_DIR": str(scratch / "trackio"),
    }


_CACHES = (
    ".cache", ".config/matplotlib", ".triton", ".keras", ".nv", ".torch", ".local/share/jupyter", "nltk_data",
)  # fmt: skip
_CACHE_VARIABLES = (
    "XDG_CACHE_HOME", "HF_HOME", "HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE", "HF_DATASETS_CACHE", "TRANSFORMERS_CACHE",
    "SENTENCE_TRANSFORMERS_HOME", "TORCH_HOME", "TORCH_EXTENSIONS_DIR", "TORCHINDUCTOR_CACHE_DIR", "TRITON_CACHE_DIR",
    "TRITON_HOME", "MPLCONFIGDIR", "NUMBA_CACHE_DIR", "NLTK_DATA", "KERAS_HOME", "KAGGLEHUB_CACHE", "CUDA_CACHE_PATH",
)  # fmt: skip


def _agreed_holds(scratch: Path, holds: tuple[Path, ...]) -> tuple[Path, ...]:
    record = scratch / "holds"
    if not record.exists():
        record.write_text(json.dumps([os.getcwd(), *map(os.path.abspath, holds)]))
    return tuple(map(Path, json.loads(record.read_text())))


def _leave_shared_temp(scratch: Path, holds: tuple[Path, ...]) -> None:
    """A user at work in the temporary directory itself: their files there are held, so ours must lie elsewhere."""
    if os.path.realpath(tempfile.gettempdir()) in map(os.path.realpath, holds):
        tempfile.tempdir = os.environ["TMPDIR"] = str(scratch.absolute() / "tmp")
        os.makedirs(tempfile.tempdir, exist_ok=True)


# Python's own functions


class StandIn:
    """Takes a built-in function's place: called, named and pickled as it is and, like it, never bound as a method."""

    def __init__(self, original: Route, module: str, route: Route) -> None:
        self._route = route
        self.__wrapped__ = original
        self.__name__ = self.__qualname__ = original.__name__
        self.__doc__ = original.__doc__
        self.__module__ = module

    def __call__(self, *args: Any, **options: Any) -> Any:
        return self._route(*args, **options)

    def __reduce__(self) -> str:
        return self.__name__


class Entry:
    """What `os.DirEntry` is, for an entry of a directory that is partly or wholly in the overlay."""

    def __init__(self, overlay: Overlay, place: str, name: str | bytes, path: str | bytes) -> None:
        self._overlay, self._place = overlay, place
        self.name, self.path = name, path

    def stat(self, *, follow_symlinks: bool = True) -> os.stat_result:
        return posix.stat(self._overlay.seen(self._place, follow_symlinks), follow_symlinks=follow_symlinks)

    def is_dir(self, *, follow_symlinks: bool = True) -> bool:
        return self._is(stat.S_ISDIR, follow_symlinks)

    def is_file(self, *, follow_symlinks: bool = True) -> bool:
        return self._is(stat.S_ISREG, follow_symlinks)

    def is_symlink(self) -> bool:
        return self._is(stat.S_ISLNK, False)

    def is_junction(self) -> bool:
        return False

    def inode(self) -> int:
        return self.stat(follow_symlinks=False).st_ino

    def __fspath__(self) -> str | bytes:
        return self.path

    def __repr__(self) -> str:
        return f"<DirEntry {self.name!r}>"

    def _is(self, kind: Callable[[int], bool], follow_symlinks: bool) -> bool:
        try:
            return kind(self.stat(follow_symlinks=follow_symlinks).st_mode)
        except FileNotFoundError:
            return False


class Listing:
    """What `os.scandir` returns: an iterator that can be closed and used in `with`."""

    def __init__(self, entries: list[Entry]) -> None:
        self._entries = iter(entries)

    def __iter__(self) -> Iterator[Entry]:
        return self

    def __next__(self) -> Entry:
        return next(self._entries)

    def __enter__(self) -> "Listing":
        return self

    def __exit__(self, kind: type[BaseException] | None, error: object, trace: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        self._entries = iter(())


class Router:
    """Makes, for one overlay, the functions that take the place of Python's."""

    def __init__(self, overlay: Overlay) -> None:
        self._overlay = overlay

    def reads(self, original: Route, follow: bool = True) -> Route:
        overlay = self._overlay

        def route(path: Any, *args: Any, dir_fd: int | None = None, **options: Any) -> Any:
            if path is None or isinstance(path, int) or not overlay.removals.started():
                return original(path, *args, **options, **({} if dir_fd is None else {"dir_fd": dir_fd}))
            with _naming(path):
                place = overlay.seen(self._text(path, dir_fd), follow and options.get("follow_symlinks", True))
                return original(_like(path, place), *args, **options)

        return route

    def updates(self, original: Route, follow: bool = True) -> Route:
        overlay = self._overlay

        def route(path: Any, *args: Any, dir_fd: int | None = None, **options: Any) -> Any:
            if isinstance(path, int):
                behind = overlay.place_of(_behind(path))
                if not behind.startswith("/") or not overlay.territory.held(behind) or behind != _behind(path):
                    return original(path, *args, **options)
                path = behind
            with _naming(path):
                follows = follow and options.get("follow_symlinks", True)
                place = overlay.updated(self._text(path, dir_fd), follows)
                return original(_like(path, place), *args, **options)

        return route

    def creates(self, original: Route) -> Route:
        def route(path: Any, *args: Any, dir_fd: int | None = None, **options: Any) -> Any:
            with _naming(path):
                return original(_like(path, self._overlay.created(self._text(path, dir_fd))), *args, **options)

        return route

    def removes(self, operation: Callable[[str], None]) -> Route:
        def route(path: Any, *, dir_fd: int | None = None) -> None:
            with _naming(path):
                operation(self._text(path, dir_fd))

        return route

    def moves(self, operation: Callable[[str, str], None]) -> Route:
        def route(
            src: Any, dst: Any, *, src_dir_fd: int | None = None, dst_dir_fd: int | None = None, **_options: Any
        ) -> None:
            with _naming(src, dst):
                operation(self._text(src, src_dir_fd), self._text(dst, dst_dir_fd))

        return route

    def access(self, path: Any, mode: int, **options: Any) -> bool:
        try:
            return bool(self.reads(posix.access)(path, mode, **options))
        except OSError:
            return False

    def symlink(self, src: Any, dst: Any, target_is_directory: bool = False, *, dir_fd: int | None = None) -> None:
        with _naming(src, dst):
            posix.symlink(src, _like(src, self._overlay.created(self._text(dst, dir_fd))))

    def truncate(self, path: Any, length: int) -> None:
        if isinstance(path, int):
            posix.truncate(path, length)
            return
        with _naming(path):
            posix.truncate(self._overlay.opened(self._text(path), os.O_WRONLY), length)

    def open(self, path: Any, flags: int, mode: int = 0o777, *, dir_fd: int | None = None) -> int:
        if not flags & WRITING and not self._overlay.removals.started():
            return posix.open(path, flags, mode, dir_fd=dir_fd)
        with _naming(path):
            return posix.open(self._overlay.opened(self._text(path, dir_fd), flags), flags, mode)

    def open_file(self, file: Any, *args: Any, **options: Any) -> Any:
        mode = args[0] if args else options.get("mode", "r")
        if isinstance(mode, str) and not _CHANGING_MODES & set(mode) and not self._overlay.removals.started():
            return _io.open(file, *args, **options)
        position_of_opener = 6
        if not isinstance(file, int) and len(args) <= position_of_opener and options.get("opener") is None:
            # Given an opener, the file object keeps the name the user gave.
            options["opener"] = self.opener
        with _Quietly():
            return _io.open(file, *args, **options)

    def opener(self, path: str | bytes, flags: int) -> int:
        return self.open(path, flags, 0o666)

    def listdir(self, path: Any = None) -> list[str] | list[bytes]:
        if not self._overlay.removals.started():
            return posix.listdir(path)
        with _naming(path):
            names = self._names(path)
        return [os.fsencode(name) for name in names] if isinstance(path, bytes) else names

    def scandir(self, path: Any = None) -> Any:
        if not self._overlay.removals.started():
            return posix.scandir(path)
        with _naming(path):
            text = self._directory(path)
            place = self._overlay.locate(text)
            names = self._names(path)
        given = "." if path is None else "" if isinstance(path, int) else os.fspath(path)
        spelled = [_like(given, name) for name in names]
        paths = [os.path.join(given, name) for name in spelled]
        return Listing(
            [Entry(self._overlay, f"{place}/{n}", s, p) for n, s, p in zip(names, spelled, paths, strict=True)]
        )

    def chdir(self, path: Any) -> None:
        if isinstance(path, int) or not self._overlay.removals.started():
            posix.chdir(path)
            return
        with _naming(path):
            posix.chdir(self._overlay.entry(self._text(path)))

    def getcwdb(self) -> bytes:
        return os.fsencode(self._overlay.cwd())

    def _names(self, path: Any) -> list[str]:
        text = self._directory(path)
        names = self._overlay.names(text)
        return posix.listdir(self._overlay.seen(text)) if names is None else names

    def _directory(self, path: Any) -> str:
        if path is None:
            return "."
        return self._overlay.place_of(_behind(path)) if isinstance(path, int) else self._text(path)

    def _text(self, path: Any, dir_fd: int | None = None) -> str:
        text = os.fsdecode(path)
        if not text:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), text)
        if dir_fd is None or text.startswith("/"):
            return text
        return f"{self._overlay.place_of(_behind(dir_fd))}/{text}"


def _route_files(overlay: Overlay) -> None:
    router = Router(overlay)
    routes: dict[str, Route] = {
        "open": router.open, "listdir": router.listdir, "scandir": router.scandir, "chdir": router.chdir,
        "getcwd": overlay.cwd, "getcwdb": router.getcwdb, "access": router.access, "symlink": router.symlink,
        "truncate": router.truncate, "unlink": router.removes(overlay.remove), "remove": router.removes(overlay.remove),
        "rmdir": router.removes(overlay.rmdir), "rename": router.moves(overlay.rename),
        "replace": router.moves(overlay.rename), "link": router.moves(overlay.link),
    }  # fmt: skip
    makers: dict[Route, tuple[str, ...]] = {
        router.reads: ("stat", "statvfs", "pathconf", "getxattr", "listxattr"),
        functools.partial(router.reads, follow=False): ("lstat", "readlink"),
        router.updates: ("chmod", "chown", "utime", "setxattr", "removexattr"),
        functools.partial(router.updates, follow=False): ("lchown", "lchmod"),
        router.creates: ("mkdir", "mkfifo", "mknod"),
    }
    for make, names in makers.items():
        routes.update({name: make(getattr(posix, name)) for name in names if hasattr(posix, name)})
    stand_ins: dict[int, object] = {
        id(original): StandIn(original, "os", route)
        for name, route in routes.items()
        if (original := getattr(posix, name, None)) is not None
    }
    _list_as_capable(stand_ins)
    stand_ins[id(_io.open)] = StandIn(_io.open, "io", router.open_file)
    stand_ins[id(_io.FileIO)] = _file_io(router)
    _rebind(stand_ins)


def _file_io(router: Router) -> type:
    class AnyFileIO(abc.ABCMeta):
        def __instancecheck__(cls, instance: object) -> bool:
            return isinstance(instance, _io.FileIO)

    class FileIO(_io.FileIO, metaclass=AnyFileIO):
        def __init__(self, file: Any, mode: str = "r", closefd: bool = True, opener: Any = None) -> None:
            if not isinstance(file, int):
                opener = opener or router.opener
            with _Quietly():
                super().__init__(file, mode, closefd, opener)

    return FileIO


def _list_as_capable(stand_ins: dict[int, object]) -> None:
    for name in ("supports_dir_fd", "supports_fd", "supports_effective_ids", "supports_follow_symlinks"):
        capable: set[object] = getattr(os, name)
        capable.update([stand_ins[id(function)] for function in capable if id(function) in stand_ins])


_RAW = frozenset({"posix", "_io", "_frozen_importlib", "_frozen_importlib_external", "importlib._bootstrap_external"})


def _rebind(stand_ins: dict[int, object]) -> None:
    """Put the stand-ins wherever a loaded module holds the original; in the standard library look deeper."""
    for name, module in tuple(sys.modules.items()):
        if name in _RAW or not isinstance(module, ModuleType):
            continue
        ours_to_search = name.partition(".")[0] in sys.stdlib_module_names
        for key, value in tuple(module.__dict__.items()):
            if id(value) in stand_ins:
                module.__dict__[key] = stand_ins[id(value)]
            elif ours_to_search and getattr(value, "__module__", None) == name:
                _rebind_within(value, stand_ins)


def _rebind_within(value: object, stand_ins: dict[int, object]) -> None:
    """`def close(self, unlink=os.unlink)` and `scandir = staticmethod(os.scandir)` in a class hold originals too."""
    if isinstance(value, FunctionType):
        if value.__defaults__ and any(id(default) in stand_ins for default in value.__defaults__):
            value.__defaults__ = tuple(stand_ins.get(id(default), default) for default in value.__defaults__)
    elif isinstance(value, type):
        for key, member in tuple(vars(value).items()):
            held = member.__func__ if isinstance(member, staticmethod) else member
            if id(held) in stand_ins:
                setattr(value, key, stand_ins[id(held)])
            elif isinstance(member, FunctionType):
                _rebind_within(member, stand_ins)


def _behind(descriptor: int) -> str:
    """The physical path of an open file or directory."""
    if sys.platform == "darwin":
        import fcntl

        return os.fsdecode(fcntl.fcntl(descriptor, fcntl.F_GETPATH, bytes(1024)).rstrip(b"\0"))
    return posix.readlink(f"/proc/self/fd/{descriptor}")


def _like(given: Any, path: str) -> Any:
    return os.fsencode(path) if isinstance(_spelled(given), bytes) else path


class _naming:  # noqa: N801 (reads as a statement: `with _naming(path)`)
    """Errors name what the user gave, not where it is kept; a fault of ours becomes an `OSError` that names it."""

    __slots__ = ("_given",)

    def __init__(self, *given: Any) -> None:
        self._given = given

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if error is None:
            return
        if isinstance(error, OSError):
            error.filename = _spelled(self._given[0])
            if error.filename2 is not None:
                error.filename2 = _spelled(self._given[-1])
        elif isinstance(error, Exception) and not isinstance(error, TypeError | ValueError):
            raise OSError(errno.EIO, "firstlight could not hold this back", _spelled(self._given[0])) from error


def _spelled(given: Any) -> Any:
    return os.fspath(given) if isinstance(given, os.PathLike) else given


class _Quietly:
    """The audit event of `open` names the user's path though our opener has mapped it."""

    __slots__ = ("_before",)

    def __enter__(self) -> None:
        self._before = getattr(_quiet, "on", False)
        _quiet.on = True

    def __exit__(self, *_problem: object) -> None:
        _quiet.on = self._before


_WRITING_EVENTS = {
    "os.remove": 1, "os.rmdir": 1, "os.mkdir": 1, "os.rename": 2, "os.link": 2, "os.truncate": 1, "os.chmod": 1,
    "os.chown": 1, "os.utime": 1, "os.setxattr": 1, "os.removexattr": 1, "sqlite3.connect": 1,
}  # fmt: skip
"""Audit events that change files, and how many of their first arguments are paths."""


def _refuse_unrouted(overlay: Overlay) -> Callable[[str, tuple[Any, ...]], None]:
    def hook(event: str, arguments: tuple[Any, ...]) -> None:
        if event == "open":
            if not (arguments[2] or 0) & WRITING or getattr(_quiet, "on", False):
                return
            paths = arguments[:1]
        elif event in _WRITING_EVENTS:
            paths = arguments[: _WRITING_EVENTS[event]]
        else:
            return
        for path in paths:
            if isinstance(path, str | bytes | os.PathLike) and _is_held_file(overlay, os.fsdecode(path)):
                raise OSError(errno.EPERM, f"firstlight held this back ({event} below Python's own functions)", path)

    return hook


def _is_held_file(overlay: Overlay, path: str) -> bool:
    if path in ("", ":memory:") or path.startswith("file:"):
        return False
    place = overlay.locate(path)
    if not overlay.territory.held(place):
        return False
    try:
        mode = posix.stat(place).st_mode
    except OSError:
        return True
    return stat.S_ISREG(mode) or stat.S_ISDIR(mode)


# Native code that is given a path


def _by_mode(position: int) -> Callable[[tuple[Any, ...], dict[str, Any]], int]:
    """For a function that has a mode, at `position` or by name."""

    def flags(args: tuple[Any, ...], options: dict[str, Any]) -> int:
        mode = str(args[position] if len(args) > position else options.get("mode", "r")).replace("b", "")
        known = {"r": os.O_RDONLY, "w": _REPLACE, "r+": os.O_RDWR, "a": _CHANGE}
        return known.get(mode, os.O_WRONLY | os.O_CREAT | os.O_EXCL)

    return flags


Flags = int | Callable[[tuple[Any, ...], dict[str, Any]], int]
_NATIVE: tuple[tuple[str, str, int, str, Flags], ...] = (
    ("torch.serialization", "save", 1, "f", _REPLACE),
    ("torch.serialization", "load", 0, "f", os.O_RDONLY),
    ("torch", "save", 1, "f", _REPLACE),
    ("torch", "load", 0, "f", os.O_RDONLY),
    ("torch.jit", "save", 1, "f", _REPLACE),
    ("torch.jit", "load", 0, "f", os.O_RDONLY),
    ("torch.jit", "RecursiveScriptModule.save", 1, "f", _REPLACE),
    ("torch.export", "save", 1, "f", _REPLACE),
    ("torch.export", "load", 0, "f", os.O_RDONLY),
    ("torch.autograd.profiler", "profile.export_chrome_trace", 1, "path", _REPLACE),
    ("safetensors", "serialize_file", 1, "filename", _REPLACE),
    ("safetensors", "safe_open", 0, "filename", os.O_RDONLY),
    ("safetensors", "_safe_open_handle", 0, "filename", os.O_RDONLY),
    ("tokenizers", "Tokenizer.save", 1, "path", _REPLACE),
    ("tokenizers", "Tokenizer.from_file", 0, "path", os.O_RDONLY),
    ("h5py", "File.__init__", 1, "name", _by_mode(2)),
    ("pyarrow", "memory_map", 0, "path", _by_mode(1)),
    ("pyarrow", "OSFile", 0, "path", _by_mode(1)),
    ("pyarrow.parquet.core", "ParquetWriter.__init__", 1, "where", _REPLACE),
    ("pyarrow.parquet.core", "ParquetFile.__init__", 1, "source", os.O_RDONLY),
    ("pyarrow.parquet.core", "read_table", 0, "source", os.O_RDONLY),
    ("cv2", "imwrite", 0, "filename", _REPLACE),
    ("cv2", "imread", 0, "filename", os.O_RDONLY),
)
"""Module, function or method, the position and name of the parameter that is a path, and how the file is opened."""


def _route_native(overlay: Overlay) -> None:
    for module, dotted, position, keyword, flags in _NATIVE:
        wrap = functools.partial(_route_path, overlay, position, keyword, flags)
        when_imported(module, functools.partial(_replace, dotted, wrap))
    when_imported("sqlite3.dbapi2", functools.partial(_replace, "connect", functools.partial(_route_sqlite, overlay)))
    when_imported("sqlite3", functools.partial(_replace, "connect", functools.partial(_route_sqlite, overlay)))


def _replace(dotted: str, wrap: Callable[[Route], Route], module: ModuleType) -> None:
    owner: Any = module
    *owners, name = dotted.split(".")
    for part in owners:
        owner = getattr(owner, part, None)
    original = getattr(owner, name, None)
    if original is None or getattr(original, "is_routed", False):
        return
    wrapper: Any = functools.wraps(original, updated=())(wrap(original))
    wrapper.is_routed = True
    if isinstance(original, type):
        wrapper = ClassStandIn(original, wrapper)
    is_static = isinstance(inspect.getattr_static(owner, name), staticmethod)
    setattr(owner, name, staticmethod(wrapper) if is_static else wrapper)


class ClassStandIn:
    """Takes a native class's place: makes its instances with a mapped path, and is otherwise the class."""

    is_routed = True

    def __init__(self, original: type, make: Route) -> None:
        self.__wrapped__ = original
        self._make = make

    def __call__(self, *args: Any, **options: Any) -> Any:
        return self._make(*args, **options)

    def __instancecheck__(self, instance: object) -> bool:
        return isinstance(instance, self.__wrapped__)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.__wrapped__, name)


def _route_path(overlay: Overlay, position: int, keyword: str, flags: Flags, original: Route) -> Route:
    def route(*args: Any, **options: Any) -> Any:
        chosen = flags if isinstance(flags, int) else flags(args, options)
        if keyword in options:
            options[keyword] = _mapped(overlay, options[keyword], chosen)
        elif len(args) > position:
            args = (*args[:position], _mapped(overlay, args[position], chosen), *args[position + 1 :])
        return original(*args, **options)

    return route


def _mapped(overlay: Overlay, path: Any, flags: int) -> Any:
    """The path native code may open. It meets a missing directory itself, so that the error is its own."""
    if not isinstance(path, str | bytes | os.PathLike) or "://" in os.fsdecode(path):
        return path
    text = os.fsdecode(path)
    try:
        physical = overlay.opened(text, flags)
    except (FileNotFoundError, NotADirectoryError):
        physical = overlay.files + overlay.locate(text)
    if physical == text:
        return path
    return type(path)(physical) if isinstance(path, Path) else _like(path, physical)


def _route_sqlite(overlay: Overlay, original: Route) -> Route:
    def connect(database: Any, *args: Any, **options: Any) -> Any:
        text = os.fsdecode(database)
        if text in ("", ":memory:"):
            return original(database, *args, **options)
        if not options.get("uri") or not text.startswith("file:"):
            return original(_mapped_database(overlay, text, _CHANGE), *args, **options)
        path, mark, query = text.removeprefix("file:").partition("?")
        if "mode=memory" in query or path == ":memory:":
            return original(database, *args, **options)
        path = "/" + path.lstrip("/") if path.startswith("//") else path
        flags = os.O_RDONLY if "mode=ro" in query else _CHANGE
        mapped = urllib.parse.quote(_mapped_database(overlay, urllib.parse.unquote(path), flags))
        return original(f"file:{mapped}{mark}{query}", *args, **options)

    return connect


def _mapped_database(overlay: Overlay, path: str, flags: int) -> str:
    for companion in ("-wal", "-journal"):
        if os.path.exists(path + companion):
            overlay.opened(path + companion, os.O_RDWR)
    return str(_mapped(overlay, path, flags))


# Processes the script makes


class _Reinstall:
    """Unpickled in a spawned process before anything of the user's runs there."""

    def __init__(self, scratch: Path) -> None:
        self._scratch = scratch

    def __reduce__(self) -> tuple[Route, tuple[Path]]:
        return install, (self._scratch,)


def _route_processes(overlay: Overlay, scratch: Path) -> None:
    def prepared(original: Route) -> Route:
        def get_preparation_data(*args: Any, **options: Any) -> dict[str, Any]:
            # The new process changes into `dir` before it is contained: it needs the physical directory.
            return {**original(*args, **options), "dir": posix.getcwd(), "firstlight": _Reinstall(scratch.absolute())}

        return get_preparation_data

    def started_in(original: Route) -> Route:
        def init(*args: Any, **options: Any) -> None:
            if options.get("cwd") is not None and overlay.removals.started():
                options["cwd"] = overlay.entry(os.fsdecode(options["cwd"]))
            original(*args, **options)

        return init

    for module in ("multiprocessing.spawn", "joblib.externals.loky.backend.spawn"):
        when_imported(module, functools.partial(_replace, "get_preparation_data", prepared))
    when_imported("subprocess", functools.partial(_replace, "Popen.__init__", started_in))


# Trackers


def _mlflow_store(scratch: Path) -> str:
    return (scratch.absolute() / "mlruns").as_uri()


def _silence_trackers(scratch: Path) -> None:
    store = _mlflow_store(scratch)
    for variable, value in tracker_environment(scratch).items():
        os.environ.setdefault(variable, value)
    when_imported("wandb.sdk.wandb_init", functools.partial(_replace, "init", _disabled_run))
    when_imported("wandb.sdk.wandb_login", functools.partial(_replace, "login", lambda _original: _always(True)))
    when_imported("tensorboard.compat", _keep_tensorflow_out)
    when_imported("mlflow.tracking._tracking_service.utils", functools.partial(_force_store, "set_tracking_uri", store))
    when_imported("mlflow.tracking._model_registry.utils", functools.partial(_force_store, "set_registry_uri", store))
    when_imported("mlflow.tracking.client", functools.partial(_replace, "MlflowClient.__init__", _client_of(store)))
    when_imported("huggingface_hub.hf_api", _send_nothing)


def _always(answer: object) -> Route:
    def stub(*_args: Any, **_options: Any) -> Any:
        return answer

    return stub


def _disabled_run(original: Route) -> Route:
    signature = inspect.signature(original)

    def init(*args: Any, **options: Any) -> Any:
        bound = signature.bind(*args, **options)
        bound.arguments["mode"] = "disabled"
        return original(*bound.args, **bound.kwargs)

    return init


def _keep_tensorflow_out(_module: ModuleType) -> None:
    """Where TensorFlow is installed TensorBoard would write through it, natively; this is its own way to say no."""
    sys.modules.setdefault("tensorboard.compat.notf", ModuleType("tensorboard.compat.notf"))


def _force_store(setter: str, store: str, module: ModuleType) -> None:
    def forced(original: Route) -> Route:
        return lambda *_args, **_options: original(store)

    _replace(setter, forced, module)
    getattr(module, setter)()  # a set value beats an environment variable the script changes


def _client_of(store: str) -> Callable[[Route], Route]:
    def routed(original: Route) -> Route:
        def init(self: Any, *_args: Any, **_options: Any) -> None:
            original(self, tracking_uri=store, registry_uri=store)

        return init

    return routed


_UNSENT = (
    "create_commit", "upload_file", "upload_folder", "delete_file", "delete_files", "delete_folder", "create_repo",
    "upload_large_folder", "delete_repo", "update_repo_settings", "move_repo", "preupload_lfs_files", "create_branch",
    "delete_branch", "create_tag", "delete_tag", "super_squash_history", "create_pull_request",
)  # fmt: skip
_COMMITS = frozenset(_UNSENT[:6])


def _send_nothing(hf_api: Any) -> None:
    for name in _UNSENT:
        _replace(f"HfApi.{name}", functools.partial(_unsent, hf_api, name), hf_api)
    for name, value in tuple(vars(hf_api).items()):
        if isinstance(value, MethodType) and value.__self__ is hf_api.api:
            setattr(hf_api, name, getattr(hf_api.api, name))


def _unsent(hf_api: Any, name: str, original: Route) -> Route:
    signature = inspect.signature(original)

    def method(*args: Any, **options: Any) -> Any:
        given = signature.bind(*args, **options).arguments
        repository = str(given.get("repo_id", "repository"))
        kind = {"dataset": "datasets/", "space": "spaces/"}.get(str(given.get("repo_type")), "")
        owned = repository if "/" in repository else f"held-back/{repository}"
        url = f"{hf_api.constants.ENDPOINT}/{kind}{owned}"
        answer: Any = hf_api.RepoUrl(url) if name == "create_repo" else None
        if name in _COMMITS:
            message = str(given.get("commit_message") or "held back")
            answer = hf_api.CommitInfo(f"{url}/commit/{'0' * 40}", message, "", "0" * 40)
        if not given.get("run_as_future"):
            return answer
        from concurrent.futures import Future

        future: Future[Any] = Future()
        future.set_result(answer)
        return future

    return method
