"""Carries out random sequences of operations twice: contained in one folder and for real in its twin.

A program of its own, because containment is for a whole process. `twin.py HELD FREE`: `HELD` has folders `0`, `1`, …
as `plant` makes them; their twins are made in `FREE`.
"""

# The functions of `os` are what is compared.
# ruff: noqa: PTH101, PTH102, PTH103, PTH104, PTH106, PTH107, PTH109, PTH110, PTH113, PTH115, PTH116, PTH119
# ruff: noqa: PTH123, PTH207, PTH208, PTH211

import contextlib
import errno
import glob
import os
import shutil
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from firstlight.observe.inside import containment

EXAMPLES = 250
Operation = Callable[[str, str], object]


def plant(base: Path) -> None:
    (base / "d/e").mkdir(parents=True)
    (base / "empty").mkdir()
    (base / "a.txt").write_text("alpha\n")
    (base / "d/b.txt").write_text("beta\n")
    (base / "d/e/c.txt").write_text("gamma\n")
    (base / "link").symlink_to("d")
    (base / "flink").symlink_to("a.txt")
    (base / "broken").symlink_to("nowhere")


def tree(base: Path) -> dict[str, object]:
    """Every path below `base` with its kind, mode and content."""
    seen: dict[str, object] = {}
    for path in sorted(base.rglob("*")):
        name = str(path.relative_to(base))
        if path.is_symlink():
            seen[name] = ("link", os.readlink(path))
        elif path.is_dir():
            seen[name] = "directory"
        else:
            seen[name] = (path.stat().st_mode, path.read_bytes())
    return seen


# The operations. Each takes one or two paths and answers something that can be compared.


def write(a: str, _b: str) -> None:
    Path(a).write_text("written\n")


def append(a: str, _b: str) -> None:
    with open(a, "a") as file:
        file.write("appended\n")


def update(a: str, _b: str) -> str:
    with open(a, "r+") as file:
        file.write("UP")
        file.seek(0)
        return file.read()


def create(a: str, _b: str) -> None:
    with open(a, "xb") as file:
        file.write(b"created")


def read(a: str, _b: str) -> bytes:
    with open(os.fsencode(a), "rb") as file:
        return file.read()


def name_of(a: str, _b: str) -> bool:
    with open(Path(a)) as file:
        return file.name == os.fspath(a)


def questions(a: str, _b: str) -> list[object]:
    asked = (os.path.exists, os.path.isfile, os.path.isdir, os.path.islink, os.path.lexists)
    return [*(question(a) for question in asked), os.access(a, os.W_OK), os.access(a, os.F_OK)]


def size(a: str, _b: str) -> object:
    found = os.stat(a)
    return found.st_mode, (found.st_size if os.path.isfile(a) else None)


def mode(a: str, _b: str) -> int:
    os.chmod(a, 0o750)
    return Path(a).stat().st_mode


def listing(a: str, _b: str) -> list[str]:
    return sorted(os.listdir(a))


def scan(a: str, _b: str) -> object:
    with os.scandir(a) as entries:
        return sorted((e.name, e.path, e.is_dir(), e.is_file(), e.is_symlink()) for e in entries)


def globbed(a: str, _b: str) -> list[str]:
    return sorted(glob.glob(f"{a}/**", recursive=True))


def walked(a: str, _b: str) -> object:
    return sorted((top, sorted(folders), sorted(files)) for top, folders, files in os.walk(a))


def fd_walked(a: str, _b: str) -> object:
    return sorted((top, sorted(folders), sorted(files)) for top, folders, files, _fd in os.fwalk(a))


def mkdir(a: str, _b: str) -> None:
    os.mkdir(a)


def makedirs(a: str, _b: str) -> None:
    os.makedirs(f"{a}/deep/er", exist_ok=True)


def remove(a: str, _b: str) -> None:
    os.remove(a)


def rmdir(a: str, _b: str) -> None:
    os.rmdir(a)


def rmtree(a: str, _b: str) -> None:
    shutil.rmtree(a)


def rename(a: str, b: str) -> None:
    os.rename(a, b)


def path_replace(a: str, b: str) -> None:
    Path(a).replace(b)


def move(a: str, b: str) -> None:
    shutil.move(a, b)


def copy(a: str, b: str) -> None:
    shutil.copy2(a, b)


def copytree(a: str, b: str) -> None:
    if not f"{os.path.realpath(b)}/".startswith(f"{os.path.realpath(a)}/"):  # into itself it never ends, by design
        shutil.copytree(a, b, symlinks=True)


