"""Whatever is handed in: a clear message, the right exit code, no process and no stray file left behind."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil
import pytest

LOOP = """
model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
def train(steps):
    for _ in range(steps):
        optimizer.zero_grad()
        torch.nn.functional.mse_loss(model(torch.randn(8, 4)), torch.zeros(8, 1)).backward()
        optimizer.step()
"""
FOREVER = "import time, subprocess, sys\nchild = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'], start_new_session=True)\nprint(child.pid, flush=True)\nwhile True: time.sleep(0.1)\n"


def lives(pid: int) -> bool:
    """A dead process whose new parent has not fetched it yet does not count."""
    try:
        return bool(psutil.Process(pid).status() != psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return False


def strays(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir() if path.name not in (".firstlight", "train.py"))


@pytest.mark.parametrize(
    ("source", "said"),
    [
        pytest.param("import torch\ndef f(:\n", "SyntaxError: invalid syntax", id="syntax-error"),
        pytest.param("import torch\n", "backward was never called", id="never-trains"),
        pytest.param("print(1)\n", "backward was never called", id="never-imports-torch"),
        pytest.param("import sys, torch\nsys.exit(0)\n" + LOOP, "backward was never called", id="exits-first"),
        pytest.param("import torch\ninput('name? ')\n", "EOFError", id="reads-stdin"),
        pytest.param("import torch\nraise ValueError('no such config')\n", "ValueError: no such config", id="crashes"),
        pytest.param(
            "import argparse\np = argparse.ArgumentParser(); p.add_argument('--lr', required=True); p.parse_args()\n",
            "--lr",
            id="usage",
        ),
        pytest.param("import os, torch\nos.kill(os.getpid(), 11)\n", "signal 11", id="segfault"),
        pytest.param("import os, torch\nos._exit(7)\n", "exit code 7", id="hard-exit"),
    ],
)
def test_a_script_that_cannot_be_judged_says_why(check: Callable[..., Any], source: str, said: str) -> None:
    checked = check(source)
    assert (checked.code, checked.report["verdict"]) == (2, "unjudged")
    assert said in checked.report["reason"]
    assert strays(checked.folder) == []


@pytest.mark.parametrize(
    ("words", "said"),
    [(["missing.py"], "no file or program named missing.py"), (["."], "is a directory"), ([], "nothing to check")],
)
def test_a_wrong_target_is_a_sentence_and_leaves_nothing(
    command: Callable[..., Any], tmp_path: Path, words: list[str], said: str
) -> None:
    done = command("check", *words)
    assert done.returncode == 2
    assert said in done.stderr
    assert "Traceback" not in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_crash_shows_the_users_line_and_none_of_ours(command: Callable[..., Any], tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text("import torch\n" + LOOP + "train(5)\nmodel(torch.zeros(3, 9))\n")
    done = command("check", "--profile", "quick", "train.py")
    line = len((tmp_path / "train.py").read_text().splitlines())
    assert done.returncode == 1
    assert f"where    train.py:{line}" in done.stdout
    assert "mat1 and mat2 shapes cannot be multiplied" in done.stdout
    assert "after 5 training steps" in done.stdout
    assert "firstlight/observe" not in done.stdout


def test_a_script_that_never_steps_is_given_up_with_everything_it_started(judge: Callable[..., Any]) -> None:
    checked = judge(FOREVER, startup_seconds=2)
    assert (checked.code, checked.report["verdict"]) == (2, "unjudged")
    assert "no training step within 2 s" in checked.report["reason"]
    output = (checked.folder / checked.report["subject"]["run"] / "output.log").read_text()
    assert not lives(int(output.split()[0]))
    assert strays(checked.folder) == []


@pytest.mark.usefixtures("interruptible")
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_an_interrupt_ends_everything_and_leaves_a_readable_log(tmp_path: Path, number: int, code: int) -> None:
    (tmp_path / "train.py").write_text(FOREVER)
    temporary = tmp_path / "tmp"
    temporary.mkdir()
    with subprocess.Popen(
        [sys.executable, "-m", "firstlight", "check", "train.py"],
        cwd=tmp_path,
        env={**os.environ, "TMPDIR": str(temporary)},
        stderr=subprocess.PIPE,
    ) as command:
        (run,) = wait_for(lambda: list(tmp_path.glob(".firstlight/runs/*/output.log")) or None)
        child = int(wait_for(lambda: run.read_text().strip() or None))
        command.send_signal(number)
        _, said = command.communicate(timeout=30)
    assert command.returncode == code
    assert b"Traceback" not in said
    assert not lives(child)
    last = json.loads((run.parent / "events.ndjson").read_text().splitlines()[-1])
    assert (last["phase"], last["status"]) == ("run_end", "killed")
    assert sorted(path.name for path in run.parent.iterdir()) == ["events.ndjson", "output.log"]
    assert list(temporary.iterdir()) == []


def wait_for(look: Callable[[], Any]) -> Any:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        if (found := look()) is not None:
            return found
        time.sleep(0.05)
    raise AssertionError("did not come")


def test_killing_the_command_kills_the_script(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text("import os, time\nprint(os.getpid(), flush=True)\nwhile True: time.sleep(0.1)\n")
    command = subprocess.Popen([sys.executable, "-m", "firstlight", "check", "train.py"], cwd=tmp_path)
    (log,) = wait_for(lambda: list(tmp_path.glob(".firstlight/runs/*/output.log")) or None)
    child = int(wait_for(lambda: log.read_text().strip() or None))
    command.kill()
    command.wait()
    wait_for(lambda: None if lives(child) else True)


def test_megabytes_of_output_are_bounded_and_their_end_is_kept(judge: Callable[..., Any]) -> None:
    checked = judge(
        "import torch\n" + LOOP + "train(5)\nfor i in range(120_000): print(i, 'x' * 80)\nraise KeyError('end')\n",
        profile="quick",
    )
    log = checked.folder / checked.report["subject"]["run"] / "output.log"
    assert log.stat().st_size < 5 << 20
    assert log.read_text().rstrip().endswith("KeyError: 'end'")
    assert "119999" in "\n".join(checked.report["output_tail"])


def test_side_effects_are_held_back_and_told(judge: Callable[..., Any], tmp_path: Path) -> None:
    (tmp_path / "log.txt").write_text("mine\n")
    source = (
        "import os, torch\n"
        + LOOP
        + "os.makedirs('ckpt')\nopen('log.txt', 'a').write('theirs')\ntrain(20)\n"
        + "torch.save(model.state_dict(), 'ckpt/last.pt')\nassert torch.load('ckpt/last.pt')\nassert 'theirs' in open('log.txt').read()\n"
    )
    checked = judge(source)
    assert (checked.code, checked.report["verdict"]) == (0, "clean")
    assert set(checked.report["coverage"]["held_back"]) == {"ckpt/last.pt", "log.txt"}
    assert (tmp_path / "log.txt").read_text() == "mine\n"
    assert strays(tmp_path) == ["log.txt"]


def test_every_file_that_is_held_back_is_counted(judge: Callable[..., Any], tmp_path: Path) -> None:
    source = "import torch\n" + LOOP + "for n in range(70):\n    open(f'{n}.txt', 'w').close()\ntrain(20)\n"
    coverage = judge(source).report["coverage"]
    assert (len(coverage["held_back"]), coverage["held_back_count"]) == (50, 70)


def test_arguments_of_any_length_are_passed_on(check_apart: Callable[..., Any]) -> None:
    source = "import sys, torch\nassert len(sys.argv[1]) == 70_000\n" + LOOP + "train(20)\n"
    checked = check_apart(source, "--profile", "quick", arguments=("x" * 70_000,))
    assert (checked.code, checked.report["verdict"]) == (0, "clean")


def test_no_contain_lets_the_script_write(judge: Callable[..., Any], tmp_path: Path) -> None:
    judge("import torch\n" + LOOP + "train(5)\ntorch.save(model.state_dict(), 'last.pt')\n", contain=False)
    assert strays(tmp_path) == ["last.pt"]


def test_a_script_that_swallows_the_stop_is_ended_all_the_same(judge: Callable[..., Any]) -> None:
    source = (
        "import torch\n"
        + LOOP
        + "while True:\n    try:\n        train(1000)\n    except BaseException:\n        pass\n"
    )
    checked = judge(source, steps=10)
    assert (checked.code, checked.report["verdict"]) == (0, "clean")
    assert checked.report["coverage"]["steps"] == 10


def test_loader_workers_of_both_kinds(judge: Callable[..., Any]) -> None:
    source = """import torch
