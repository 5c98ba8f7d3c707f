"""GRU tagger with gradient accumulation: tags depend on the token and on the most recent mode switch."""
from dataclasses import dataclass

import torch
import torch.nn as nn
import torch.nn.functional as F


@dataclass
class Config:
    vocab: int = 22
    n_tags: int = 5
    seq_len: int = 24
    hidden: int = 64
    global_batch: int = 64
    micro_batch: int = 4
    grad_accum: int = 1
    lr: float = 1.0
    momentum: float = 0.9
    epochs: int = 9
    train_size: int = 1600
    seed: int = 0


def make_data(cfg, n, seed):
    g = torch.Generator().manual_seed(seed)
    x = torch.randint(0, cfg.vocab, (n, cfg.seq_len), generator=g)
    y = torch.zeros_like(x)
    mode = torch.zeros(n, dtype=torch.long)
    for t in range(cfg.seq_len):
        tok = x[:, t]
        mode = torch.where(tok < 2, tok, mode)
        y[:, t] = torch.where(tok < 2, 0, torch.where(mode == 0, tok % cfg.n_tags, (tok - 2) // 4))
    return x, y


class Tagger(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.emb = nn.Embedding(cfg.vocab, 32)
        self.gru = nn.GRU(32, cfg.hidden, batch_first=True)
        self.out = nn.Linear(cfg.hidden, cfg.n_tags)

    def forward(self, x):
        h, _ = self.gru(self.emb(x))
        return self.out(h)


class Runner:
    def __init__(self, cfg):
        self.cfg = cfg
        self.model = Tagger(cfg)
        self.opt = torch.optim.SGD(self.model.parameters(), lr=cfg.lr, momentum=cfg.momentum)
        self.train = make_data(cfg, cfg.train_size, 1)
        self.test = make_data(cfg, 400, 2)

    def train_epoch(self):
        cfg = self.cfg
        accum_steps = cfg.global_batch // cfg.micro_batch
        x, y = self.train
        self.model.train()
        self.opt.zero_grad()
        total = 0.0
        batches = torch.randperm(len(x)).split(cfg.micro_batch)
        for i, idx in enumerate(batches, start=1):
            loss = F.cross_entropy(self.model(x[idx]).flatten(0, 1), y[idx].flatten())
            (loss / accum_steps).backward()
            total += loss.item()
            if i % accum_steps == 0 or i == len(batches):
                self.opt.step()
                self.opt.zero_grad()
        return total / len(batches)

    @torch.no_grad()
    def accuracy(self):
        self.model.eval()
        x, y = self.test
        return (self.model(x).argmax(-1) == y).float().mean().item()

    def run(self):
        for epoch in range(self.cfg.epochs):
            loss = self.train_epoch()
            print(f"epoch {epoch} loss {loss:.4f} tag acc {self.accuracy():.4f}")


if __name__ == "__main__":
    cfg = Config()
    torch.manual_seed(cfg.seed)
    Runner(cfg).run()
