"""Guarded trainings on disks that fill at many moments, beside the same trainings without the guard.

    python bench/hostile_disk.py [MOMENTS] [SEED]

Each disk is a small file system of its own, in a mount namespace. The program saves its weights at every tenth step
until nothing fits; what it saved, and what it could not, must be the same with the guard and without it.
"""

import json
import os
import platform
import random
import subprocess
import sys
import tempfile
from pathlib import Path

PROGRAM = """
import hashlib, pathlib, sys, torch
torch.manual_seed(0)
model = torch.nn.Linear(128, int(sys.argv[1]))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
for step in range(200):
    optimizer.zero_grad()
    model(torch.randn(8, 128) if step != 120 else torch.full((8, 128), torch.inf)).square().mean().backward()
    optimizer.step()
    if step % 10 == 0:
        path = pathlib.Path(f"{step}.pt")
        try:
            torch.save(model.state_dict(), path)
            print(step, hashlib.sha256(path.read_bytes()).hexdigest(), flush=True)
        except Exception:
            path.unlink(missing_ok=True)
            print(step, "no room", flush=True)
print("end", hashlib.sha256(model.weight.detach().numpy().tobytes()).hexdigest())
"""
SMALL_KB, LARGE_KB = (40, 6_000), (66_000, 90_000)
"""A disk that is nearly full from the beginning, and one that has more left at first than the guard leaves alone."""
SHARE_LARGE = 0.3


def trained(kilobytes: int, width: int, words: list[str]) -> tuple[int, str]:
    with tempfile.TemporaryDirectory() as folder:
        mounted = f'mount -t tmpfs -o size={kilobytes}k tmpfs "$0" && cd "$0" && cat > train.py && exec "$@"'
        done = subprocess.run(
            ["unshare", "-rm", "sh", "-c", mounted, folder, sys.executable, *words, "train.py", str(width)],
            input=PROGRAM, env={**os.environ, "OMP_NUM_THREADS": "1"}, capture_output=True, text=True, check=False,
        )  # fmt: skip
    return done.returncode, done.stdout


def main(moments: int, seed: int) -> None:
    chance = random.Random(seed)
    rows, lost = [], 0
    for name, bounds, times in (
        ("disks nearly full from the beginning", SMALL_KB, moments - int(SHARE_LARGE * moments)),
        ("disks that fill during the training", LARGE_KB, int(SHARE_LARGE * moments)),
    ):
        differ = []
        for _ in range(times):
            kilobytes = chance.randint(*bounds)
            width = 64 if bounds is SMALL_KB else chance.choice((8_000, 10_000, 12_000))
            plain, guarded = (
                trained(kilobytes, width, words) for words in ([], ["-m", "firstlight", "run", "--no-check"])
            )
            same = plain[1] == guarded[1] and plain[0] == 0 and guarded[0] in (0, 1)
            differ += [] if same else [f"{kilobytes} kB, weights of {width}"]
        lost += len(differ)
        rows.append(
            {
                "what": f"{name}: the same files, the same weights",
                "tried": times,
                "held": times - len(differ),
                "note": "; ".join(differ),
            }
        )
    told = {
        "part": "disk",
        "machine": f"Linux {platform.release()}, Python {platform.python_version()}, tmpfs of its own size",
        "floor": "",
        "tried": moments,
        "lost": lost,
        "rows": rows,
    }
    (Path(__file__).parent / "results/reliability-disk.json").write_text(
        json.dumps(told, indent=1) + "\n", encoding="utf-8"
    )
    print(json.dumps(told, indent=1))


if __name__ == "__main__":
    numbers = [int(word) for word in sys.argv[1:]]
    main(*(numbers + [50, 0][len(numbers) :]))
