"""What the tape holds of five kinds of program, and what it costs.

python bench/tape.py [--steps 60]              # writes bench/results/tape.md
python bench/tape.py --only LSTM               # those with the word in their name, printed only

Each program is checked twice without experiments: with the checks that read the tape, and with those that do not. The
difference is what recording, looking and asking cost.
"""

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import torch

from firstlight.checks.catalogue import CATALOGUE
from firstlight.facts.sources import TAPE
from firstlight.records import wire
from firstlight.records.taped import TapeSeen
from firstlight.store.event_log import read

RESULTS = Path(__file__).parent / "results" / "tape.md"
HEAD = """import torch
from torch import nn
from torch.nn import functional as F
torch.manual_seed(0)
"""
LOOP = """
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
for step in range(400):
    rows = torch.randint(0, len(x), (32,))
    loss = F.cross_entropy(model(x[rows]).flatten(0, -2), y[rows].flatten())
    optimizer.zero_grad(); loss.backward(); optimizer.step()
"""
GPT = """class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.before, self.between = nn.LayerNorm(width), nn.LayerNorm(width)
        self.attend, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.wide = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))

    def forward(self, h):
        q, k, v = (t.unflatten(-1, (4, -1)).transpose(1, 2) for t in self.attend(self.before(h)).chunk(3, -1))
        h = h + self.out(F.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).flatten(2))
        return h + self.wide(self.between(h))


class GPT(nn.Module):
    def __init__(self, width=64):
        super().__init__()
        self.tokens, self.places = nn.Embedding(32, width), nn.Embedding(16, width)
        self.blocks = nn.ModuleList(Block(width) for _ in range(3))
        self.head = nn.Linear(width, 32)

    def forward(self, x):
        h = self.tokens(x) + self.places(torch.arange(x.shape[1]))
        for block in self.blocks:
            h = block(h)
        return self.head(h)


text = (torch.arange(4000) * 7 + torch.randint(0, 2, (4000,))) % 32
x, y = text[:-1].unfold(0, 16, 1), text[1:].unfold(0, 16, 1)
model = GPT()
"""
RESNET = """class Residual(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.one, self.two = nn.Conv2d(width, width, 3, padding=1), nn.Conv2d(width, width, 3, padding=1)
        self.norm, self.last = nn.BatchNorm2d(width), nn.BatchNorm2d(width)

    def forward(self, h):
        return torch.relu(h + self.last(self.two(torch.relu(self.norm(self.one(h))))))


y = torch.randint(0, 4, (1000,))
x = torch.randn(4, 3, 12, 12)[y] + torch.randn(1000, 3, 12, 12)
blocks = [Residual(16) for _ in range(3)]
model = nn.Sequential(nn.Conv2d(3, 16, 3, padding=1), *blocks, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(16, 4))
"""
LSTM = """class Tagger(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed, self.recur = nn.Embedding(50, 32), nn.LSTM(32, 48, batch_first=True, bidirectional=True)
        self.out = nn.Linear(96, 5)

    def forward(self, x):
        return self.out(self.recur(self.embed(x))[0])


x = torch.randint(0, 50, (1000, 20))
y = x % 5
model = Tagger()
"""
TRAINER = """from transformers import BertConfig, BertForSequenceClassification, Trainer, TrainingArguments
x = torch.randint(0, 60, (400, 12))
rows = [{"input_ids": one, "labels": (one.sum() % 2).item()} for one in x]
small = dict(vocab_size=60, hidden_size=32, num_hidden_layers=2, num_attention_heads=2, intermediate_size=64)
model = BertForSequenceClassification(BertConfig(**small, max_position_embeddings=16, num_labels=2))
given = TrainingArguments("out", per_device_train_batch_size=16, max_steps=400, report_to=[], use_cpu=True)
Trainer(model, given, train_dataset=rows).train()
"""
LIGHTNING = """import lightning as L
from torch.utils.data import DataLoader, TensorDataset
x = torch.randn(1000, 12)
y = (x[:, 0] > 0).long()


class Lit(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(12, 48), nn.ReLU(), nn.Linear(48, 2))

    def training_step(self, batch, _):
        return F.cross_entropy(self.net(batch[0]), batch[1])

    def configure_optimizers(self):
        return torch.optim.AdamW(self.parameters(), lr=1e-3)


trainer = L.Trainer(max_steps=400, logger=False, enable_checkpointing=False, enable_progress_bar=False)
trainer.fit(Lit(), DataLoader(TensorDataset(x, y), 32, shuffle=True))
"""
PROGRAMS = {
    "small GPT, 3 blocks": HEAD + GPT + LOOP,
    "ResNet-like CNN, 3 blocks": HEAD + RESNET + LOOP,
    "bidirectional LSTM": HEAD + LSTM + LOOP,
    "Hugging Face Trainer, BERT": HEAD + TRAINER,
    "Lightning, MLP": HEAD + LIGHTNING,
}
READS_TAPE = [check.name for check in CATALOGUE if check.needs in TAPE]
WITHOUT = ["loss-broadcast", "script-crashed"]
"""Checks that watch single operations and no tape."""


