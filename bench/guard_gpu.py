"""What the guard costs a training step on a CUDA device, beside the monitors people use, in the same process.

    python bench/guard_gpu.py [--model gpt2|gpt1b3|small] [--compile] [--rounds 30] [--steps 12] [--processes 3]
        [--alone] [--slow] [--clip] [--activations]

Short blocks of steps with and without the guard follow one another, in turn first; a block lies between two synchronisations.
Printed: the median of the paired differences with a 90 % bootstrap interval, launches a step; for the other monitors the same
over fewer rounds. Then the statistics pass alone: time on the stream, bytes read, share of the card's copy bandwidth. `--processes`
repeats all of it in fresh processes: a claim holds when each of them shows it. `--slow` adds the monitors that multiply
the step (naive loop, anomaly mode, wandb.watch). `--clip` compares a loop that clips with torch's function with one that
clips with the guard's, statistics included. `--activations` looks at the activations of every step.
"""

import argparse
import contextlib
import functools
import math
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable

import torch
import torch.nn.functional as F
from torch import nn

import firstlight as fl
from firstlight.guard import taps
from firstlight.guard.statistics.device import DevicePass
from firstlight.guard.statistics.rows import Scalars, Tensors


class Block(nn.Module):
    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.proj = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.up, self.act, self.down = (
            nn.Linear(width, 4 * width),
            nn.GELU(approximate="tanh"),
            nn.Linear(4 * width, width),
        )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        b, t, d = x.shape
        q, k, v = (
            z.view(b, t, self.heads, d // self.heads).transpose(1, 2) for z in self.qkv(self.norm1(x)).split(d, 2)
        )
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).reshape(b, t, d)
        x = x + self.proj(y)
        return x + self.down(self.act(self.up(self.norm2(x))))


class Gpt(nn.Module):
    """Tied embeddings, learned positions, pre-norm: GPT-2's shapes."""

    def __init__(self, layers: int, width: int, heads: int, vocabulary: int = 50304, context: int = 1024) -> None:
        super().__init__()
        self.tokens, self.places = nn.Embedding(vocabulary, width), nn.Embedding(context, width)
        self.blocks = nn.ModuleList(Block(width, heads) for _ in range(layers))
        self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, vocabulary, bias=False)
        for module in self.modules():
            if isinstance(module, nn.Linear | nn.Embedding):
                nn.init.normal_(
                    module.weight, std=0.02 if isinstance(module, nn.Embedding) else 0.02 / math.sqrt(2 * layers)
                )
        self.head.weight = self.tokens.weight

    def forward(self, words: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
        x = self.tokens(words) + self.places.weight[: words.shape[1]]
        for block in self.blocks:
            x = block(x)
        return F.cross_entropy(self.head(self.norm(x)).flatten(0, 1), targets.flatten())


SIZES = {"gpt2": (12, 768, 12, 16), "gpt1b3": (24, 2048, 16, 8), "small": (4, 192, 6, 8)}
Monitor = Callable[["Loop"], contextlib.AbstractContextManager[Callable[[torch.Tensor], None]]]


class Loop:
    """A training loop in bf16 autocast with fused AdamW; `after_backward` is where a monitor reads."""

    def __init__(self, size: str, compiled: bool) -> None:
        torch.manual_seed(0)
        layers, width, heads, batch = SIZES[size]
        self.raw = Gpt(layers, width, heads).cuda()
        self.model = torch.compile(self.raw) if compiled else self.raw
        self.optimizer = torch.optim.AdamW(self.raw.parameters(), lr=1e-5, weight_decay=0.1, fused=True)
        draw = lambda: torch.randint(50304, (batch, 1024), device="cuda")  # noqa: E731
        self.batches = [(draw(), draw()) for _ in range(4)]
        self.done = 0

    def step(self, after_backward: Callable[[torch.Tensor], None]) -> None:
        words, targets = self.batches[self.done % 4]
        self.optimizer.zero_grad(set_to_none=True)
        with torch.autocast("cuda", torch.bfloat16):
            loss = self.model(words, targets)
        loss.backward()
        after_backward(loss)
        self.optimizer.step()
        self.done += 1

    def block(self, monitor: Monitor, steps: int) -> float:
        """Milliseconds a step."""
        with monitor(self) as after:
            for _ in range(2):
                self.step(after)
            torch.cuda.synchronize()
            begun = time.perf_counter()
            for _ in range(steps):
                self.step(after)
            torch.cuda.synchronize()
            return (time.perf_counter() - begun) / steps * 1e3

    def launches(self, monitor: Monitor) -> int:
        with monitor(self) as after:
            for _ in range(3):
                self.step(after)
            torch.cuda.synchronize()
            with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA]) as profile:
                self.step(after)
                torch.cuda.synchronize()
        return sum(1 for event in profile.events() if "CUDA" in str(event.device_type))


