"""5-fold cross-validation of an MLP regressor for disease progression."""
import numpy as np
import torch
from sklearn.datasets import load_diabetes
from sklearn.metrics import r2_score
from sklearn.model_selection import KFold
from sklearn.preprocessing import StandardScaler
from torch import nn


def build(n_in, lr):
    model = nn.Sequential(nn.Linear(n_in, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 1))
    return model, torch.optim.Adam(model.parameters(), lr=lr)


class CrossValidator:
    def __init__(self, X, y, folds=5, epochs=30, batch_size=16, lr=1e-3):
        self.X, self.y = X, y
        self.folds, self.epochs, self.batch_size = folds, epochs, batch_size
        self.model, self.opt = build(X.shape[1], lr)
        self.loss_fn = nn.MSELoss()
        self.history = []

    def _prepare(self, tr, va):
        sx = StandardScaler().fit(self.X[tr])
        sy = StandardScaler().fit(self.y[tr, None])
        as_t = lambda a: torch.tensor(a, dtype=torch.float32)
        return (as_t(sx.transform(self.X[tr])), as_t(sy.transform(self.y[tr, None])),
                as_t(sx.transform(self.X[va])), sy)

    def _fit_epoch(self, x, y):
        self.model.train()
        total = 0.0
        for idx in torch.randperm(len(x)).split(self.batch_size):
            self.opt.zero_grad()
            loss = self.loss_fn(self.model(x[idx]), y[idx])
            loss.backward()
            self.opt.step()
            total += loss.item() * len(idx)
        return total / len(x)

    def _score(self, x, y_true, sy):
        self.model.eval()
        with torch.no_grad():
            pred = sy.inverse_transform(self.model(x).numpy())[:, 0]
        return r2_score(y_true, pred)

    def run(self):
        splitter = KFold(self.folds, shuffle=True, random_state=0)
        for fold, (tr, va) in enumerate(splitter.split(self.X), 1):
            x_tr, y_tr, x_va, sy = self._prepare(tr, va)
            for epoch in range(1, self.epochs + 1):
                loss = self._fit_epoch(x_tr, y_tr)
                r2 = self._score(x_va, self.y[va], sy)
                print(f"fold {fold} epoch {epoch:2d}  train mse {loss:.3f}  val R2 {r2:.3f}")
            self.history.append(r2)
        return np.mean(self.history), np.std(self.history)


if __name__ == "__main__":
    torch.manual_seed(0)
    X, y = load_diabetes(return_X_y=True)
    mean, std = CrossValidator(X, y).run()
    print(f"cross-validated R2: {mean:.3f} +- {std:.3f}")
