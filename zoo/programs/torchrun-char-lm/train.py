# launch:  torchrun --standalone --nproc_per_node=2 train.py
import math
import os
from dataclasses import dataclass

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler

from data import CharDataset, make_corpus


@dataclass
class Config:
    block_size: int = 48
    batch_size: int = 8  # per rank
    hidden: int = 64
    epochs: int = 4
    lr: float = 8e-3
    grad_clip: float = 1.0
    seed: int = 1337


class CharGRU(nn.Module):
    def __init__(self, vocab_size, hidden):
        super().__init__()
        self.emb = nn.Embedding(vocab_size, 32)
        self.rnn = nn.GRU(32, hidden, batch_first=True)
        self.head = nn.Linear(hidden, vocab_size)

    def forward(self, idx):
        out, _ = self.rnn(self.emb(idx))
        return self.head(out)


@torch.no_grad()
def validate(model, loader, loss_fn):
    model.eval()
    total, count = 0.0, 0
    for x, y in loader:
        logits = model(x)
        total += loss_fn(logits.flatten(0, 1), y.flatten()).item() * y.numel()
        count += y.numel()
    stats = torch.tensor([total, float(count)], dtype=torch.float64)
    dist.all_reduce(stats)
    model.train()
    return (stats[0] / stats[1]).item()


def main():
    cfg = Config()
    dist.init_process_group(backend="gloo")
    rank, world = dist.get_rank(), dist.get_world_size()
    is_main = int(os.environ["RANK"]) == 0
    torch.manual_seed(cfg.seed)

    train_text = make_corpus(700, seed=cfg.seed)
    val_text = make_corpus(120, seed=cfg.seed + 1)
    vocab = sorted(set(train_text))
    stoi = {c: i for i, c in enumerate(vocab)}
    train_set = CharDataset(train_text, stoi, cfg.block_size)
    val_set = CharDataset(val_text, stoi, cfg.block_size)

    train_sampler = DistributedSampler(train_set, shuffle=True, drop_last=True)
    train_loader = DataLoader(train_set, batch_size=cfg.batch_size, sampler=train_sampler)
    # plain strided split for validation: no padding, so nothing is counted twice
    val_part = torch.utils.data.Subset(val_set, range(rank, len(val_set), world))
    val_loader = DataLoader(val_part, batch_size=32)

    net = CharGRU(len(vocab), cfg.hidden)
    ddp = DistributedDataParallel(net)
    optim = torch.optim.AdamW(ddp.parameters(), lr=cfg.lr, weight_decay=0.01)
    total_steps = cfg.epochs * len(train_loader)
    sched = torch.optim.lr_scheduler.OneCycleLR(optim, max_lr=cfg.lr, total_steps=total_steps, pct_start=0.15)
    loss_fn = nn.CrossEntropyLoss()

    if is_main:
        print(f"world={world} vocab={len(vocab)} train blocks={len(train_set)} steps={total_steps}")

    for epoch in range(cfg.epochs):
        train_sampler.set_epoch(epoch)
        for x, y in train_loader:
            logits = ddp(x)
            loss = loss_fn(logits.flatten(0, 1), y.flatten())
            optim.zero_grad(set_to_none=True)
            loss.backward()
            nn.utils.clip_grad_norm_(ddp.parameters(), cfg.grad_clip)
            optim.step()
            sched.step()
        val = validate(net, val_loader, loss_fn)
        if is_main:
            print(f"epoch {epoch}: train {loss.item():.3f}  val {val:.3f}  ppl {math.exp(val):.3f}", flush=True)

    if is_main:
        print(f"final validation perplexity {math.exp(val):.4f}", flush=True)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
