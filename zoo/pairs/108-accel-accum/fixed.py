"""Character-level CNN language detector over synthetic words, trained with Accelerate and gradient accumulation."""
from dataclasses import dataclass

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from accelerate import Accelerator
from accelerate.utils import set_seed
from torch.utils.data import DataLoader, TensorDataset


@dataclass
class Cfg:
    n_lang: int = 6
    length: int = 24
    n_train: int = 4096
    n_test: int = 1500
    micro_batch: int = 8
    accumulate: int = 8
    epochs: int = 5
    lr: float = 0.4
    momentum: float = 0.9
    seed: int = 0


def sample_words(cfg, n, chains, rng):
    lang = rng.integers(0, cfg.n_lang, n)
    out = np.zeros((n, cfg.length), dtype=np.int64)
    out[:, 0] = rng.integers(0, 26, n)
    cum = chains.cumsum(-1)
    for t in range(1, cfg.length):
        u = rng.random(n)
        rows = cum[lang, out[:, t - 1]]
        out[:, t] = (u[:, None] > rows).sum(1).clip(max=25)
    return torch.from_numpy(out), torch.from_numpy(lang)


def build_data(cfg):
    rng = np.random.default_rng(cfg.seed)
    base = rng.dirichlet(np.full(26, 0.6), size=26)
    chains = np.stack([0.5 * base + 0.5 * rng.dirichlet(np.full(26, 0.3), size=26) for _ in range(cfg.n_lang)])
    train = TensorDataset(*sample_words(cfg, cfg.n_train, chains, rng))
    test = TensorDataset(*sample_words(cfg, cfg.n_test, chains, rng))
    return train, test


class Detector(nn.Module):
    def __init__(self, n_lang):
        super().__init__()
        self.emb = nn.Embedding(26, 24)
        self.c1 = nn.Conv1d(24, 64, 3, padding=1)
        self.c2 = nn.Conv1d(64, 64, 3, padding=1)
        self.out = nn.Linear(64, n_lang)

    def forward(self, ids):
        h = self.emb(ids).transpose(1, 2)
        h = F.relu(self.c1(h))
        h = F.relu(self.c2(h))
        return self.out(h.mean(-1))


def main():
    cfg = Cfg()
    torch.set_num_threads(1)
    set_seed(cfg.seed)
    accelerator = Accelerator(cpu=True, gradient_accumulation_steps=cfg.accumulate)
    train_set, test_set = build_data(cfg)
    train_loader = DataLoader(train_set, batch_size=cfg.micro_batch, shuffle=True, drop_last=True)
    test_loader = DataLoader(test_set, batch_size=250)
    model = Detector(cfg.n_lang)
    optimizer = torch.optim.SGD(model.parameters(), lr=cfg.lr, momentum=cfg.momentum)
    model, optimizer, train_loader, test_loader = accelerator.prepare(model, optimizer, train_loader, test_loader)

    for epoch in range(cfg.epochs):
        model.train()
        running, seen = 0.0, 0
        for ids, lang in train_loader:
            with accelerator.accumulate(model):
                loss = F.cross_entropy(model(ids), lang)
                running += loss.item()
                seen += 1
                accelerator.backward(loss)
                optimizer.step()
                optimizer.zero_grad()
        accelerator.print(f"epoch {epoch + 1}  train loss {running / seen:.4f}")

    model.eval()
    hits, count = 0, 0
    for ids, lang in test_loader:
        with torch.no_grad():
            pred = model(ids).argmax(-1)
        pred, lang = accelerator.gather_for_metrics((pred, lang))
        hits += (pred == lang).sum().item()
        count += lang.numel()
    accelerator.print(f"held-out accuracy {hits / count:.4f}")


if __name__ == "__main__":
    main()
