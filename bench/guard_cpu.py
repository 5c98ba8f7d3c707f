"""What the guard costs a training step on the CPU, beside the monitors people use, in the same process.

    python bench/guard_cpu.py [--rounds 12] [--steps 5]

CPU time on one thread (a shared machine's wall clock says little). Blocks with a monitor and bare blocks follow one another;
printed is the median of the paired differences over the bare step, with a 90 % bootstrap interval.
"""

import argparse
import contextlib
import os
import random
import statistics
import tempfile
import time
from collections.abc import Callable
from itertools import pairwise

import torch
import torch.nn.functional as F
from torch import nn

import firstlight as fl


class Block(nn.Module):
    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.proj = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.up, self.act, self.down = nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        b, t, d = x.shape
        q, k, v = (
            z.view(b, t, self.heads, d // self.heads).transpose(1, 2) for z in self.qkv(self.norm1(x)).split(d, 2)
        )
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).reshape(b, t, d)
        x = x + self.proj(y)
        return x + self.down(self.act(self.up(self.norm2(x))))


class Transformer(nn.Module):
    """2.2 M parameters in 52 tensors."""

    def __init__(self) -> None:
        super().__init__()
        self.tokens, self.places = nn.Embedding(2048, 192), nn.Embedding(64, 192)
        self.blocks = nn.Sequential(*(Block(192, 6) for _ in range(4)))
        self.norm, self.head = nn.LayerNorm(192), nn.Linear(192, 2048, bias=False)
        self.head.weight = self.tokens.weight

    def forward(self, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        hidden = self.blocks(self.tokens(x) + self.places.weight[: x.shape[1]])
        return F.cross_entropy(self.head(self.norm(hidden)).flatten(0, 1), y.flatten())


class Cnn(nn.Module):
    """0.5 M parameters in 17 tensors."""

    def __init__(self) -> None:
        super().__init__()
        widths, layers = (3, 32, 64, 128, 128, 256), []
        for i, (a, b) in enumerate(pairwise(widths)):
            layers += [nn.Conv2d(a, b, 3, 2 if i in (1, 2, 4) else 1, 1, bias=False), nn.BatchNorm2d(b), nn.ReLU()]
        self.body, self.head = nn.Sequential(*layers), nn.Linear(256, 10)

    def forward(self, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        return F.cross_entropy(self.head(self.body(x).mean((2, 3))), y)


def text() -> tuple[torch.Tensor, torch.Tensor]:
    return torch.randint(2048, (8, 64)), torch.randint(2048, (8, 64))


def pictures() -> tuple[torch.Tensor, torch.Tensor]:
    return torch.randn(32, 3, 32, 32), torch.randint(10, (32,))


PROGRAMS: dict[str, tuple[Callable[[], nn.Module], Callable[[], tuple[torch.Tensor, torch.Tensor]]]] = {
    "transformer, 2.2 M in 52 tensors, 8x64": (Transformer, text),
    "CNN, 0.5 M in 17 tensors, 32x32x32": (Cnn, pictures),
}


class Loop:
    def __init__(self, make: Callable[[], nn.Module], draw: Callable[[], tuple[torch.Tensor, torch.Tensor]]) -> None:
        torch.manual_seed(0)
        self.model = make()
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=1e-4)
        self.batches = [draw() for _ in range(4)]
        self.done = 0

    def block(
        self, monitor: Callable[["Loop"], contextlib.AbstractContextManager[Callable[[], None]]], steps: int
    ) -> float:
        """Milliseconds of CPU a step."""
        with monitor(self) as after:
            self.step(after)
            begun = time.process_time()
            for _ in range(steps):
                self.step(after)
            return (time.process_time() - begun) / steps * 1e3

    def step(self, after: Callable[[], None]) -> None:
        self.optimizer.zero_grad()
        self.model(*self.batches[self.done % 4]).backward()
        after()
        self.optimizer.step()
        self.done += 1


@contextlib.contextmanager
def bare(loop: Loop):
    yield lambda: None


@contextlib.contextmanager
def guarded(loop: Loop):
    with (
        tempfile.TemporaryDirectory() as folder,
        fl.guard(loop.model, loop.optimizer, directory=folder, cost=None) as guard,
    ):
        yield lambda: None
    assert not guard.shield.broken, guard.shield.broken


@contextlib.contextmanager
def looking(loop: Loop):
    with (
        tempfile.TemporaryDirectory() as folder,
        fl.guard(loop.model, loop.optimizer, directory=folder, every=1, cost=None),
    ):
        for _ in range(2):
            loop.step(lambda: None)
        yield lambda: None


@contextlib.contextmanager
def foreach_norm(loop: Loop):
    def read() -> None:
        torch.stack(torch._foreach_norm([p.grad for p in loop.model.parameters()])).tolist()

    yield read


@contextlib.contextmanager
def naive(loop: Loop):
    def read() -> None:
        for parameter in loop.model.parameters():
            for t in (parameter.grad, parameter.detach()):
                for value in (
                    t.mean(),
                    t.std(),
                    t.max(),
                    t.min(),
                    t.norm(),
                    t.isnan().any(),
                    t.isinf().any(),
                    (t == 0).float().mean(),
                ):
                    value.item()

    yield read


@contextlib.contextmanager
def anomaly(loop: Loop):
    with torch.autograd.set_detect_anomaly(True, check_nan=True):
        yield lambda: None


@contextlib.contextmanager
def lightning_norm(loop: Loop):
    from lightning.pytorch.utilities import grad_norm

    def read() -> None:
        grad_norm(loop.model, norm_type=2)

    yield read


@contextlib.contextmanager
def wandb_watch(loop: Loop):
    import wandb

    with tempfile.TemporaryDirectory() as folder:
        run = wandb.init(mode="offline", dir=folder, project="bench", settings=wandb.Settings(silent=True))
        run.watch(loop.model, log="all", log_freq=1)
        yield lambda: run.log({"step": loop.done})
        run.unwatch(loop.model)
        run.finish()


MONITORS = {
    "guard, all gradients and weights": guarded,
    "guard, with activations at every step": looking,
    "torch._foreach_norm (L2 of gradients)": foreach_norm,
    "Lightning grad_norm": lightning_norm,
    "naive loop, gradients and weights": naive,
    "detect_anomaly": anomaly,
    "wandb.watch(all, 1), offline": wandb_watch,
}


def interval(values: list[float]) -> tuple[float, float]:
    draw = random.Random(0)
    medians = sorted(statistics.median(draw.choices(values, k=len(values))) for _ in range(1000))
    return medians[50], medians[949]


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--rounds", type=int, default=12)
    options.add_argument("--steps", type=int, default=5)
    options.add_argument("--only", default="")
    chosen = options.parse_args()
    torch.set_num_threads(1)
    print(f"{os.cpu_count()} cores, torch {torch.__version__}, one thread, CPU time")
    for name, (make, draw) in PROGRAMS.items():
        loop = Loop(make, draw)
        base = statistics.median(loop.block(bare, chosen.steps) for _ in range(3))
        print(f"{name}: bare step {base:.1f} ms")
        for monitor, attach in MONITORS.items():
            if chosen.only and chosen.only not in monitor:
                continue
            rounds = chosen.rounds if "guard" in monitor or "foreach" in monitor else max(3, chosen.rounds // 4)
            try:
                found = [loop.block(attach, chosen.steps) / loop.block(bare, chosen.steps) - 1 for _ in range(rounds)]
            except ImportError as missing:
                print(f"  {monitor:40} left out ({missing.name} is not installed)")
                continue
            low, high = interval(found)
            print(f"  {monitor:40} {statistics.median(found):+8.1%} [{low:+.1%}, {high:+.1%}]", flush=True)


if __name__ == "__main__":
    main()
