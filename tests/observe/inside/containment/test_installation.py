from collections.abc import Callable
from pathlib import Path

Run = Callable[..., str]


def test_what_was_held_back_is_listed_with_the_user_s_paths(run: Run) -> None:
    assert run("""
        import logging
        logging.basicConfig(handlers=[logging.FileHandler("train.log")])
        logging.warning("hello")
        Path("a").mkdir(); Path("a/b.txt").touch()
        print(*(os.path.relpath(path) for path in containment.held_back(overlay)))
        print("hello" in Path("train.log").read_text())
        print(containment.install(SCRATCH) is overlay)
    """).splitlines() == ["a/b.txt train.log", "True", "True"]


def test_temporary_files_are_real_and_go_away(run: Run) -> None:
    assert run("""
        import subprocess, tempfile
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "x").write_text("seen by others")
            print(subprocess.check_output(["cat", f"{folder}/x"], text=True))
        print(os.path.exists(folder))
        with tempfile.NamedTemporaryFile(dir=".") as file:
            print(os.path.exists(file.name))
        print(os.path.exists(file.name))
    """).splitlines() == ["seen by others", "False", "True", "False"]


def test_a_project_in_the_temporary_directory_itself_is_held_too(run: Run, project: Path) -> None:
    printed = run(
        """
        import tempfile
        Path("result.txt").write_text("1")
        with tempfile.NamedTemporaryFile() as file:
            print(os.path.relpath(os.path.dirname(file.name)))
        """,
        TMPDIR=str(project),
    )
    assert printed.splitlines() == [".firstlight/runs/1/scratch/tmp"]
