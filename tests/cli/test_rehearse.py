"""`firstlight rehearse` as typed: what it says, and how it ends."""

from pathlib import Path

import pytest
from tests.conftest import Run

EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "later-part-crashes"


RANKS = """import os
import torch
from torch import distributed, nn

distributed.init_process_group("gloo")
model = nn.parallel.DistributedDataParallel(nn.Linear(4, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for step in range(100_000):
    loss = model(torch.randn(8, 4)).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(os.environ["LOCAL_RANK"], distributed.get_world_size())
distributed.destroy_process_group()
"""


def test_what_a_launcher_starts_is_rehearsed_as_one_process(command: Run, tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(RANKS, encoding="utf-8")
    done = command("rehearse", "--seconds", "60", "-m", "torch.distributed.run", "--nproc_per_node=2", "train.py")

    assert done.returncode == 0, done.stderr
    assert "reached the last line" in done.stdout


def test_a_launcher_without_a_script_is_refused_with_what_to_do(command: Run) -> None:
    done = command("rehearse", "-m", "torch.distributed.run", "-m", "package.train")

    assert done.returncode == 2
    assert done.stderr == (
        "firstlight: `-m torch.distributed.run -m package.train` names no script that could be shortened. "
        "Name the script that trains\n"
    )


@pytest.mark.parametrize(("name", "code"), [("healthy.py", 0), ("fails.py", 1)])
def test_the_exit_code_says_whether_the_last_line_is_reached(
    command: Run, tmp_path: Path, name: str, code: int
) -> None:
    (tmp_path / "train.py").write_text((EXAMPLES / name).read_text(encoding="utf-8"), encoding="utf-8")
    done = command("rehearse", "--seconds", "60", "train.py")

    assert done.returncode == code, done.stderr
    assert ("reached the last line" in done.stdout) is (code == 0)
    assert ("FL004" in done.stdout) is (code == 1)
    assert sorted(path.name for path in tmp_path.iterdir()) == [".firstlight", "train.py"]


def test_nothing_to_rehearse_is_said(command: Run) -> None:
    done = command("rehearse")

    assert done.returncode == 2
    assert "nothing to rehearse. Name a script: `firstlight rehearse train.py`" in done.stderr
