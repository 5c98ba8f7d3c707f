"""Micro-batches of two with gradient accumulation, as on a card too small for the full batch."""
import torch
from torch import nn


class Seq(nn.Module):
    def __init__(self, hid=40):
        super().__init__()
        self.rnn = nn.GRU(1, hid, batch_first=True)
        self.norm = nn.LayerNorm(hid)
        self.out = nn.Linear(hid, 3)

    def forward(self, x):
        return self.out(self.norm(self.rnn(x)[0].mean(1)))


def waves(n, seed, length=30):
    g = torch.Generator().manual_seed(seed)
    y = torch.randint(3, (n,), generator=g)
    t = torch.arange(length) / length
    ph = torch.rand(n, 1, generator=g)
    arg = t * (2 + torch.rand(n, 1, generator=g)) + ph
    shapes = torch.stack([torch.sin(6.283 * arg), 2 * (arg % 1) - 1, torch.sign(torch.sin(6.283 * arg))])
    return (shapes[y, torch.arange(n)] + 0.15 * torch.randn(n, length, generator=g))[..., None], y


def main(micro=2, effective=16, epochs=7):
    torch.manual_seed(14)
    x, y = waves(640, 0)
    xv, yv = waves(600, 1)
    net = Seq()
    opt = torch.optim.Adam(net.parameters(), lr=5e-3)
    accumulate = effective // micro
    for epoch in range(epochs):
        opt.zero_grad()
        tot = 0.0
        for k, idx in enumerate(torch.randperm(len(x)).split(micro), 1):
            loss = nn.functional.cross_entropy(net(x[idx]), y[idx])
            (loss / accumulate).backward()
            tot += loss.item()
            if k % accumulate == 0:
                nn.utils.clip_grad_norm_(net.parameters(), 1.0)
                opt.step()
                opt.zero_grad()
        with torch.no_grad():
            acc = (net(xv).argmax(1) == yv).float().mean().item()
        print(f"epoch {epoch} loss {tot / k:.4f} val acc {acc:.3f}")
    print("final val acc", round(acc, 3))


if __name__ == "__main__":
    main()
