"""Two-stage transfer: pre-train an encoder on digits 0-4, then warm up a new head and fine-tune on digits 5-9."""
import torch
import torch.nn as nn
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from torch.utils.data import DataLoader, TensorDataset


def load_task(classes, seed=0):
    x, y = load_digits(return_X_y=True)
    keep = (y >= classes[0]) & (y <= classes[-1])
    x, y = x[keep] / 16.0 - 0.3, y[keep] - classes[0]
    x_train, x_test, y_train, y_test = train_test_split(x, y, test_size=0.3, stratify=y, random_state=seed)

    def loader(a, b, shuffle):
        data = TensorDataset(torch.tensor(a, dtype=torch.float32), torch.tensor(b))
        return DataLoader(data, batch_size=32, shuffle=shuffle)

    return loader(x_train, y_train, True), loader(x_test, y_test, False)


class Encoder(nn.Module):
    def __init__(self, width=64, dim=5):
        super().__init__()
        self.block1 = nn.Sequential(nn.Linear(64, width), nn.ReLU())
        self.block2 = nn.Sequential(nn.Linear(width, width), nn.ReLU())
        self.project = nn.Sequential(nn.Linear(width, dim), nn.Tanh())

    def forward(self, x):
        return self.project(self.block2(self.block1(x)))


class Classifier(nn.Module):
    def __init__(self, encoder, n_classes, dim=5):
        super().__init__()
        self.encoder = encoder
        self.head = nn.Linear(dim, n_classes)

    def forward(self, x):
        return self.head(self.encoder(x))


def set_trainable(module, flag):
    for child in module.children():
        child.requires_grad_(flag)


def freeze(module):
    for p in module.parameters():
        p.requires_grad_(False)


def run_epochs(model, loader, optimizer, epochs, tag):
    criterion = nn.CrossEntropyLoss()
    for epoch in range(epochs):
        model.train()
        total = 0.0
        for x, y in loader:
            optimizer.zero_grad()
            loss = criterion(model(x), y)
            loss.backward()
            optimizer.step()
            total += loss.item()
        if (epoch + 1) % 5 == 0:
            print(f"[{tag}] epoch {epoch + 1:2d} loss {total / len(loader):.4f}")


@torch.no_grad()
def accuracy(model, loader):
    model.eval()
    hits = sum((model(x).argmax(1) == y).sum().item() for x, y in loader)
    return hits / len(loader.dataset)


def main():
    torch.manual_seed(0)

    source_train, source_test = load_task(range(0, 5))
    encoder = Encoder()
    source_model = Classifier(encoder, n_classes=5)
    optimizer = torch.optim.Adam(source_model.parameters(), lr=2e-3)
    run_epochs(source_model, source_train, optimizer, 15, "pretrain")
    print(f"source accuracy {accuracy(source_model, source_test):.4f}")

    target_train, target_test = load_task(range(5, 10))
    model = Classifier(encoder, n_classes=5)
    freeze(model.encoder)
    optimizer = torch.optim.Adam(model.head.parameters(), lr=5e-3)
    run_epochs(model, target_train, optimizer, 10, "warm-up head")
    print(f"target accuracy after head warm-up {accuracy(model, target_test):.4f}")

    set_trainable(model.encoder, True)
    optimizer = torch.optim.Adam([
        {"params": model.encoder.parameters(), "lr": 2e-3},
        {"params": model.head.parameters(), "lr": 5e-3},
    ])
    run_epochs(model, target_train, optimizer, 40, "fine-tune")
    print(f"target accuracy after fine-tuning {accuracy(model, target_test):.4f}")


if __name__ == "__main__":
    main()