def hard_link(a: str, b: str) -> None:
    os.link(a, b, follow_symlinks=False)


def symlink(a: str, b: str) -> str:
    os.symlink(os.path.basename(a.rstrip("/")), b)
    return os.readlink(b)


def touch(a: str, _b: str) -> None:
    Path(a).touch()


def truncate(a: str, _b: str) -> None:
    os.truncate(a, 2)


def resolved(a: str, _b: str) -> str:
    return os.path.relpath(os.path.realpath(a), os.path.realpath("."))


def enter(a: str, _b: str) -> object:
    here = os.getcwd()
    os.chdir(a)
    try:
        Path("inside.txt").write_text("from inside")
        return os.path.relpath(os.getcwd(), here), sorted(os.listdir()), os.path.exists("../a.txt")
    finally:
        os.chdir(here)


def temporary(a: str, _b: str) -> bytes:
    with tempfile.NamedTemporaryFile(dir=a) as file, tempfile.TemporaryFile(dir=a) as nameless:
        file.write(b"1")
        nameless.write(b"2")
        file.flush()
        return Path(file.name).read_bytes()


def low_level(a: str, b: str) -> object:
    folder = os.open(a, os.O_RDONLY | os.O_DIRECTORY)
    try:
        with contextlib.suppress(FileNotFoundError):
            os.unlink("b.txt", dir_fd=folder)
        file = os.open("low", os.O_WRONLY | os.O_CREAT, dir_fd=folder)
        os.write(file, b"low")
        os.close(file)
        return sorted(os.listdir(folder)), os.stat("low", dir_fd=folder).st_size
    finally:
        os.close(folder)


OPERATIONS: tuple[Operation, ...] = (
    write, append, update, create, read, name_of, questions, size, mode, listing, scan, globbed, walked, fd_walked,
    mkdir, makedirs, remove, rmdir, rmtree, rename, path_replace, move, copy, copytree, hard_link, symlink, touch,
    truncate, resolved, enter, temporary, low_level,
)  # fmt: skip
NAMES = (
    "a.txt", "d", "d/b.txt", "d/e", "d/e/c.txt", "new", "new/x", "empty", "empty/y", "link", "link/b.txt", "link/e/new",
    "flink", "broken", "d/../a.txt", "gone/../a.txt", "gone/z", "a.txt/z", "d/", "a.txt/", "./d//e", "d/b",
)  # fmt: skip


def outcome(operation: Operation, base: str, a: str, b: str, absolute: bool) -> tuple[object, ...]:
    """The answer or the error, with nothing in it that depends on which twin it came from."""
    os.chdir(base)
    first, second = (f"{base}/{a}", f"{base}/{b}") if absolute else (a, b)
    try:
        answer = operation(first, second)
    except shutil.Error:
        return ("shutil.Error",)
    except OSError as problem:
        named = None if problem.filename is None else str(problem.filename).replace(base, "")
        return (
            type(problem).__name__,
            problem.errno,
            named if operation not in (rmtree, move, copytree, temporary) else None,
        )
    except ValueError as problem:
        return (type(problem).__name__,)
    return (repr(answer).replace(base, ""),)


def twin_process(held: Path, free: Path) -> None:
    overlay = containment.install(held / ".firstlight/runs/1/scratch")
    counter = iter(range(10**6))

    step = st.tuples(st.sampled_from(OPERATIONS), st.sampled_from(NAMES), st.sampled_from(NAMES), st.booleans())

    @settings(max_examples=EXAMPLES, database=None, deadline=None, derandomize=True,
              suppress_health_check=list(HealthCheck))  # fmt: skip
    @given(st.lists(step, min_size=1, max_size=14))
    def same(steps: list[tuple[Operation, str, str, bool]]) -> None:
        number = next(counter)
        contained, real = str(held / str(number)), str(free / str(number))
        plant(Path(real))
        for operation, a, b, absolute in steps:
            seen = outcome(operation, contained, a, b, absolute)
            wanted = outcome(operation, real, a, b, absolute)
            if errno.ELOOP in wanted:
                continue  # which error a link to itself causes first is the kernel's own business
            assert seen == wanted, f"{operation.__name__}({a!r}, {b!r}): {seen} instead of {wanted}"
        assert tree(Path(contained)) == tree(Path(real))

    same()
    assert containment.held_back(overlay), "nothing was held back: the comparison compared nothing"


if __name__ == "__main__":
    twin_process(Path(sys.argv[1]), Path(sys.argv[2]))
