"""Mixup training on digits. Training accuracy is not reported because inputs and targets are blended."""
import torch
import torch.nn.functional as F
from sklearn.datasets import load_digits
from torch import nn
from torch.distributions import Beta


def mixup(x, y, alpha=1.0):
    lam = Beta(alpha, alpha).sample((len(x), 1))
    perm = torch.randperm(len(x))
    target = F.one_hot(y, 10).float()
    return lam * x + (1 - lam) * x[perm], lam * target + (1 - lam) * target[perm]


def soft_ce(logits, target):
    return -(target * logits.log_softmax(-1)).sum(-1).mean()


def main():
    torch.manual_seed(5)
    d = load_digits()
    x = torch.tensor(d.data, dtype=torch.float32) / 8 - 1
    y = torch.tensor(d.target)
    perm = torch.randperm(len(x))
    tr, te = perm[:1200], perm[1200:]
    net = nn.Sequential(nn.Linear(64, 200), nn.ReLU(), nn.Linear(200, 200), nn.ReLU(), nn.Linear(200, 10))
    opt = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9, weight_decay=5e-4)
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, 40)
    for epoch in range(40):
        tot = 0.0
        for idx in tr[torch.randperm(len(tr))].split(48):
            xm, ym = mixup(x[idx], y[idx])
            loss = soft_ce(net(xm), ym)
            opt.zero_grad()
            loss.backward()
            opt.step()
            tot += loss.item() * len(idx)
        sched.step()
        if epoch % 8 == 0:
            print(f"epoch {epoch:2d} mixed loss {tot / len(tr):.3f}")
    with torch.no_grad():
        print(f"test accuracy {(net(x[te]).argmax(1) == y[te]).float().mean():.4f}")


if __name__ == "__main__":
    main()
