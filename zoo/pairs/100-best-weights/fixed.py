"""Classifier on crowd-labelled data: keep the weights of the best validation epoch, report on a clean test set."""
import argparse

import numpy as np
import torch
import torch.nn as nn
from sklearn.datasets import make_classification
from sklearn.preprocessing import StandardScaler
from torch.utils.data import DataLoader, TensorDataset


def load_splits(seed, noise):
    x, y = make_classification(n_samples=4200, n_features=40, n_informative=12, n_redundant=0,
                               n_clusters_per_class=2, class_sep=1.4, flip_y=0.0, random_state=seed)
    x = x.astype(np.float32)
    train, val, test = slice(0, 1200), slice(1200, 2200), slice(2200, 4200)
    scaler = StandardScaler().fit(x[train])
    x = scaler.transform(x)
    rng = np.random.default_rng(seed)
    y_train = y[train].copy()
    flipped = rng.random(len(y_train)) < noise
    y_train[flipped] = 1 - y_train[flipped]

    def pack(a, b):
        return TensorDataset(torch.tensor(a), torch.tensor(b))

    return pack(x[train], y_train), pack(x[val], y[val]), pack(x[test], y[test])


class Net(nn.Module):
    def __init__(self, n_in=40, width=256):
        super().__init__()
        self.layers = nn.Sequential(
            nn.Linear(n_in, width), nn.ReLU(),
            nn.Linear(width, width), nn.ReLU(),
            nn.Linear(width, 2),
        )

    def forward(self, x):
        return self.layers(x)


def train_one_epoch(model, loader, optimizer, criterion, device):
    model.train()
    total, seen = 0.0, 0
    for x, y in loader:
        x, y = x.to(device), y.to(device)
        optimizer.zero_grad()
        loss = criterion(model(x), y)
        loss.backward()
        optimizer.step()
        total += loss.item() * len(y)
        seen += len(y)
    return total / seen


@torch.no_grad()
def evaluate(model, loader, criterion, device):
    model.eval()
    loss, correct, seen = 0.0, 0, 0
    for x, y in loader:
        x, y = x.to(device), y.to(device)
        logits = model(x)
        loss += criterion(logits, y).item() * len(y)
        correct += (logits.argmax(1) == y).sum().item()
        seen += len(y)
    return loss / seen, correct / seen


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=40)
    parser.add_argument("--lr", type=float, default=1e-3)
    parser.add_argument("--noise", type=float, default=0.3)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()

    torch.manual_seed(args.seed)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    train_set, val_set, test_set = load_splits(args.seed, args.noise)
    train_loader = DataLoader(train_set, batch_size=32, shuffle=True)
    val_loader = DataLoader(val_set, batch_size=500)
    test_loader = DataLoader(test_set, batch_size=500)

    model = Net().to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=args.lr)
    criterion = nn.CrossEntropyLoss()

    best_acc, best_epoch, best_state = 0.0, -1, None
    for epoch in range(args.epochs):
        train_loss = train_one_epoch(model, train_loader, optimizer, criterion, device)
        val_loss, val_acc = evaluate(model, val_loader, criterion, device)
        if val_acc > best_acc:
            best_acc, best_epoch = val_acc, epoch
            best_state = {k: v.detach().cpu().clone() for k, v in model.state_dict().items()}
        print(f"epoch {epoch:2d} train loss {train_loss:.4f} val loss {val_loss:.4f} val acc {val_acc:.4f}")

    print(f"best epoch {best_epoch} with val acc {best_acc:.4f}, restoring")
    model.load_state_dict(best_state)
    _, test_acc = evaluate(model, test_loader, criterion, device)
    print(f"test accuracy of the selected model: {test_acc:.4f}")


if __name__ == "__main__":
    main()