@contextlib.contextmanager
def bare(loop: Loop):
    yield lambda loss: None


@contextlib.contextmanager
def loss_item(loop: Loop):
    def read(loss: torch.Tensor) -> None:
        loss.item()

    yield read


@contextlib.contextmanager
def foreach_norm(loop: Loop):
    def read(loss: torch.Tensor) -> None:
        torch.stack(torch._foreach_norm([p.grad for p in loop.raw.parameters()]))

    yield read


@contextlib.contextmanager
def clipping(loop: Loop, max_norm: float = 1.0):
    def read(loss: torch.Tensor) -> None:
        nn.utils.clip_grad_norm_(loop.raw.parameters(), max_norm, foreach=True)

    yield read


@contextlib.contextmanager
def lightning_norm(loop: Loop):
    try:
        from lightning.pytorch.utilities import grad_norm
    except ImportError:
        from pytorch_lightning.utilities import grad_norm

    def read(loss: torch.Tensor) -> None:
        grad_norm(loop.raw, norm_type=2)

    yield read


@contextlib.contextmanager
def naive(loop: Loop):
    def read(loss: torch.Tensor) -> None:
        for parameter in loop.raw.parameters():
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
    with torch.autograd.set_detect_anomaly(True):
        yield lambda loss: None


@contextlib.contextmanager
def wandb_watch(loop: Loop):
    import wandb

    with tempfile.TemporaryDirectory() as folder:
        run = wandb.init(mode="offline", dir=folder, project="bench", settings=wandb.Settings(silent=True))
        run.watch(loop.raw, log="gradients", log_freq=1)
        yield lambda loss: run.log({"step": loop.done})
        run.unwatch(loop.raw)
        run.finish()


QUICK: dict[str, Monitor] = {
    "torch._foreach_norm (L2 of gradients)": foreach_norm,
    "clip_grad_norm_": clipping,
    "loss.item()": loss_item,
    "Lightning grad_norm": lightning_norm,
}
SLOW: dict[str, Monitor] = {
    "naive loop with .item()": naive,
    "detect_anomaly": anomaly,
    "wandb.watch(gradients, 1)": wandb_watch,
}


def interval(differences: list[float]) -> tuple[float, float]:
    draw = random.Random(0)
    medians = sorted(statistics.median(draw.choices(differences, k=len(differences))) for _ in range(2000))
    return medians[100], medians[1899]


class Toggled:
    """One guard for the whole measurement, put on and taken off between blocks without building it anew."""

    def __init__(self, loop: Loop, folder: str, every: int = 200, max_norm: float | None = None) -> None:
        """`max_norm`: gradients are clipped by the guard, in its own pass."""
        self.guard = fl.guard(loop.raw, loop.optimizer, directory=folder, cost=None, every=every)
        self._max_norm = max_norm
        hooks = loop.optimizer._optimizer_step_pre_hooks, loop.optimizer._optimizer_step_post_hooks
        self._hooks = [(live, dict(live)) for live in hooks]
        self.off()

    def off(self) -> None:
        taps.leave(self.guard._hearing)
        for live, _ in self._hooks:
            live.clear()

    @contextlib.contextmanager
    def __call__(self, loop: Loop):
        taps.listen(self.guard._hearing)
        for live, kept in self._hooks:
            live.update(kept)
        try:
            yield lambda loss: self._clip(loop)
        finally:
            self.off()

    def _clip(self, loop: Loop) -> None:
        if self._max_norm is not None:
            self.guard.clip_grad_norm_(loop.raw.parameters(), self._max_norm)


