"""Wafer defect type (8 classes) from in-line measurements."""
import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.datasets import make_classification
from torch.utils.data import DataLoader, TensorDataset


class DenseBlock(nn.Module):
    def __init__(self, fan_in, fan_out, p_drop):
        super().__init__()
        self.linear = nn.Linear(fan_in, fan_out)
        self.norm = nn.LayerNorm(fan_out)
        self.p_drop = p_drop

    def forward(self, x):
        h = F.gelu(self.norm(self.linear(x)))
        return F.dropout(h, self.p_drop, training=self.training)


class DefectNet(nn.Module):
    def __init__(self, n_in, n_classes, width=32, depth=3, p_drop=0.5):
        super().__init__()
        sizes = [n_in] + [width] * depth
        self.blocks = nn.Sequential(*[DenseBlock(a, b, p_drop) for a, b in zip(sizes[:-1], sizes[1:])])
        self.out = nn.Linear(width, n_classes)

    def forward(self, x):
        return self.out(self.blocks(x))


def load(seed=0):
    X, y = make_classification(n_samples=5000, n_features=24, n_informative=16, n_redundant=4, n_classes=8,
                               n_clusters_per_class=1, class_sep=1.6, flip_y=0.0, random_state=seed)
    X, y = torch.tensor(X, dtype=torch.float32), torch.tensor(y)
    train, test = slice(0, 4000), slice(4000, None)
    mean, std = X[train].mean(0), X[train].std(0)
    X = (X - mean) / std
    return TensorDataset(X[train], y[train]), TensorDataset(X[test], y[test])


def accuracy(model, ds):
    model.eval()
    x, y = ds.tensors
    with torch.no_grad():
        return (model(x).argmax(1) == y).float().mean().item()


def main():
    torch.manual_seed(0)
    train_ds, test_ds = load()
    loader = DataLoader(train_ds, batch_size=64, shuffle=True)
    model = DefectNet(24, 8)
    opt = torch.optim.AdamW(model.parameters(), lr=2e-3, weight_decay=1e-2)
    epochs = 25
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, T_max=epochs)
    for epoch in range(epochs):
        model.train()
        total = 0.0
        for x, y in loader:
            loss = F.cross_entropy(model(x), y)
            opt.zero_grad(set_to_none=True)
            loss.backward()
            opt.step()
            total += loss.item() * len(y)
        sched.step()
        print(f"epoch {epoch:2d} train loss {total / len(train_ds):.4f} test acc {accuracy(model, test_ds):.4f}")


if __name__ == "__main__":
    main()
