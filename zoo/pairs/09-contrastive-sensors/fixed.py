"""SimCLR-style pretraining on accelerometer windows, then a linear probe with few labels."""
import numpy as np
import torch
import torch.nn.functional as F
from sklearn.linear_model import LogisticRegression
from torch import nn

ACTIVITIES = 8


def windows(n, seed, length=64):
    rng = np.random.default_rng(seed)
    y = rng.integers(ACTIVITIES, size=n)
    t = np.arange(length) / length
    freq = np.array([2.0, 2.0, 4.0, 4.0, 6.0, 6.0, 8.0, 8.0])[y]
    second = np.where(y % 2 == 0, 2.0, 3.0)
    ph = rng.uniform(0, 2 * np.pi, (3, n, 1))
    amp = rng.uniform(0.6, 1.4, (3, n, 1))
    base = 2 * np.pi * freq[:, None] * t
    chans = [amp[c] * (np.sin(base + ph[c]) + 0.7 * np.sin(second[:, None] * base + ph[(c + 1) % 3])) for c in range(3)]
    x = np.stack(chans, 1) + rng.normal(0, 0.8, (n, 3, length)) + rng.normal(0, 1.0, (n, 3, 1))
    return torch.tensor(x, dtype=torch.float32), torch.tensor(y)


def augment(x):
    shift = int(torch.randint(x.shape[-1], (1,)))
    x = torch.roll(x, shift, dims=-1)
    x = x * (0.7 + 0.6 * torch.rand(len(x), 3, 1)) + 0.8 * torch.randn(len(x), 3, 1)
    x = x * (1 - 2 * (torch.rand(len(x), 3, 1) < 0.5).float())
    return x + 0.3 * torch.randn_like(x)


class Encoder(nn.Module):
    def __init__(self, width=32, out=32):
        super().__init__()
        self.net = nn.Sequential(
            nn.Conv1d(3, width, 7, padding=3), nn.BatchNorm1d(width), nn.ReLU(), nn.MaxPool1d(2),
            nn.Conv1d(width, width, 7, padding=3), nn.BatchNorm1d(width), nn.ReLU(),
            nn.AdaptiveAvgPool1d(1), nn.Flatten())
        self.proj = nn.Sequential(nn.Linear(width, width), nn.ReLU(), nn.Linear(width, out))

    def forward(self, x):
        h = self.net(x)
        return h, self.proj(h)


def nt_xent(za, zb, tau=0.2):
    z = F.normalize(torch.cat([za, zb]), dim=1)
    n = len(za)
    sim = z @ z.t() / tau
    sim.fill_diagonal_(-1e9)
    target = torch.cat([torch.arange(n) + n, torch.arange(n)])
    logp = F.log_softmax(sim, dim=1)
    return -logp[torch.arange(2 * n), target].mean()


def pretrain(x, epochs=14, batch=96):
    enc = Encoder()
    opt = torch.optim.Adam(enc.parameters(), lr=2e-3)
    for ep in range(epochs):
        enc.train()
        acc = 0.0
        steps = 0
        for idx in torch.randperm(len(x)).split(batch):
            if len(idx) < batch:
                continue
            _, za = enc(augment(x[idx]))
            _, zb = enc(augment(x[idx]))
            loss = nt_xent(za, zb)
            opt.zero_grad()
            loss.backward()
            opt.step()
            acc += loss.item()
            steps += 1
        print(f"pretrain epoch {ep:2d} nt-xent {acc / steps:.4f}")
    return enc.eval()


if __name__ == "__main__":
    torch.manual_seed(21)
    unlabelled, _ = windows(4000, 0)
    enc = pretrain(unlabelled)
    with torch.no_grad():
        few, few_y = windows(80, 1)
        test, test_y = windows(1500, 2)
        h_few, h_test = enc(few)[0].numpy(), enc(test)[0].numpy()
    probe = LogisticRegression(max_iter=2000, C=10.0).fit(h_few, few_y)
    print("linear probe accuracy (80 labels): %.3f" % probe.score(h_test, test_y))
