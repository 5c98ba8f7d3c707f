"""Hourly load forecasting, walk-forward: for each fold train on the past only (in time order, state carried over), test on the next block."""
import logging

import numpy as np
import pandas as pd
import torch
from torch import nn

logging.basicConfig(level=logging.INFO, format="%(levelname)s %(message)s")
log = logging.getLogger(__name__)

HORIZON_HOURS = 24 * 7 * 3
FOLDS = 2


def load_series(n=24 * 7 * 22, seed=0):
    rng = np.random.default_rng(seed)
    idx = pd.date_range("2023-01-02", periods=n, freq="h")
    day = np.sin(2 * np.pi * (idx.hour - 7) / 24) + 0.4 * np.sin(4 * np.pi * idx.hour / 24)
    weekend = np.where(idx.day_of_week >= 5, -0.8, 0.0)
    ar = np.zeros(n)
    for t in range(1, n):
        ar[t] = 0.85 * ar[t - 1] + rng.normal(0, 0.15)
    return pd.Series(50 + 8 * (day + weekend + ar) + 0.002 * np.arange(n), index=idx, name="load")


def features(s):
    df = pd.DataFrame({"lag1": s.shift(1), "lag24": s.shift(24), "lag168": s.shift(168)})
    h, w = s.index.hour, s.index.day_of_week
    df["hs"], df["hc"] = np.sin(2 * np.pi * h / 24), np.cos(2 * np.pi * h / 24)
    df["we"] = (w >= 5).astype(float)
    df["y"] = s
    return df.dropna()


class StatefulGRU(nn.Module):
    def __init__(self, d, h=32):
        super().__init__()
        self.gru = nn.GRU(d, h, batch_first=True)
        self.out = nn.Linear(h, 1)

    def forward(self, x, h=None):
        o, h = self.gru(x, h)
        # predict the change from the last observed hour
        return x[..., 0] + self.out(o).squeeze(-1), h


def train_fold(train, chunk=48, epochs=10):
    model = StatefulGRU(train.shape[1] - 1)
    opt = torch.optim.Adam(model.parameters(), lr=4e-3)
    n = len(train) // chunk * chunk
    seq = train[-n:].unsqueeze(0)
    for epoch in range(epochs):
        model.train()
        h, tot = None, 0.0
        for t in range(0, n, chunk):
            x, y = seq[:, t:t + chunk, :-1], seq[:, t:t + chunk, -1]
            pred, h = model(x, h)
            h = h.detach()  # truncated BPTT
            loss = nn.functional.mse_loss(pred, y)
            opt.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            opt.step()
            tot += loss.item() * chunk
        if epoch % 3 == 0:
            log.info("  epoch %d train mse %.4f", epoch, tot / n)
    return model, h


def main():
    torch.manual_seed(0)
    df = features(load_series())
    maes, naives = [], []
    for k in range(FOLDS):
        cut = len(df) - (FOLDS - k) * HORIZON_HOURS
        tr, te = df.iloc[:cut], df.iloc[cut:cut + HORIZON_HOURS]
        mu, sd = tr["y"].mean(), tr["y"].std()

        def scale(d):
            d = d.copy()
            for c in ("lag1", "lag24", "lag168", "y"):
                d[c] = (d[c] - mu) / sd
            return torch.tensor(d.values, dtype=torch.float32)

        model, _ = train_fold(scale(tr))
        model.eval()
        with torch.no_grad():
            _, h = model(scale(tr)[None, :, :-1])
            pred, _ = model(scale(te)[None, :, :-1], h)
        pred = pred[0].numpy() * sd + mu
        maes.append(np.abs(pred - te["y"]).mean())
        naives.append(np.abs(te["lag1"] - te["y"]).mean())
        log.info("fold %d train until %s: one-step mae %.3f, last-value %.3f", k, tr.index[-1].date(), maes[-1], naives[-1])
    log.info("walk-forward mae %.3f, last-value %.3f", np.mean(maes), np.mean(naives))


if __name__ == "__main__":
    main()
