"""A copy-on-write view of the file system: what a script writes is kept aside, and the script sees it in place.

Under `root`: `files/<absolute path>` holds what was written, `removed` one line per path that was removed (a removed
directory hides everything the user has beneath it), `parts` copies that are not complete yet. All of it is on disk, so
every process that opens the same root sees the same view. Three words are used throughout:

- a *place* is an absolute path of the user, free of symbolic links and `..`;
- *kept* is where the overlay has, or would have, its own copy of a place;
- *physical* is the file that now stands for a place: the kept copy, or the user's own.

Only the functions of `posix` and `_io` are used here: those of `os` and `io` are the ones being replaced.
"""

import _io
import errno
import json
import os
import posix
import stat
import threading
from collections.abc import Callable
from pathlib import Path

WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC
"""A call to `open` with any of these flags can change the file or the directory."""

_KERNEL = ("/dev/", "/proc/", "/sys/")
_LINKS_AT_MOST = 40
_ABSENT = (FileNotFoundError, NotADirectoryError)


def failure(code: int, *paths: str) -> OSError:
    """The error Python itself would raise for `code`, naming the user's path."""
    return OSError(code, os.strerror(code), paths[0], None, *paths[1:])


class Territory:
    """Which places are held back. The longest prefix decides; a place under no prefix is held."""

    def __init__(self, passes: tuple[Path, ...], holds: tuple[Path, ...]) -> None:
        self._passes = _prefixes(passes)
        self._holds = _prefixes(holds)

    def held(self, place: str) -> bool:
        tested = place + "/"
        if "/__pycache__/" in tested:
            return False
        if not tested.startswith(self._passes):
            return True
        return _longest(tested, self._holds) > _longest(tested, self._passes)


class Removals:
    """The places that were removed, shared with other processes through an append-only file."""

    def __init__(self, journal: str) -> None:
        self._journal = journal
        self._read = 0
        self._here = False
        self.places: set[str] = set()
        self.thinned: set[str] = set()
        """Directories of which an entry was removed."""

    def started(self) -> bool:
        """Whether any process has changed anything yet; takes in what others have removed since."""
        try:
            size = posix.stat(self._journal).st_size
        except FileNotFoundError:
            return False
        if size > self._read:
            self._take_in()
        return True

    def start(self) -> None:
        if not self._here:
            self._append(b"")
            self._here = True

    def add(self, place: str) -> None:
        self._append(json.dumps(place).encode() + b"\n")
        self._take_in()

    def hides(self, place: str) -> bool:
        if not self.places:
            return False
        while place:
            if place in self.places:
                return True
            place = place.rpartition("/")[0]
        return False

    def _append(self, line: bytes) -> None:
        with _io.open(self._journal, "ab", buffering=0) as file:
            file.write(line)

    def _take_in(self) -> None:
        with _io.open(self._journal, "rb") as file:
            file.seek(self._read)
            lines = file.read().splitlines(keepends=True)
            end = file.tell()
        for line in lines:
            place = json.loads(line)
            self.places.add(place)
            self.thinned.add(place.rpartition("/")[0] or "/")
        self._read = max(self._read, end)


