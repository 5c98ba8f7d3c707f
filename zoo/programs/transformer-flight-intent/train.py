"""Intent of a travel request.  Tiny transformer encoder over word ids."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

ACTIONS = {
    "book": ["book", "reserve", "get me", "arrange"],
    "cancel": ["cancel", "call off", "drop", "get rid of"],
    "change": ["change", "move", "reschedule", "swap"],
    "price": ["how much is", "what does it cost for", "give me the fare for"],
}
OBJECTS = {
    "flight": ["flight", "plane ticket", "seat on the morning plane"],
    "hotel": ["hotel", "room", "double room with a view"],
    "car": ["rental car", "van", "small car with a driver"],
}
INTENTS = [f"{a}_{o}" for a in ACTIONS for o in OBJECTS]
GREETINGS = ["", "hi", "hello there", "good morning", "hey i need some help", "sorry to bother you again"]
LINKS = ["the", "a", "my", "our", "that"]
TAILS = ["", "please", "next week if possible", "in oslo", "on a weekday in may thanks", "for two people in rome"]


@dataclass
class Config:
    d_model: int = 32
    nhead: int = 4
    layers: int = 2
    dropout: float = 0.1
    batch_size: int = 32
    epochs: int = 6
    lr: float = 3e-3
    warmup: int = 40
    seed: int = 0


@dataclass
class Batch:
    tokens: Tensor
    padding: Tensor  # True where the position is padding
    target: Tensor


def pick(options, rng):
    return options[rng.integers(len(options))]


def generate(n: int, rng: np.random.Generator, garble: float = 0.12) -> list[tuple[str, int]]:
    out = []
    for _ in range(n):
        label = int(rng.integers(len(INTENTS)))
        action, thing = INTENTS[label].split("_")
        core = f"{pick(ACTIONS[action], rng)} {pick(LINKS, rng)} {pick(OBJECTS[thing], rng)}"
        words = f"{pick(GREETINGS, rng)} {core} {pick(TAILS, rng)}".split()
        # speech recognition is not perfect: some words come out as something else
        words = [f"w{rng.integers(40)}" if rng.random() < garble else w for w in words]
        out.append((" ".join(words), label))
    return out


class WordTokenizer:
    def __init__(self, sentences: list[str]):
        words = sorted({w for s in sentences for w in s.split()})
        self.ids = {"<pad>": 0, "<unk>": 1} | {w: i + 2 for i, w in enumerate(words)}

    def __call__(self, s: str) -> list[int]:
        return [self.ids.get(w, 1) for w in s.split()]


def batches(pairs, tok, size, rng=None):
    order = np.arange(len(pairs)) if rng is None else rng.permutation(len(pairs))
    for start in range(0, len(order), size):
        chunk = [pairs[i] for i in order[start : start + size]]
        ids = [tok(s) for s, _ in chunk]
        width = max(map(len, ids))
        tokens = torch.zeros(len(ids), width, dtype=torch.long)
        for row, seq in zip(tokens, ids):
            row[: len(seq)] = torch.tensor(seq)
        yield Batch(tokens, tokens == 0, torch.tensor([y for _, y in chunk]))


class IntentTransformer(nn.Module):
    def __init__(self, vocab: int, cfg: Config, max_len: int = 64):
        super().__init__()
        self.tok = nn.Embedding(vocab, cfg.d_model, padding_idx=0)
        pos = torch.arange(max_len).unsqueeze(1)
        div = torch.exp(torch.arange(0, cfg.d_model, 2) * (-math.log(10000.0) / cfg.d_model))
        pe = torch.zeros(max_len, cfg.d_model)
        pe[:, 0::2], pe[:, 1::2] = torch.sin(pos * div), torch.cos(pos * div)
        self.register_buffer("pe", pe)
        layer = nn.TransformerEncoderLayer(
            cfg.d_model, cfg.nhead, 2 * cfg.d_model, cfg.dropout, batch_first=True, norm_first=True
        )
        self.encoder = nn.TransformerEncoder(
            layer, cfg.layers, norm=nn.LayerNorm(cfg.d_model), enable_nested_tensor=False
        )
        self.head = nn.Linear(cfg.d_model, len(INTENTS))

    def forward(self, tokens: Tensor, padding: Tensor) -> Tensor:
        x = self.tok(tokens) + self.pe[: tokens.size(1)]
        x = self.encoder(x, src_key_padding_mask=padding)
        keep = (~padding).unsqueeze(-1)
        return self.head((x * keep).sum(1) / keep.sum(1))


@torch.no_grad()
def evaluate(model: nn.Module, pairs, tok) -> tuple[float, float]:
    model.eval()
    loss = correct = 0.0
    for b in batches(pairs, tok, 128):
        logits = model(b.tokens, b.padding)
        loss += F.cross_entropy(logits, b.target, reduction="sum").item()
        correct += (logits.argmax(1) == b.target).sum().item()
    return loss / len(pairs), correct / len(pairs)


def main(cfg: Config) -> None:
    torch.manual_seed(cfg.seed)
    rng = np.random.default_rng(cfg.seed)
    train = generate(1500, rng)
    seen = {s for s, _ in train}
    held_out = [p for p in generate(1300, rng) if p[0] not in seen]
    valid, test = held_out[: len(held_out) // 2], held_out[len(held_out) // 2 :]
    tok = WordTokenizer([s for s, _ in train])

    model = IntentTransformer(len(tok.ids), cfg)
    optimizer = torch.optim.AdamW(model.parameters(), lr=cfg.lr, weight_decay=0.01)
    total = cfg.epochs * math.ceil(len(train) / cfg.batch_size)
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda s: min((s + 1) / cfg.warmup, max(0.05, (total - s) / (total - cfg.warmup)))
    )
    for epoch in range(cfg.epochs):
        model.train()
        for b in batches(train, tok, cfg.batch_size, rng):
            loss = F.cross_entropy(model(b.tokens, b.padding), b.target)
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            schedule.step()
        vl, va = evaluate(model, valid, tok)
        print(f"epoch {epoch + 1}/{cfg.epochs}  train_loss={loss.item():.3f}  val_loss={vl:.3f}  val_acc={va:.3f}")
    print("Test acc: {:.4f}".format(evaluate(model, test, tok)[1]))


if __name__ == "__main__":
    main(Config())
