"""Out-of-core regression: the table is read in chunks that fit in memory."""
import numpy as np
import torch
from torch import nn


class MLPRegressor:
    """Small torch regressor with the scikit-learn calling convention."""

    def __init__(self, hidden=(64, 64), lr=1e-3, epochs=8, batch_size=64, seed=0):
        self.hidden = hidden
        self.lr = lr
        self.epochs = epochs
        self.batch_size = batch_size
        self.net_ = None
        self.gen = torch.Generator().manual_seed(seed)
        torch.manual_seed(seed)

    def _build(self, n_in):
        layers, d = [], n_in
        for h in self.hidden:
            layers += [nn.Linear(d, h), nn.SiLU()]
            d = h
        layers.append(nn.Linear(d, 1))
        self.net_ = nn.Sequential(*layers)
        self.opt_ = torch.optim.Adam(self.net_.parameters(), lr=self.lr)
        self.loss_ = nn.HuberLoss()

    def fit(self, X, y):
        X = torch.as_tensor(X, dtype=torch.float32)
        y = torch.as_tensor(y, dtype=torch.float32)
        if self.net_ is None:
            self._build(X.shape[1])
        self.net_.train()
        for _ in range(self.epochs):
            perm = torch.randperm(len(X), generator=self.gen)
            running = 0.0
            for idx in perm.split(self.batch_size):
                self.opt_.zero_grad()
                loss = self.loss_(self.net_(X[idx]).squeeze(1), y[idx])
                loss.backward()
                self.opt_.step()
                running += loss.item() * len(idx)
        self.last_loss_ = running / len(X)
        return self

    @torch.no_grad()
    def predict(self, X):
        self.net_.eval()
        return self.net_(torch.as_tensor(X, dtype=torch.float32)).squeeze(1).numpy()

    def score(self, X, y):
        r = y - self.predict(X)
        return 1.0 - np.sum(r ** 2) / np.sum((y - y.mean()) ** 2)


def simulate_plant(n, rng):
    """Heat-rate of a turbine as a function of 10 (already standardised) operating variables."""
    X = rng.normal(size=(n, 10))
    y = (
        1.2 * np.sin(1.5 * X[:, 0]) * X[:, 1]
        + 0.8 * np.tanh(X[:, 2] + X[:, 3] * X[:, 4])
        + 0.5 * np.abs(X[:, 5])
        + 0.3 * X[:, 6]
        + rng.normal(scale=0.1, size=n)
    )
    return X.astype(np.float32), y.astype(np.float32)


def read_in_chunks(X, y, chunksize):
    for start in range(0, len(X), chunksize):
        yield X[start:start + chunksize], y[start:start + chunksize]


if __name__ == "__main__":
    rng = np.random.default_rng(3)
    X, y = simulate_plant(15_000, rng)
    X_test, y_test = simulate_plant(3_000, rng)
    mu, sd = y.mean(), y.std()

    reg = MLPRegressor(seed=3)
    for epoch in range(2):
        for i, (xc, yc) in enumerate(read_in_chunks(X, (y - mu) / sd, 500)):
            reg.fit(xc, yc)
            if i % 10 == 9:
                print(f"pass {epoch} chunk {i + 1:3d}  chunk loss {reg.last_loss_:.4f}  "
                      f"test R2 {reg.score(X_test, (y_test - mu) / sd):.4f}")
    rmse = np.sqrt(np.mean((reg.predict(X_test) * sd + mu - y_test) ** 2))
    print(f"final test R2 {reg.score(X_test, (y_test - mu) / sd):.4f}  RMSE {rmse:.4f}")
