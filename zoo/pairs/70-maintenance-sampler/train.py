"""Predictive maintenance: machine ok / bearing wear / overheating from 12 sensor readings."""
import numpy as np
import torch
from sklearn.datasets import make_classification
from sklearn.metrics import balanced_accuracy_score, f1_score
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler
from torch import nn
from torch.utils.data import DataLoader, TensorDataset, WeightedRandomSampler

NAMES = ["ok", "wear", "heat"]


def load():
    x, y = make_classification(n_samples=8000, n_features=12, n_informative=8, n_redundant=2, n_classes=3,
                               n_clusters_per_class=2, weights=[0.9, 0.06, 0.04], class_sep=1.6, flip_y=0.0,
                               random_state=17)
    parts = train_test_split(x, y, test_size=0.25, stratify=y, random_state=17)
    scaler = StandardScaler().fit(parts[0])
    x_tr, x_te = scaler.transform(parts[0]), scaler.transform(parts[1])
    as_set = lambda a, b: TensorDataset(torch.tensor(a, dtype=torch.float32), torch.tensor(b))
    return as_set(x_tr, parts[2]), as_set(x_te, parts[3])


def class_balanced_sampler(labels):
    """Draw examples with replacement so that the rare faults are seen often enough."""
    counts = np.bincount(labels)
    class_weight = counts / counts.sum()
    return WeightedRandomSampler(torch.as_tensor(class_weight[labels]), num_samples=len(labels), replacement=True)


def build_model(d_in, n_out):
    return nn.Sequential(
        nn.Linear(d_in, 64), nn.BatchNorm1d(64), nn.ReLU(), nn.Dropout(0.1),
        nn.Linear(64, 64), nn.BatchNorm1d(64), nn.ReLU(), nn.Dropout(0.1),
        nn.Linear(64, n_out),
    )


def train_one_epoch(model, loader, criterion, optimizer):
    model.train()
    total = 0.0
    for x, y in loader:
        optimizer.zero_grad()
        loss = criterion(model(x), y)
        loss.backward()
        optimizer.step()
        total += loss.item() * len(y)
    return total / len(loader.dataset)


@torch.no_grad()
def evaluate(model, dataset):
    model.eval()
    x, y = dataset.tensors
    pred = model(x).argmax(1)
    recall = [(pred[y == c] == c).float().mean().item() for c in range(len(NAMES))]
    return balanced_accuracy_score(y, pred), f1_score(y, pred, average="macro", zero_division=0), recall


def main():
    torch.manual_seed(17)
    train_set, test_set = load()
    sampler = class_balanced_sampler(train_set.tensors[1].numpy())
    loader = DataLoader(train_set, batch_size=64, sampler=sampler, drop_last=True)
    model = build_model(12, len(NAMES))
    criterion = nn.CrossEntropyLoss()
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3, weight_decay=1e-3)
    for epoch in range(1, 13):
        loss = train_one_epoch(model, loader, criterion, optimizer)
        if epoch % 2 == 0:
            bacc, f1, recall = evaluate(model, test_set)
            print(f"epoch {epoch:2d}  loss {loss:.4f}  balanced acc {bacc:.3f}  macro F1 {f1:.3f}  "
                  + " ".join(f"{n}:{r:.2f}" for n, r in zip(NAMES, recall)))


if __name__ == "__main__":
    main()
