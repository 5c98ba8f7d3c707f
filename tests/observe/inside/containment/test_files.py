"""Python's own file functions, contained."""

from collections.abc import Callable

Run = Callable[..., str]


def test_a_file_that_exists_is_appended_to_overwritten_and_removed(run: Run) -> None:
    assert run("""
        with open("log.txt", "a") as file:
            file.write("new\\n")
        print(open("log.txt").read().split(), file.name)
        Path("log.txt").write_text("over")
        print(Path("log.txt").read_text(), os.path.getsize("log.txt"))
        os.remove("log.txt")
        print(os.path.exists("log.txt"), sorted(os.listdir()))
        try:
            open("log.txt")
        except FileNotFoundError as problem:
            print(problem.filename)
    """).splitlines() == ["['old', 'new'] log.txt", "over 4", "False ['.firstlight', 'checkpoints']", "log.txt"]


def test_a_folder_of_the_user_is_removed_only_in_the_script_s_eyes(run: Run) -> None:
    assert run("""
        import shutil
        shutil.rmtree("checkpoints")
        print(os.path.exists("checkpoints"), Path("checkpoints/best.pt").exists())
        os.makedirs("checkpoints")
        print(os.listdir("checkpoints"))
    """).splitlines() == ["False False", "[]"]


def test_a_script_that_changes_into_a_folder_it_made_stays_in_the_user_s_paths(run: Run) -> None:
    assert run("""
        home = os.getcwd()
        os.makedirs("outputs/2026/run"); os.chdir("outputs/2026/run")
        print(os.path.relpath(os.getcwd(), home), os.path.relpath(Path("x.txt").absolute(), home))
        Path("x.txt").write_text("1")
        import subprocess
        subprocess.run(["touch", "from_a_program"], check=True)
        print(sorted(os.listdir()), Path("../../../log.txt").read_text().strip())
        os.chdir(home)
        subprocess.run(["pwd"], cwd="outputs/2026", check=True, stdout=subprocess.DEVNULL)
        print(sorted(str(path) for path in Path("outputs").rglob("*")))
    """).splitlines() == [
        "outputs/2026/run outputs/2026/run/x.txt", "['from_a_program', 'x.txt'] old",
        "['outputs/2026', 'outputs/2026/run', 'outputs/2026/run/from_a_program', 'outputs/2026/run/x.txt']",
    ]  # fmt: skip


def test_every_way_to_name_a_file_works(run: Run) -> None:
    assert run("""
        import io, pickle
        open(b"bytes.txt", "w").close()
        open(Path("path.txt"), mode="w").close()
        with open(os.open("fd.txt", os.O_WRONLY | os.O_CREAT), "w") as file: file.write("fd")
        open("opener.txt", "w", opener=lambda name, flags: os.open(name, flags)).close()
        with io.FileIO("raw.bin", "wb") as raw: raw.write(b"raw")
        print(isinstance(open("log.txt", "rb", buffering=0), io.FileIO), os.stat(path="raw.bin").st_size)
        print(b"bytes.txt" in os.listdir(b"."), pickle.loads(pickle.dumps(os.remove)) is os.remove)
        class Holder: opened = open
        print(Holder().opened("log.txt").read().strip(), os.stat in os.supports_dir_fd)
    """).splitlines() == ["True 3", "True True", "old True"]


def test_a_fault_of_ours_is_an_error_and_never_a_write(run: Run) -> None:
    assert run("""
        overlay.paths.locate = lambda *_args: 1 / 0
        try:
            open("log.txt", "w")
        except OSError as problem:
            print(problem.filename, problem.strerror)
    """).splitlines() == ["log.txt firstlight could not hold this back"]
