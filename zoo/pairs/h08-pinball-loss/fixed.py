"""Quantile regression of delivery times with a hand-written pinball loss; judged by coverage."""
import torch
from torch import nn

QUANTILES = torch.tensor([0.1, 0.5, 0.9])


def orders(n, seed):
    g = torch.Generator().manual_seed(seed)
    x = torch.rand(n, 4, generator=g)
    spread = 3 + 14 * x[:, 1]
    minutes = 25 + 20 * x[:, 0] ** 2 + 10 * (x[:, 2] > 0.7) + spread * (-torch.log(torch.rand(n, generator=g)))
    return x * 2 - 1, minutes


def pinball(pred, y):
    e = y[:, None] - pred
    return torch.maximum(QUANTILES * e, (QUANTILES - 1) * e).mean()


class QuantileNet(nn.Module):
    def __init__(self, centre, scale):
        super().__init__()
        self.register_buffer("centre", centre)
        self.register_buffer("scale", scale)
        self.net = nn.Sequential(nn.Linear(4, 48), nn.ReLU(), nn.Linear(48, 48), nn.ReLU(), nn.Linear(48, 3))

    def forward(self, x):
        o = self.net(x)
        low = o[:, :1]
        steps = nn.functional.softplus(o[:, 1:])
        return self.centre + self.scale * torch.cat([low, low + steps.cumsum(1)], dim=1)


if __name__ == "__main__":
    torch.manual_seed(2)
    x, y = orders(6000, 0)
    xt, yt = orders(4000, 1)
    net = QuantileNet(y.mean(), y.std())
    opt = torch.optim.Adam(net.parameters(), lr=2e-3)
    for epoch in range(16):
        tot = 0.0
        for idx in torch.randperm(len(x)).split(100):
            loss = pinball(net(x[idx]), y[idx])
            opt.zero_grad()
            loss.backward()
            opt.step()
            tot += loss.item() * len(idx)
        if epoch % 3 == 0:
            print(f"epoch {epoch:2d} pinball {tot / len(x):.4f} minutes")
    with torch.no_grad():
        q = net(xt)
    cover = (yt[:, None] <= q).float().mean(0)
    flat = pinball(torch.quantile(y, QUANTILES).expand(len(yt), 3), yt)
    print("coverage at 0.1/0.5/0.9:", [round(c, 3) for c in cover.tolist()])
    print(f"test pinball {pinball(q, yt):.3f} vs unconditional quantiles {flat:.3f}")
