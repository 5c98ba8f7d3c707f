"""What it costs to be ready for a capture: one training step without the guard, with it, and with copies held.

    python bench/capture.py [--device cuda]

All ways are taken within one process, several times round, each time in another order, and compared by their medians; ratios are to the
guard without capture, so that the guard's own cost is not counted here. Prints a table in Markdown.
"""

import argparse
import os
import random
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

import torch
from torch import nn

import firstlight as fl

ROUNDS, STEPS = 7, 40
WAYS: dict[str, Any] = {
    "no guard": "none",
    "guard, capture off": None,
    "guard (inputs and random state held)": fl.Capturing(),
    "copies on the host every 10 steps": fl.Capturing(keep="host", every=10),
    "copies on the host every step": fl.Capturing(keep="host", every=1),
    "copies on the device every 10 steps": fl.Capturing(keep="device", every=10),
    "copies on the device every step": fl.Capturing(keep="device", every=1),
}


def network(device: str) -> nn.Module:
    width, depth = (1024, 12) if device == "cuda" else (128, 4)
    layer = nn.TransformerEncoderLayer(width, 8, 4 * width, dropout=0.0, batch_first=True)
    return nn.Sequential(nn.Embedding(1000, width), nn.TransformerEncoder(layer, depth), nn.Linear(width, 1000)).to(
        device
    )


def seconds_a_step(way: Any, device: str) -> float:
    torch.manual_seed(0)
    model = network(device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4, fused=device == "cuda")
    ids = torch.randint(1000, (16 if device == "cuda" else 8, 512 if device == "cuda" else 64), device=device)
    guard = None if way == "none" else fl.guard(model, optimizer, capture=way, every=0)

    def step() -> None:
        optimizer.zero_grad()
        nn.functional.cross_entropy(model(ids).flatten(0, 1), ids.flatten()).backward()
        optimizer.step()

    for _ in range(12):
        step()
    settle(device)
    # On the CPU the process's own time: other programs on the machine do not count.
    clock = time.perf_counter if device == "cuda" else time.process_time
    begun = clock()
    for _ in range(STEPS):
        step()
    settle(device)
    spent = (clock() - begun) / STEPS
    if guard is not None:
        guard.close()
    return spent


def settle(device: str) -> None:
    if device == "cuda":
        torch.cuda.synchronize()


def main(device: str) -> None:
    os.chdir(tempfile.mkdtemp())
    Path("pyproject.toml").write_text("", encoding="utf-8")
    found: dict[str, list[float]] = {name: [] for name in WAYS}
    torch.set_num_threads(1)
    chance = random.Random(0)
    for _ in range(ROUNDS):
        for name in chance.sample(list(WAYS), len(WAYS)):
            found[name].append(seconds_a_step(WAYS[name], device))
    base = statistics.median(found["guard, capture off"])
    print("| way | ms a step | against the guard without capture |\n|---|---|---|")
    for name, times in found.items():
        middle = statistics.median(times)
        print(f"| {name} | {middle * 1e3:.2f} | {middle / base - 1:+.1%} |")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--device", default="cpu")
    main(parser.parse_args().device)
