"""Detect an impaired gait from 3-second accelerometer windows (1-D CNN + GRU)."""
import numpy as np
import torch
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import train_test_split
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from data import cohort

SEED = 4


class GaitNet(nn.Module):
    def __init__(self, ch=32):
        super().__init__()
        self.conv = nn.Sequential(
            nn.Conv1d(3, ch, 5, padding=2), nn.BatchNorm1d(ch), nn.ReLU(), nn.MaxPool1d(2),
            nn.Conv1d(ch, ch, 5, padding=2), nn.BatchNorm1d(ch), nn.ReLU(), nn.MaxPool1d(2),
        )
        self.gru = nn.GRU(ch, 24, batch_first=True)
        self.head = nn.Sequential(nn.Dropout(0.2), nn.Linear(24, 1))

    def forward(self, x):
        h, _ = self.gru(self.conv(x).transpose(1, 2))
        return self.head(h.mean(1)).squeeze(-1)


def predict(model, x):
    model.eval()
    with torch.no_grad():
        p = torch.cat([torch.sigmoid(model(b)) for b in x.split(256)])
    model.train()
    return p


def main():
    torch.manual_seed(SEED)
    x, y, who = cohort(100, SEED)
    idx = np.arange(len(x))
    print(f"{len(x)} windows from {len(np.unique(who))} people, {y.mean():.2f} impaired")

    train_idx, test_idx = train_test_split(idx, test_size=0.25, random_state=SEED, stratify=y)
    mean, std = x[train_idx].mean((0, 2), keepdims=True), x[train_idx].std((0, 2), keepdims=True)
    x = torch.from_numpy((x - mean) / std)
    y = torch.from_numpy(y).float()
    loader = DataLoader(TensorDataset(x[train_idx], y[train_idx]), batch_size=32, shuffle=True, drop_last=True)

    model = GaitNet()
    opt = torch.optim.AdamW(model.parameters(), lr=1e-3, weight_decay=1e-2)
    loss_fn = nn.BCEWithLogitsLoss()
    for epoch in range(8):
        total = 0.0
        for xb, yb in loader:
            loss = loss_fn(model(xb), yb)
            opt.zero_grad()
            loss.backward()
            opt.step()
            total += loss.item()
        p = predict(model, x[test_idx])
        auc = roc_auc_score(y[test_idx], p)
        acc = ((p > 0.5).float() == y[test_idx]).float().mean().item()
        print(f"epoch {epoch} loss {total / len(loader):.4f} test acc {acc:.3f} test AUC {auc:.3f}")


if __name__ == "__main__":
    main()