def paired(loop: Loop, guard: Monitor, base: Monitor, chosen: argparse.Namespace) -> list[tuple[float, float]]:
    """Milliseconds a step with and without, from blocks that follow one another, in turn first."""
    pairs = []
    for number in range(chosen.rounds):
        order = (base, guard) if number % 2 else (guard, base)
        times = {monitor: loop.block(monitor, chosen.steps) for monitor in order}
        pairs.append((times[guard], times[base]))
    return pairs


def clip_table(loop: Loop, chosen: argparse.Namespace) -> None:
    """The base is a loop that clips with torch's own function: what the statistics cost on top of it."""
    for name, max_norm in (("at every step", 1e-3), ("never needed", 1e3)):
        with tempfile.TemporaryDirectory() as folder:
            guard = Toggled(loop, folder, max_norm=max_norm)
            base: Monitor = functools.partial(clipping, max_norm=max_norm)
            pairs = paired(loop, guard, base, chosen)
            counts = (loop.launches(base), min(loop.launches(guard) for _ in range(3)))
            guard.guard.close()
            assert not guard.guard.shield.broken, guard.guard.shield.broken
        middle = statistics.median(plain for _, plain in pairs)
        print(f"  step with torch's clip_grad_norm_, {name}: {middle:.3f} ms")
        row(
            "the guard and its clipping instead",
            [a - b for a, b in pairs],
            middle,
            f"{counts[1] - counts[0]:+d} launches",
        )


def activations_table(loop: Loop, chosen: argparse.Namespace) -> None:
    with tempfile.TemporaryDirectory() as folder:
        often, seldom = Toggled(loop, folder, every=1), Toggled(loop, folder, every=0)
        pairs = paired(loop, often, seldom, chosen)
        for each in (often, seldom):
            each.guard.close()
            assert not each.guard.shield.broken, each.guard.shield.broken
    middle = statistics.median(plain for _, plain in pairs)
    print(f"  step under the guard: {middle:.3f} ms")
    row("with the activations of every module", [a - b for a, b in pairs], middle, "")