class Overlay:
    """Answers, for a path as the user gave it, which physical path an operation may use; carries out the others."""

    def __init__(self, root: Path, passes: tuple[Path, ...], holds: tuple[Path, ...] = ()) -> None:
        self.root = os.path.realpath(root)
        self.files = self.root + "/files"
        self._parts = self.root + "/parts"
        for folder in (self.files, self._parts):
            os.makedirs(folder, exist_ok=True)
        self.territory = Territory((*passes, Path(self.root), *map(Path, _KERNEL)), holds)
        self.removals = Removals(self.root + "/removed")
        self.lock = threading.RLock()
        self._plain: set[str] = set()
        """Parent directories known to be free of symbolic links; forgotten when the tree changes."""

    def after_fork(self) -> None:
        """Another thread of the parent may have held the lock."""
        self.lock = threading.RLock()

    # Looking

    def cwd(self) -> str:
        return self.place_of(posix.getcwd())

    def place_of(self, physical: str) -> str:
        return physical[len(self.files) :] or "/" if self._is_kept(physical) else physical

    def locate(self, path: str, follow: bool = True) -> str:
        """The place `path` names; its last part is followed only with `follow` or a trailing slash."""
        if path.startswith(_KERNEL):
            return path
        if not path.startswith("/"):
            path = f"{self.cwd()}/{path}"
        head, _, name = path.rpartition("/")
        if name in ("", ".", "..") or head not in self._plain:
            return self._walk(path, follow)
        return self._walk(name, follow, head)

    def seen(self, path: str, follow: bool = True) -> str:
        """The physical path to read `path` from."""
        if not path or not self.removals.started():
            return path
        return self._physical(self.locate(path, follow)) + _slash(path)

    def names(self, path: str) -> list[str] | None:
        """The entries of a directory, or None when what `seen` answers holds them all."""
        if not self.removals.started():
            return None
        place = self.locate(path)
        if not self.territory.held(place):
            return None
        kept = _names(self.files + place)
        if kept is None and place not in self.removals.thinned:
            return None
        if kept is None and self._lstat(place) is None:
            return None
        own = [] if self.removals.hides(place) else _names(place) or []
        own = [name for name in own if _join(place, name) not in self.removals.places]
        return [*own, *set(kept or ()).difference(own)]

    def entry(self, path: str) -> str:
        """Where to change to for `path`: the user's own directory if it is visible, so that native readers work."""
        place = self.locate(path)
        if self.territory.held(place) and not self.removals.hides(place) and _is_directory(place):
            return place
        return self._physical(place)

    def written(self) -> list[str]:
        """The places of all files kept aside, sorted."""
        found = []
        folders = [self.files]
        while folders:
            folder = folders.pop()
            for name in posix.listdir(folder):
                path = f"{folder}/{name}"
                if stat.S_ISDIR(posix.lstat(path).st_mode):
                    folders.append(path)
                else:
                    found.append(self.place_of(path))
        return sorted(found)

    # Changing: each answers the physical path on which the system call may be made

    def opened(self, path: str, flags: int) -> str:
        exclusive = flags & os.O_CREAT and flags & os.O_EXCL
        follow = not (exclusive or flags & os.O_NOFOLLOW)
        if not path or not flags & WRITING:
            return self.seen(path, follow)
        with self.lock:
            place = self.locate(path, follow)
            if not self.territory.held(place):
                return place + _slash(path)
            return self._writable(place, path, flags)

    def updated(self, path: str, follow: bool = True) -> str:
        """For a change of something that must exist."""
        with self.lock:
            place = self.locate(path, follow)
            if not self.territory.held(place):
                return place
            self._copy(place, self._found(place, path))
            return self.files + place

    def created(self, path: str) -> str:
        """For something that must not exist yet."""
        with self.lock:
            place = self.locate(path, follow=False)
            if not self.territory.held(place):
                return place
            if self._lstat(place) is not None:
                raise failure(errno.EEXIST, path)
            self._prepare(place, path)
            return self.files + place

    # Changing: carried out here

    def remove(self, path: str) -> None:
        with self.lock:
            place = self.locate(path, follow=False)
            if not self.territory.held(place):
                posix.unlink(place)
                return
            if stat.S_ISDIR(self._found(place, path).st_mode):
                raise failure(errno.EISDIR, path)
            self._may_change_directory(place, path)
            self._drop(place, posix.unlink)

    def rmdir(self, path: str) -> None:
        with self.lock:
            place = self.locate(path, follow=False)
            if not self.territory.held(place):
                posix.rmdir(place)
                return
            if not stat.S_ISDIR(self._found(place, path).st_mode):
                raise failure(errno.ENOTDIR, path)
            if self._entries(place):
                raise failure(errno.ENOTEMPTY, path)
            self._may_change_directory(place, path)
            self._drop(place, posix.rmdir)

    def rename(self, source: str, target: str) -> None:
        with self.lock:
            old, new = self.locate(source, follow=False), self.locate(target, follow=False)
            found = self._found(old, source, target)
            if old == new:
                return
            if f"{new}/".startswith(f"{old}/"):
                raise failure(errno.EINVAL, source, target)
            self._replaceable(new, found, source, target)
            if self.territory.held(old):
                self._may_change_directory(old, source, target)
            posix.rename(self._own_copy(old, source, target), self._kept(new, source, target))
            self._hide(old)
            if stat.S_ISDIR(found.st_mode):
                self._hide(new)
            self._plain.clear()

    def link(self, source: str, target: str) -> None:
        with self.lock:
            old, new = self.locate(source, follow=False), self.locate(target, follow=False)
            if stat.S_ISDIR(self._found(old, source, target).st_mode):
                raise failure(errno.EPERM, source, target)
            if self._lstat(new) is not None:
                raise failure(errno.EEXIST, source, target)
            posix.link(self._own_copy(old, source, target), self._kept(new, source, target))

    # How a place is found

    def _walk(self, path: str, follow: bool, done: str = "") -> str:
        parts = path.split("/")[::-1]
        links = 0
        plain = True
        while parts:
            part = parts.pop()
            if part == "..":
                if done and not _is_directory(self._physical(done)):
                    raise failure(errno.ENOENT, path)
                done, plain = done.rpartition("/")[0], False
            if part in ("", ".", ".."):
                continue
            step = f"{done}/{part}"
            target = self._link_at(step) if parts or follow else None
            if target is None:
                if plain and not parts and done not in self._plain and _is_directory(self._physical(done)):
                    self._plain.add(done)
                done = step
                continue
            links, plain = links + 1, False
            if links > _LINKS_AT_MOST:
                raise failure(errno.ELOOP, path)
            done = "" if target.startswith("/") else done
            parts.extend(target.split("/")[::-1])
        return done or "/"

    def _link_at(self, place: str) -> str | None:
        for path in (self.files + place, place):
            try:
                return posix.readlink(path)
            except FileNotFoundError:
                if self.removals.hides(place):
                    return None
            except OSError:
                return None
        return None

    def _is_kept(self, physical: str) -> bool:
        return physical == self.files or physical.startswith(self.files + "/")

    def _physical(self, place: str) -> str:
        if not self.territory.held(place):
            return place
        kept = self.files + place
        try:
            posix.lstat(kept)
        except FileNotFoundError:
            return kept if self.removals.hides(place) else place
        except NotADirectoryError:
            return kept
        except OSError:
            return place
        return kept

    def _lstat(self, place: str) -> os.stat_result | None:
        try:
            return posix.lstat(self._physical(place))
        except _ABSENT:
            return None

    def _found(self, place: str, *paths: str) -> os.stat_result:
        found = self._lstat(place)
        if found is None:
            self._directory_of(place, *paths)
            raise failure(errno.ENOENT, *paths)
        return found

    def _entries(self, place: str) -> list[str]:
        names = self.names(place)
        return posix.listdir(self._physical(place)) if names is None else names

    # How a copy is made

    def _directory_of(self, place: str, *paths: str) -> str:
        parent = place.rpartition("/")[0] or "/"
        try:
            found = posix.stat(self._physical(parent))
        except OSError as problem:
            raise failure(problem.errno or errno.ENOENT, *paths) from None
        if not stat.S_ISDIR(found.st_mode):
            raise failure(errno.ENOTDIR, *paths)
        return parent

    def _may_change_directory(self, place: str, *paths: str) -> None:
        parent = self._directory_of(place, *paths)
        if not self.removals.hides(parent) and _is_directory(parent) and not posix.access(parent, os.W_OK | os.X_OK):
            raise failure(errno.EACCES, *paths)

    def _prepare(self, place: str, *paths: str) -> None:
        """Make `place` creatable in the overlay, if the user may create it in the view."""
        self._may_change_directory(place, *paths)
        self._mirror(place.rpartition("/")[0])
        self._plain.clear()

    def _mirror(self, directory: str) -> None:
        self.removals.start()
        kept = self.files + directory
        if not directory or _is_directory(kept):
            return
        self._mirror(directory.rpartition("/")[0])
        mode = stat.S_IMODE(posix.stat(self._physical(directory)).st_mode)
        try:
            posix.mkdir(kept)
            posix.chmod(kept, mode | stat.S_IRWXU)
        except FileExistsError:
            return  # another process was faster

    def _writable(self, place: str, path: str, flags: int) -> str:
        found = self._lstat(place)
        if found is None:
            self._directory_of(place, path)
        if flags & os.O_CREAT and path.endswith("/"):
            raise failure(errno.EISDIR, path)
        if found is None:
            if not flags & os.O_CREAT:
                raise failure(errno.ENOENT, path)
            self._prepare(place, path)
            return self.files + place
        if flags & os.O_CREAT and flags & os.O_EXCL:
            raise failure(errno.EEXIST, path)
        if code := _why_not_written(found.st_mode, path, flags):
            raise failure(code, path)
        if not posix.access(self._physical(place), os.W_OK):
            raise failure(errno.EACCES, path)
        if not (stat.S_ISREG(found.st_mode) or stat.S_ISDIR(found.st_mode)):
            return self._physical(place)  # a pipe or a device is not a file of the user's
        self._copy(place, found, with_content=not flags & os.O_TRUNC)
        return self.files + place

    def _own_copy(self, place: str, *paths: str) -> str:
        """The physical path of a complete copy that may be moved or linked to."""
        if not self.territory.held(place):
            return place
        found = self._found(place, *paths)
        self._copy(place, found)
        if stat.S_ISDIR(found.st_mode):
            for name in self._entries(place):
                self._own_copy(_join(place, name), *paths)
        return self.files + place

    def _kept(self, place: str, *paths: str) -> str:
        if not self.territory.held(place):
            return place
        self._prepare(place, *paths)
        return self.files + place

    def _copy(self, place: str, found: os.stat_result, with_content: bool = True) -> None:
        """Bring the user's own file, link or (empty) directory into the overlay unless it is there."""
        if self._physical(place) != place:
            return
        if stat.S_ISDIR(found.st_mode):
            self._mirror(place)
            return
        self._mirror(place.rpartition("/")[0])
        part = f"{self._parts}/{posix.getpid()}-{threading.get_ident()}"
        if stat.S_ISLNK(found.st_mode):
            posix.symlink(posix.readlink(place), part)
        else:
            _copy_file(place if with_content else "/dev/null", part)
            posix.chmod(part, stat.S_IMODE(found.st_mode))
            posix.utime(part, ns=(found.st_atime_ns, found.st_mtime_ns))
        posix.rename(part, self.files + place)

    def _replaceable(self, place: str, by: os.stat_result, source: str, target: str) -> None:
        self._directory_of(place, source, target)
        found = self._lstat(place)
        if found is None:
            return
        was, becomes = stat.S_ISDIR(found.st_mode), stat.S_ISDIR(by.st_mode)
        if was and not becomes:
            raise failure(errno.EISDIR, source, target)
        if becomes and not was:
            raise failure(errno.ENOTDIR, source, target)
        if was and self._entries(place):
            raise failure(errno.ENOTEMPTY, source, target)

    def _drop(self, place: str, call: Callable[[str], None]) -> None:
        kept = self.files + place
        if self._physical(place) == kept:
            call(kept)
        self._hide(place)
        self._plain.clear()

    def _hide(self, place: str) -> None:
        if self.territory.held(place) and not self.removals.hides(place) and _exists(place):
            self.removals.add(place)