@dataclass(frozen=True)
class Measured:
    seconds: float
    plain_seconds: float
    looks: int
    rows: int
    """Of one look."""
    kilobytes: float
    with_line: float
    unseen: tuple[str, ...]


def checked(source: str, steps: int, names: list[str]) -> tuple[float, list[dict[str, object]]]:
    """Seconds, and what was observed."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "train.py").write_text(source, encoding="utf-8")
        limits = ["--profile", "quick", "--steps", str(steps), "--seconds", "120", "--select", ",".join(names)]
        begun = time.perf_counter()
        command = [sys.executable, "-m", "firstlight", "check", *limits, "train.py"]
        subprocess.run(command, cwd=folder, capture_output=True, check=False)
        seconds = time.perf_counter() - begun
        logs = sorted(Path(folder).rglob("events*.ndjson"))
        return seconds, [event["observed"] for log in logs for event in read(log) if event.get("observed")]


def measured(source: str, steps: int) -> Measured:
    seconds, seen = checked(source, steps, [*READS_TAPE, *WITHOUT])
    plain_seconds, _ = checked(source, steps, WITHOUT)
    tapes = list(_tapes(seen))
    rows = [row for tape in tapes for row in tape.rows]
    looks = len({tape.step for tape in tapes})
    return Measured(
        seconds=seconds,
        plain_seconds=plain_seconds,
        looks=looks,
        rows=len(rows) // max(1, looks),
        kilobytes=sum(len(json.dumps(one)) for one in seen if one.get("fact") == "tape") / 1024 / max(1, looks),
        with_line=sum(row.file is not None for row in rows) / max(1, len(rows)),
        unseen=tuple(f"{one['tap']}: {one['reason']}" for one in seen if one.get("fact") == "unseen"),
    )


def _tapes(seen: list[dict[str, object]]) -> Iterator[TapeSeen]:
    for one in seen:
        if one.get("fact") == "tape":
            yield wire.convert(one, TapeSeen)


def table(found: dict[str, Measured]) -> Iterator[str]:
    yield "| program | looks | operations a look | KiB a look | with a line of the program | not understood | s | s without |"
    yield "|---|---|---|---|---|---|---|---|"
    for name, one in found.items():
        odd = "; ".join(one.unseen) or "none"
        yield (
            f"| {name} | {one.looks} | {one.rows} | {one.kilobytes:.0f} | {one.with_line:.1%} | {odd} | "
            f"{one.seconds:.1f} | {one.plain_seconds:.1f} |"
        )


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--steps", type=int, default=60)
    options.add_argument("--only", default="")
    chosen = options.parse_args()
    found = {
        name: measured(source, chosen.steps) for name, source in PROGRAMS.items() if chosen.only.lower() in name.lower()
    }
    text = "\n".join(table(found))
    print(text)
    if not chosen.only:
        machine = f"{os.cpu_count()} cores, {platform.machine()}, Python {platform.python_version()}, torch {torch.__version__}"
        words = (
            "Written by `python bench/tape.py`: whole `check`s without experiments, with the checks that read the tape"
        )
        RESULTS.write_text(
            f"# The tape\n\n{words} and without them, {chosen.steps} steps each. {machine}.\n\n{text}\n",
            encoding="utf-8",
        )


if __name__ == "__main__":
    main()