def steps_table(loop: Loop, chosen: argparse.Namespace) -> None:
    with tempfile.TemporaryDirectory() as folder:
        guard = Toggled(loop, folder)
        pairs = paired(loop, guard, bare, chosen)
        base = statistics.median(plain for _, plain in pairs)
        spread = sorted(plain for _, plain in pairs)
        counts = (loop.launches(bare), min(loop.launches(guard) for _ in range(3)))
        guard.guard.close()
        assert not guard.guard.shield.broken, guard.guard.shield.broken
    print(
        f"  bare step {base:.3f} ms, half of the blocks within {spread[len(spread) // 4]:.3f} to {spread[-len(spread) // 4]:.3f}"
    )
    row("guard, all gradients and weights", [a - b for a, b in pairs], base, f"{counts[1] - counts[0]:+d} launches")
    others = {} if chosen.alone else QUICK | (SLOW if chosen.slow else {})
    for name, monitor in others.items():
        few = min(chosen.steps, 3) if name in SLOW else chosen.steps
        try:
            row(
                name,
                [loop.block(monitor, few) - loop.block(bare, few) for _ in range(max(3, chosen.rounds // 8))],
                base,
                "",
            )
        except ImportError as missing:
            print(f"  {name}: left out ({missing.name} is not installed)")


def row(name: str, differences: list[float], base: float, more: str) -> None:
    middle, (low, high) = statistics.median(differences), interval(differences)
    print(
        f"  {name:40} {middle:+9.3f} ms [{low:+.3f}, {high:+.3f}]  {middle / base:+8.2%} [{low / base:+.2%}, {high / base:+.2%}]  {more}"
    )


def stream_ms(run: Callable[[], None], times: int = 30) -> float:
    begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    for _ in range(3):
        run()
    found = []
    for _ in range(5):
        torch.cuda.synchronize()
        begin.record()
        for _ in range(times):
            run()
        end.record()
        torch.cuda.synchronize()
        found.append(begin.elapsed_time(end) / times)
    return statistics.median(found)


def copy_speed() -> float:
    """GB/s, read and write counted."""
    block = torch.empty(1 << 30, device="cuda")
    other = torch.empty_like(block)
    return 2 * block.nbytes / stream_ms(lambda: other.copy_(block), 5) / 1e6


def kernel_ms(run: Callable[[], None], times: int = 20) -> float:
    """Of the kernels themselves, whatever the host does between them."""
    for _ in range(3):
        run()
    torch.cuda.synchronize()
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA]) as profile:
        for _ in range(times):
            run()
        torch.cuda.synchronize()
    return sum(event.device_time for event in profile.events() if event.name.endswith("_pass")) / times / 1e3


def pass_table(loop: Loop) -> None:
    copy = copy_speed()
    print(f"  copy of 4 GiB: {copy:.0f} GB/s")
    loop.step(lambda loss: None)
    for dtype in (torch.float32, torch.bfloat16):
        weights = [p.detach().to(dtype) for p in loop.raw.parameters()]
        gradients: list[torch.Tensor | None] = [torch.randn_like(weight) for weight in weights]
        passes, tensors = DevicePass(weights), Tensors(gradients, weights)

        def launch(passes: DevicePass = passes, tensors: Tensors = tensors) -> None:
            passes.launch(1, tensors, Scalars())

        stream, kernels = stream_ms(launch), kernel_ms(launch)
        begun, count = time.perf_counter(), 50
        for _ in range(count):
            launch()
        host = (time.perf_counter() - begun) / count * 1e6
        torch.cuda.synchronize()
        read = 2 * sum(weight.nbytes for weight in weights)
        speed = read / kernels / 1e6
        print(
            f"  pass alone, {str(dtype).removeprefix('torch.'):9}: {read / 1e6:8.0f} MB in {2 * len(weights)} tensors, kernels {kernels:.4f} ms, "
            f"{speed:.0f} GB/s = {speed / copy:.0%} of copy; back to back {stream:.4f} ms, {host:.0f} us of host"
        )
        del weights, gradients, passes, tensors


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--model", choices=sorted(SIZES), default="gpt2")
    options.add_argument("--compile", action="store_true")
    options.add_argument("--rounds", type=int, default=30)
    options.add_argument("--steps", type=int, default=12)
    options.add_argument("--alone", action="store_true", help="only the guard, no other monitor")
    options.add_argument("--processes", type=int, default=1)
    options.add_argument("--slow", action="store_true")
    options.add_argument("--clip", action="store_true")
    options.add_argument("--activations", action="store_true")
    chosen = options.parse_args()
    if chosen.processes > 1:
        words = [word for word in sys.argv[1:] if word not in ("--processes", str(chosen.processes))]
        for _ in range(chosen.processes):
            subprocess.run([sys.executable, __file__, *words], check=True)
        return
    torch.set_float32_matmul_precision("high")
    loop = Loop(chosen.model, chosen.compile)
    for _ in range(5):
        loop.step(lambda loss: None)
    count = sum(p.numel() for p in loop.raw.parameters())
    kind = "compiled" if chosen.compile else "eager"
    print(
        f"{torch.cuda.get_device_name()}, torch {torch.__version__}: {chosen.model} {kind}, {count / 1e6:.1f} M parameters"
    )
    steps_table(loop, chosen)
    if chosen.clip:
        clip_table(loop, chosen)
    if chosen.activations:
        activations_table(loop, chosen)
    if not chosen.compile:
        pass_table(loop)


if __name__ == "__main__":
    main()
