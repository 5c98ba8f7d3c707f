"""The kernel's part: real scripts on each floor this machine has, in a project of which every byte is compared."""

import textwrap
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import msgspec
import pytest
from tests.experiments.engines.conftest import spec_in
from tests.observe.inside.containment.conftest import contents

from firstlight.observe.inside import containment
from firstlight.observe.inside.floor import landlock, view
from firstlight.observe.target import parse
from firstlight.observe.watch import Means, running
from firstlight.records.containment import Contained

VIEW, LANDLOCK, NONE = ("view", "landlock"), ("landlock",), ()
ATTEMPTS = """
import ctypes, os, sqlite3, socket, subprocess
libc = ctypes.CDLL(None, use_errno=True)
def attempt(name, act):
    try:
        act()
        print(name, "went")
    except Exception as problem:
        print(name, "refused")
def native_open():
    if libc.open(b"keep.txt", os.O_WRONLY | os.O_TRUNC) < 0:
        raise OSError
def native_unlink():
    if libc.unlink(b"keep.txt"):
        raise OSError
def vacuum():
    sqlite3.connect(":memory:").execute("VACUUM INTO 'into.db'")
def bind():
    socket.socket(socket.AF_UNIX).bind("socket")
attempt("native open", native_open)
attempt("vacuum", vacuum)
attempt("bind", bind)
attempt("shell", lambda: subprocess.run("echo more >> keep.txt", shell=True, check=True, stderr=subprocess.DEVNULL))
attempt("elsewhere", lambda: subprocess.run(["touch", OUTSIDE], check=True, stderr=subprocess.DEVNULL))
attempt("native unlink", native_unlink)
attempt("read", lambda: open(OUTSIDE_FILE).read())
attempt("null", lambda: subprocess.run("echo x > /dev/null", shell=True, check=True))
attempt("shared memory", lambda: open("/dev/shm/firstlight-test", "w").close() or os.unlink("/dev/shm/firstlight-test"))
attempt("python", lambda: open("keep.txt", "a").write("more"))
"""


@dataclass
class Ran:
    lines: dict[str, str]
    code: int | None
    contained: Contained


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str, tuple[str, ...]], Ran]:
    project = tmp_path / "a, project:"
    project.mkdir()
    (project / "keep.txt").write_text("precious\n")
    (tmp_path / "outside.txt").write_text("other\n")
    monkeypatch.chdir(project)

    def run_on(script: str, floors: tuple[str, ...]) -> Ran:
        head = f"OUTSIDE, OUTSIDE_FILE = {str(tmp_path / 'new.txt')!r}, {str(tmp_path / 'outside.txt')!r}\n"
        (project / "train.py").write_text(head + textwrap.dedent(script))
        spec = msgspec.structs.replace(spec_in(tmp_path), cwd=str(project), floors=floors)
        with running(parse(("train.py",), module=False), spec, Means()) as script_running:
            code = script_running.wait(lambda: script_running.seconds > 60)
            contained = containment.contained(Path(spec.scratch))
            lines = script_running.output.lines()
        return Ran(dict(line.rpartition(" ")[::2] for line in lines), code, contained)

    return run_on


def needs(floors: tuple[str, ...], project: Path) -> None:
    if "landlock" in floors and landlock.version() < landlock.LEAST_VERSION:
        pytest.skip("this kernel has no Landlock that could be used")
    if "view" in floors and not view.is_possible(str(project), (), str(project.parent / "changes")):
        pytest.skip("this machine lets nobody mount, not even in a user namespace")


@pytest.mark.parametrize("floors", [VIEW, LANDLOCK, ("view",)])
def test_nothing_native_or_started_reaches_the_users_files(
    run: Callable[[str, tuple[str, ...]], Ran], floors: tuple[str, ...], tmp_path: Path
) -> None:
    needs(floors, Path.cwd())
    ran = run(ATTEMPTS, floors)
    project = contents(Path.cwd())
    assert ran.code == 0, ran.lines
    assert {name for name in project if name != "train.py"} == {"keep.txt"}
    assert project["keep.txt"] == b"precious\n"
    assert not (tmp_path / "new.txt").exists()
    assert {ran.lines[name] for name in ("read", "null", "shared memory", "python")} == {"went"}
    assert ran.lines["elsewhere"] == "refused"
    assert ran.lines["shell"] == ("went" if "view" in floors else "refused")


def test_without_a_floor_it_is_said(run: Callable[[str, tuple[str, ...]], Ran], tmp_path: Path) -> None:
    ran = run(ATTEMPTS, NONE)
    assert str(ran.contained.floor) == "none"
    assert (tmp_path / "new.txt").exists()


def test_what_a_started_program_writes_is_seen_by_the_script_and_listed(
    run: Callable[[str, tuple[str, ...]], Ran],
) -> None:
    needs(VIEW, Path.cwd())
    ran = run(
        """
        import os, subprocess
        os.system("mkdir -p out && echo made > out/by-a-program")
        print("read", open("out/by-a-program").read().strip())
        """,
        VIEW,
    )
    assert ran.lines["read"] == "made"
    assert ran.contained.started == ("mkdir -p out && echo made > out/by-a-program",)
    assert str(ran.contained.floor).startswith("view and landlock ")


def test_modes_and_times_are_held_by_a_view(run: Callable[[str, tuple[str, ...]], Ran]) -> None:
    needs(VIEW, Path.cwd())
    before = Path("keep.txt").stat()
    ran = run("import os; print('code', os.system('chmod 777 keep.txt && touch -d 2001-01-01 keep.txt'))", VIEW)
    after = Path("keep.txt").stat()
    assert ran.lines["code"] == "0"
    assert (after.st_mode, after.st_mtime_ns) == (before.st_mode, before.st_mtime_ns)


def test_a_file_moves_from_the_temporary_folder_into_the_project(run: Callable[[str, tuple[str, ...]], Ran]) -> None:
    needs(VIEW, Path.cwd())
    ran = run(
        """
        import os, pathlib, tempfile
        folder = pathlib.Path(tempfile.mkdtemp())
        (folder / "file").write_text("moved")
        os.replace(folder / "file", "file")
        (folder / "inner").write_text("too")
        os.rename(folder, "folder")
        print("read", open("file").read() + open("folder/inner").read())
        """,
        VIEW,
    )
    assert ran.lines["read"] == "movedtoo"


def test_the_floor_is_inherited_by_what_a_launcher_starts(
    run: Callable[[str, tuple[str, ...]], Ran], tmp_path: Path
) -> None:
    needs(LANDLOCK, Path.cwd())
    Path("shell.sh").write_text(
        "#!/bin/sh\necho more >> keep.txt 2>/dev/null && echo shell went || echo shell refused\n"
    )
    Path("shell.sh").chmod(0o755)
    spec = msgspec.structs.replace(spec_in(tmp_path), cwd=str(Path.cwd()), floors=LANDLOCK)
    with running(parse(("env", "./shell.sh"), module=False), spec, Means()) as script:
        script.wait(lambda: script.seconds > 60)
        lines = script.output.lines()
    assert lines[-1] == "shell refused"
    assert Path("keep.txt").read_text() == "precious\n"
