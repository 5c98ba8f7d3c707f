"""SimSiam-style self-supervision on noisy digits: one branch is not back-propagated through."""
import torch
import torch.nn.functional as F
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression
from torch import nn


def views(x):
    x = torch.roll(x, tuple(torch.randint(-1, 2, (2,)).tolist()), dims=(1, 2))
    keep = (torch.rand_like(x) > 0.2).float()
    return (x * keep + 0.1 * torch.randn_like(x)).flatten(1)


class SimSiam(nn.Module):
    def __init__(self, dim=128, out=64):
        super().__init__()
        self.enc = nn.Sequential(nn.Linear(64, dim), nn.BatchNorm1d(dim), nn.ReLU(),
                                 nn.Linear(dim, out), nn.BatchNorm1d(out))
        self.pred = nn.Sequential(nn.Linear(out, 24), nn.BatchNorm1d(24), nn.ReLU(), nn.Linear(24, out))

    def forward(self, a, b):
        za, zb = self.enc(a), self.enc(b)
        pa, pb = self.pred(za), self.pred(zb)
        sim = lambda p, z: F.cosine_similarity(p, z.detach(), dim=-1).mean()
        return -(sim(pa, zb) + sim(pb, za)) / 2, za


def main():
    torch.manual_seed(18)
    d = load_digits()
    x, y = torch.tensor(d.images, dtype=torch.float32) / 16, torch.tensor(d.target)
    perm = torch.randperm(len(x))
    x, y = x[perm], y[perm]
    model = SimSiam()
    opt = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9, weight_decay=1e-4)
    for epoch in range(30):
        model.train()
        for idx in torch.randperm(1400).split(100):
            loss, z = model(views(x[idx]), views(x[idx]))
            opt.zero_grad()
            loss.backward()
            opt.step()
        if epoch % 6 == 0:
            spread = F.normalize(z, dim=1).std(0).mean().item()
            print(f"epoch {epoch:2d} loss {loss.item():.4f} embedding spread {spread:.4f} (1/sqrt(d) = {64 ** -0.5:.4f})")
    model.eval()
    with torch.no_grad():
        h = model.enc(x.flatten(1)).numpy()
    probe = LogisticRegression(max_iter=2000).fit(h[:200], y[:200])
    print(f"probe accuracy with 200 labels: {probe.score(h[1400:], y[1400:]):.3f}")


if __name__ == "__main__":
    main()
