import math
from dataclasses import dataclass

import torch
from torch.utils.data import DataLoader

from data import SortDataset
from model import GPT, GPTConfig


@dataclass
class TrainConfig:
    seed: int = 1337
    max_iters: int = 300
    batch_size: int = 32
    learning_rate: float = 3e-3
    min_lr: float = 1e-4
    warmup_iters: int = 30
    betas: tuple = (0.9, 0.95)
    weight_decay: float = 0.1
    grad_norm_clip: float = 1.0
    log_every: int = 50


def lr_at(it, cfg):
    if it < cfg.warmup_iters:
        return cfg.learning_rate * (it + 1) / cfg.warmup_iters
    ratio = (it - cfg.warmup_iters) / max(1, cfg.max_iters - cfg.warmup_iters)
    return cfg.min_lr + 0.5 * (1 + math.cos(math.pi * ratio)) * (cfg.learning_rate - cfg.min_lr)


def endless(loader):
    while True:
        yield from loader


def eval_split(model, dataset):
    model.eval()
    n = dataset.length
    loader = DataLoader(dataset, batch_size=200)
    exact = 0
    for x, _ in loader:
        inp = x[:, :n]
        out = model.generate(inp, n)[:, n:]
        exact += (out == inp.sort(dim=1).values).all(dim=1).sum().item()
    model.train()
    return exact / len(dataset)


def main():
    cfg = TrainConfig()
    torch.manual_seed(cfg.seed)
    train_set = SortDataset("train", 6000, seed=cfg.seed)
    test_set = SortDataset("test", 500, seed=cfg.seed)

    model = GPT(GPTConfig(vocab_size=train_set.num_digits, block_size=train_set.get_block_size()))
    print(f"number of parameters: {sum(p.numel() for p in model.parameters()) / 1e3:.1f}K")
    optimizer = model.configure_optimizer(cfg.learning_rate, cfg.weight_decay, cfg.betas)

    batches = endless(DataLoader(train_set, batch_size=cfg.batch_size, shuffle=True, drop_last=True))
    model.train()
    for it in range(cfg.max_iters):
        for group in optimizer.param_groups:
            group["lr"] = lr_at(it, cfg)
        x, y = next(batches)
        _, loss = model(x, y)
        model.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), cfg.grad_norm_clip)
        optimizer.step()
        if it % cfg.log_every == 0:
            print(f"iter {it}; lr {lr_at(it, cfg):.2e}; train loss {loss.item():.5f}")

    print(f"test: exact match {eval_split(model, test_set):.4f}")


if __name__ == "__main__":
    main()
