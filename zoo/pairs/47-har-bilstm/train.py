import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def synth_activity(n, seed):
    """Three-axis accelerometer snippets of six activities, 40 samples each."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 6, n)
    t = np.arange(40) / 20.0
    x = np.zeros((n, 40, 3), dtype=np.float32)
    freq = np.array([0.0, 0.0, 1.4, 1.9, 1.6, 2.8])
    amp = np.array([0.05, 0.05, 0.5, 0.7, 0.6, 1.2])
    tilt = np.array([0.0, 0.9, 0.1, 0.15, -0.1, 0.2])
    drift = np.array([0.0, 0.0, 0.0, 0.35, -0.35, 0.0])
    for i, k in enumerate(y):
        ph = rng.uniform(0, 2 * np.pi)
        f = freq[k] * rng.uniform(0.9, 1.1)
        a = amp[k] * rng.uniform(0.7, 1.3)
        x[i, :, 0] = a * np.sin(2 * np.pi * f * t + ph) + drift[k] * t
        x[i, :, 1] = tilt[k] + 0.5 * a * np.cos(2 * np.pi * f * t + ph)
        x[i, :, 2] = 1.0 - 0.4 * tilt[k] + 0.3 * a * np.sin(4 * np.pi * f * t + ph)
    x += rng.normal(0, 0.25, x.shape).astype(np.float32)
    return torch.from_numpy(x), torch.from_numpy(y)


class BiLSTM(nn.Module):
    def __init__(self, n_in=3, hidden=32, n_cls=6):
        super().__init__()
        self.lstm = nn.LSTM(n_in, hidden, batch_first=True, bidirectional=True)
        self.drop = nn.Dropout(0.2)
        self.out = nn.Linear(2 * hidden, n_cls)

    def forward(self, x):
        _, (h, _) = self.lstm(x)
        h = h.view(x.size(0), -1)
        return self.out(self.drop(h))


class Classifier:
    def __init__(self, lr=3e-3, epochs=12, batch_size=50, seed=0):
        torch.manual_seed(seed)
        self.net = BiLSTM()
        self.lr, self.epochs, self.batch_size = lr, epochs, batch_size

    def fit(self, X, y, val=None):
        self.mean_, self.std_ = X.mean((0, 1)), X.std((0, 1))
        dl = DataLoader(TensorDataset(self._norm(X), y), batch_size=self.batch_size, shuffle=True)
        opt = torch.optim.Adam(self.net.parameters(), lr=self.lr)
        for ep in range(self.epochs):
            self.net.train()
            run = 0.0
            for xb, yb in dl:
                opt.zero_grad()
                loss = nn.functional.cross_entropy(self.net(xb), yb)
                loss.backward()
                nn.utils.clip_grad_norm_(self.net.parameters(), 5.0)
                opt.step()
                run += loss.item()
            msg = f"[{ep + 1}/{self.epochs}] loss={run / len(dl):.4f}"
            if val is not None:
                msg += f" val_acc={self.score(*val):.3f}"
            print(msg)
        return self

    def _norm(self, X):
        return (X - self.mean_) / self.std_

    @torch.no_grad()
    def predict(self, X):
        self.net.eval()
        return torch.cat([self.net(b).argmax(1) for b in self._norm(X).split(self.batch_size)])

    def score(self, X, y):
        return (self.predict(X) == y).float().mean().item()


if __name__ == "__main__":
    Xtr, ytr = synth_activity(3000, seed=1)
    Xva, yva = synth_activity(500, seed=2)
    Xte, yte = synth_activity(1000, seed=3)
    clf = Classifier().fit(Xtr, ytr, val=(Xva, yva))
    print(f"test accuracy: {clf.score(Xte, yte):.4f}")