from torch.utils.data import DataLoader, TensorDataset
if __name__ == "__main__":
    data = TensorDataset(torch.randn(64, 4), torch.randn(64, 1))
    model = torch.nn.Linear(4, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for context in ("fork", "spawn"):
        for x, y in DataLoader(data, 4, shuffle=True, num_workers=2, multiprocessing_context=context):
            optimizer.zero_grad()
            torch.nn.functional.mse_loss(model(x), y).backward()
            optimizer.step()
"""
    checked = judge(source, profile="quick")
    assert (checked.code, checked.report["coverage"]["steps"], checked.loud()) == (0, 32, [])


def test_the_script_runs_as_python_would_run_it(check_apart: Callable[..., Any], tmp_path: Path) -> None:
    (tmp_path / "beside.py").write_text("value = 3\n")
    source = (
        "import sys, os, atexit, torch, beside\n"
        + LOOP
        + "atexit.register(lambda: print('left', flush=True))\n"
        + "print(__name__, __file__, sys.argv, sys.path[0] == os.path.dirname(os.path.abspath(__file__)), os.getcwd() == "
        + repr(str(tmp_path))
        + ", sys.modules['__main__'].model is model)\ntrain(5)\n"
    )
    checked = check_apart(source, "--profile", "quick", arguments=("--lr", "1", "--format", "json"))
    output = (tmp_path / checked.report["subject"]["run"] / "output.log").read_text().splitlines()
    assert output == ["__main__ train.py ['train.py', '--lr', '1', '--format', 'json'] True True True", "left"]


def test_a_suppressed_finding_is_told_and_does_not_count(judge: Callable[..., Any]) -> None:
    source = (
        "import torch\ntorch.manual_seed(0)\n"
        + LOOP.replace("        optimizer.zero_grad()\n", "").replace(
            ".backward()", ".backward()  # firstlight: ignore[train-no-zero-grad] a test"
        )
        + "train(30)\n"
    )
    checked = judge(source)
    assert (checked.code, checked.report["verdict"]) == (0, "clean")
    assert "a test" in checked.report["coverage"]["suppressed"][0]


def test_flags_reach_the_run(check: Callable[..., Any]) -> None:
    source = "import torch\n" + LOOP.replace("        optimizer.zero_grad()\n", "") + "train(30)\n"
    checked = check(
        source, "--profile", "quick", "--steps", "20", "--select", "loss-broadcast,FL301", "--ignore", "FL301"
    )
    assert (checked.code, checked.report["coverage"]["steps"]) == (0, 20)
    assert {one["name"] for one in checked.report["checks"] if one["id"] > "FL1"} == {"loss-broadcast"}


def test_select_ignore_and_configuration_reach_the_run(judge: Callable[..., Any], tmp_path: Path) -> None:
    source = (
        "import torch\ntorch.manual_seed(0)\n" + LOOP.replace("        optimizer.zero_grad()\n", "") + "train(30)\n"
    )
    assert judge(source, profile="quick", ignore=["FL301"]).code == 0
    assert judge(source, profile="quick", select=["loss-broadcast"]).code == 0
    (tmp_path / "firstlight.toml").write_text('[severity]\ngradients-never-cleared = "warning"\n')
    warned = judge(source, profile="quick")
    assert (warned.code, warned.report["verdict"]) == (0, "warn")
    assert judge(source, profile="quick", strict=True).code == 1
    (tmp_path / "firstlight.toml").write_text("[checks.gradients-never-cleared]\nsteps-in-a-row = 100\n")
    assert judge(source, profile="quick").code == 0


def test_output_goes_to_a_file_whole_or_not_at_all(command: Callable[..., Any], tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text("import torch\n" + LOOP + "train(5)\n")
    done = command("check", "--format", "json", "--output", "report.json", "train.py")
    assert (done.returncode, done.stdout) == (0, "")
    assert json.loads((tmp_path / "report.json").read_text())["verdict"] == "clean"
    refused = command("check", "--output", "no/such/folder/report.txt", "train.py")
    assert refused.returncode == 2
    assert "cannot write" in refused.stderr


def test_show_output_streams_to_standard_error(command: Callable[..., Any], tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text("import torch\n" + LOOP + "print('hello from the script')\ntrain(5)\n")
    done = command("check", "--show-output", "--format", "json", "train.py")
    assert "hello from the script" in done.stderr
    assert json.loads(done.stdout)["verdict"] == "clean"


def test_another_interpreter_without_firstlight_is_observed_too(command: Callable[..., Any], tmp_path: Path) -> None:
    """A virtual environment that has torch and nothing of ours."""
    import venv

    venv.create(tmp_path / "other", with_pip=False)
    python = tmp_path / "other" / "bin" / "python"
    import torch

    (packages,) = (tmp_path / "other").glob("lib/python*/site-packages")
    home = Path(torch.__file__).parents[1]
    for path in home.iterdir():
        if not path.name.startswith(("firstlight", "_firstlight", "__editable__", "msgspec", "_editable_impl")):
            (packages / path.name).symlink_to(path)
    (tmp_path / "train.py").write_text(
        "import torch\n" + LOOP.replace("        optimizer.zero_grad()\n", "") + "train(30)\n"
    )
    done = command("check", "--profile", "quick", "--format", "json", "--", str(python), "train.py")
    assert json.loads(done.stdout)["findings"][0]["name"] == "gradients-never-cleared", done.stderr


def test_what_is_saved_outside_of_the_project_is_held_back_and_read_again(
    check: Callable[..., Any], tmp_path_factory: pytest.TempPathFactory
) -> None:
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    (elsewhere / "best.pt").write_bytes(b"of an earlier run")
    saved = f'''
for place in ("{elsewhere}/best.pt", "{elsewhere}/runs/last.pt"):
    os.makedirs(os.path.dirname(place), exist_ok=True)
    torch.save(model.state_dict(), place)
    model.load_state_dict(torch.load(place))
with open("{elsewhere}/log.txt", "w") as log:
    log.write("done")
'''
    checked = check("import os, torch\ntorch.manual_seed(0)\n" + LOOP + "train(30)\n" + saved, "--profile", "quick")

    assert (checked.report["verdict"], checked.loud()) == ("clean", [])
    assert (elsewhere / "best.pt").read_bytes() == b"of an earlier run"
    assert sorted(path.name for path in elsewhere.iterdir()) == ["best.pt"]
