"""Triage of insurance claims into four queues, strongly unequal queue sizes."""
import numpy as np
import pandas as pd
import torch
from sklearn.metrics import balanced_accuracy_score, recall_score
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

QUEUES = ["fraud", "legal", "express", "standard"]


class Claims:
    shares = np.array([0.03, 0.07, 0.20, 0.70])

    def __init__(self, n=9000, seed=0):
        rng = np.random.default_rng(seed)
        queue = rng.choice(4, n, p=self.shares)
        centers = rng.normal(0, 0.62, (4, 10))
        num = centers[queue] + rng.normal(0, 1, (n, 10))
        num[:, 0] += 0.8 * (queue == 0) * num[:, 1]
        num[:, 2] += 0.7 * (queue == 1) * np.abs(num[:, 3])
        region = (rng.integers(0, 5, n) + (queue == 0) * rng.integers(0, 2, n)) % 6
        self.frame = pd.DataFrame(num, columns=[f"f{i}" for i in range(10)])
        self.frame["amount"] = np.exp(6 + 0.7 * (queue == 1) - 0.8 * (queue == 2) + rng.normal(0, 0.8, n))
        self.frame["region"] = region
        self.frame["queue"] = queue


class Trainer:
    def __init__(self, frame, seed=0):
        torch.manual_seed(seed)
        frame = frame.copy()
        frame["amount"] = np.log(frame["amount"])
        frame = pd.get_dummies(frame, columns=["region"], dtype=float)
        train, test = train_test_split(frame, test_size=0.3, stratify=frame["queue"], random_state=seed)
        cols = [c for c in frame.columns if c != "queue"]
        scaler = StandardScaler().fit(train[cols])
        to = lambda d: (torch.tensor(scaler.transform(d[cols]), dtype=torch.float32), torch.tensor(d["queue"].to_numpy()))
        self.train_xy, self.test_xy = to(train), to(test)
        counts = train["queue"].value_counts()
        weight = len(train) / (len(counts) * counts.to_numpy())
        self.criterion = nn.CrossEntropyLoss(weight=torch.tensor(weight, dtype=torch.float32))
        self.model = nn.Sequential(
            nn.Linear(len(cols), 64), nn.ReLU(), nn.Dropout(0.2), nn.Linear(64, 32), nn.ReLU(), nn.Linear(32, 4)
        )
        self.opt = torch.optim.Adam(self.model.parameters(), lr=2e-3, weight_decay=1e-4)

    def scores(self):
        self.model.eval()
        x, y = self.test_xy
        with torch.no_grad():
            pred = self.model(x).argmax(1)
        acc = (pred == y).float().mean().item()
        return acc, balanced_accuracy_score(y, pred), recall_score(y, pred, average=None)

    def fit(self, epochs=14):
        loader = DataLoader(TensorDataset(*self.train_xy), batch_size=64, shuffle=True)
        for epoch in range(epochs):
            self.model.train()
            total = 0.0
            for x, y in loader:
                loss = self.criterion(self.model(x), y)
                self.opt.zero_grad()
                loss.backward()
                self.opt.step()
                total += loss.item()
            if epoch % 3 == 0:
                acc, bal, _ = self.scores()
                print(f"epoch {epoch:2d} loss {total / len(loader):.4f} accuracy {acc:.3f} balanced {bal:.3f}")


if __name__ == "__main__":
    trainer = Trainer(Claims().frame)
    trainer.fit()
    acc, bal, per = trainer.scores()
    print("recall by queue:", ", ".join(f"{q} {r:.2f}" for q, r in zip(QUEUES, per)))
    print(f"held-out accuracy {acc:.3f}, balanced accuracy {bal:.3f}")