def _copy_file(source: str, target: str) -> None:
    with _io.open(source, "rb") as reading, _io.open(target, "wb") as writing:
        while block := reading.read(1 << 20):
            writing.write(block)


def _why_not_written(mode: int, path: str, flags: int) -> int:
    if stat.S_ISLNK(mode):
        return errno.ELOOP
    makes_nameless = flags & getattr(os, "O_TMPFILE", 0) & ~os.O_DIRECTORY
    if stat.S_ISDIR(mode):
        return 0 if makes_nameless else errno.EISDIR
    return errno.ENOTDIR if makes_nameless or path.endswith("/") else 0


def _join(place: str, name: str) -> str:
    return f"{place.rstrip('/')}/{name}"


def _slash(path: str) -> str:
    return "/" if path.endswith("/") else ""


def _exists(path: str) -> bool:
    try:
        posix.lstat(path)
    except OSError:
        return False
    return True


def _is_directory(path: str) -> bool:
    try:
        return stat.S_ISDIR(posix.stat(path).st_mode)
    except OSError:
        return False


def _names(path: str) -> list[str] | None:
    try:
        return posix.listdir(path)
    except _ABSENT:
        return None


def _prefixes(paths: tuple[Path, ...]) -> tuple[str, ...]:
    spellings = {spelling for path in paths for spelling in (os.path.abspath(path), os.path.realpath(path))}
    return tuple(sorted(f"{spelling.rstrip('/')}/" for spelling in spellings))


def _longest(tested: str, prefixes: tuple[str, ...]) -> int:
    return max((len(prefix) for prefix in prefixes if tested.startswith(prefix)), default=0)
