"""Multi-task net (one class label + two regressions) on top of a pretrained denoising trunk.

Stage 1 pretrains the trunk on unlabelled rows, stage 2 first warms up the task heads on a fixed
trunk, then fine-tunes everything together.
"""
import os
from dataclasses import dataclass

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.metrics import r2_score

SEED = int(os.environ.get("SEED", 0))


@dataclass
class TrainConfig:
    pretrain_epochs: int = 6
    epochs: int = 30
    batch_size: int = 64
    head_lr: float = 3e-3
    trunk_lr: float = 1e-3
    head_warmup_steps: int = 240
    w_reg: float = 0.5


def make_data(seed, n=4000, d=24):
    r = np.random.default_rng(seed)
    x = r.standard_normal((n, d))
    w = r.standard_normal((d, 5)) / np.sqrt(d)
    h = np.tanh(2.0 * x @ w)
    cls = (h[:, 0] * h[:, 1] > 0).astype(int) + 2 * (h[:, 2] * h[:, 3] > 0).astype(int)
    reg = np.stack([h[:, 0] * h[:, 4], np.abs(h[:, 1]) - h[:, 3] ** 2], 1) + 0.05 * r.standard_normal((n, 2))
    reg = (reg - reg[:3000].mean(0)) / reg[:3000].std(0)
    return (torch.tensor(x, dtype=torch.float32), torch.tensor(cls),
            torch.tensor(reg, dtype=torch.float32))


class MultiTask(nn.Module):
    def __init__(self, d, h=96, classes=4):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(d, h), nn.ReLU(), nn.Linear(h, h), nn.ReLU())
        self.decoder = nn.Linear(h, d)
        self.cls_head = nn.Linear(h, classes)
        self.reg_head = nn.Linear(h, 2)

    def forward(self, x):
        z = self.trunk(x)
        return self.cls_head(z), self.reg_head(z)


def set_trainable(module, flag):
    for p in module.parameters():
        p.requires_grad_(flag)


def pretrain(model, x, cfg):
    opt = torch.optim.Adam([*model.trunk.parameters(), *model.decoder.parameters()], lr=1e-3)
    for ep in range(cfg.pretrain_epochs):
        tot = 0.0
        for idx in torch.randperm(len(x)).split(cfg.batch_size):
            noisy = x[idx] + 0.3 * torch.randn_like(x[idx])
            loss = F.mse_loss(model.decoder(model.trunk(noisy)), x[idx])
            opt.zero_grad()
            loss.backward()
            opt.step()
            tot += loss.item() * len(idx)
        print(f"pretrain {ep + 1}  mse {tot / len(x):.4f}")


def train(model, x, cls, reg, cfg):
    opt = torch.optim.Adam([
        {"params": [*model.cls_head.parameters(), *model.reg_head.parameters()], "lr": cfg.head_lr},
        {"params": model.trunk.parameters(), "lr": cfg.trunk_lr},
    ])
    step = 0
    for epoch in range(cfg.epochs):
        set_trainable(model.trunk, step >= cfg.head_warmup_steps)
        sums = np.zeros(2)
        perm = torch.randperm(len(x))
        for idx in perm.split(cfg.batch_size):
            logits, pred = model(x[idx])
            l_cls, l_reg = F.cross_entropy(logits, cls[idx]), F.mse_loss(pred, reg[idx])
            loss = l_cls + cfg.w_reg * l_reg
            opt.zero_grad()
            loss.backward()
            opt.step()
            step += 1
            sums += np.array([l_cls.item(), l_reg.item()]) * len(idx)
        if epoch % 3 == 2:
            print(f"epoch {epoch + 1:2d}  step {step}  ce {sums[0] / len(x):.4f}  mse {sums[1] / len(x):.4f}")


def main():
    torch.manual_seed(SEED)
    cfg = TrainConfig()
    x, cls, reg = make_data(SEED)
    model = MultiTask(x.shape[1])
    pretrain(model, x[:3000], cfg)
    train(model, x[:3000], cls[:3000], reg[:3000], cfg)
    with torch.no_grad():
        logits, pred = model(x[3000:])
    acc = (logits.argmax(1) == cls[3000:]).float().mean().item()
    r2 = r2_score(reg[3000:].numpy(), pred.numpy())
    print(f"final test accuracy {acc:.4f}  r2 {r2:.4f}")


if __name__ == "__main__":
    main()
