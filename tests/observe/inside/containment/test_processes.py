import textwrap
from collections.abc import Callable
from pathlib import Path

import pytest

Run = Callable[..., str]

JOBS = """
    import os
    from pathlib import Path
    Path("imported-by-" + str(os.getpid())).write_text("x")
    def look(answers):
        Path("child.txt").write_text("from the child")
        answers.put((Path("parent.txt").read_text(), os.path.exists("log.txt"), os.path.basename(os.getcwd())))
"""


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_processes_share_what_is_held_back(run: Run, project: Path, method: str) -> None:
    (project / "jobs.py").write_text(textwrap.dedent(JOBS))
    assert run(f"""
        import multiprocessing, jobs
        os.makedirs("out"); os.remove("log.txt"); os.chdir("out")
        Path("parent.txt").write_text("from the parent")
        context = multiprocessing.get_context("{method}")
        answers = context.Queue()
        child = context.Process(target=jobs.look, args=(answers,))
        child.start()
        print(answers.get(timeout=60), child.join())
        print(Path("child.txt").read_text())
    """).splitlines() == ["('from the parent', False, 'out') None", "from the child"]


def test_joblib_workers_are_contained(run: Run, project: Path) -> None:
    pytest.importorskip("joblib")
    (project / "jobs.py").write_text("def put(name):\n    open(name, 'w').write('x')\n    return name\n")
    assert run("""
        import joblib, jobs
        print(joblib.Parallel(n_jobs=2)(joblib.delayed(jobs.put)(name) for name in ("a", "b")), os.path.exists("a"))
    """).splitlines() == ["['a', 'b'] True"]
