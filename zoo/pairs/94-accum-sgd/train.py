"""Train an MLP on handwritten digits with small micro-batches and gradient accumulation (Accelerate)."""
import argparse

import torch
import torch.nn as nn
from accelerate import Accelerator
from accelerate.utils import set_seed
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from torch.utils.data import DataLoader, TensorDataset


def get_dataloaders(micro_batch):
    x, y = load_digits(return_X_y=True)
    x = torch.tensor(x / 16.0, dtype=torch.float32)
    y = torch.tensor(y)
    x_train, x_test, y_train, y_test = train_test_split(x, y, test_size=0.25, random_state=5, stratify=y)
    mean, std = x_train.mean(0), x_train.std(0) + 0.05
    train = TensorDataset((x_train - mean) / std, y_train)
    test = TensorDataset((x_test - mean) / std, y_test)
    return (DataLoader(train, batch_size=micro_batch, shuffle=True, drop_last=True),
            DataLoader(test, batch_size=256))


class MLP(nn.Module):
    def __init__(self, width=128, depth=3):
        super().__init__()
        layers, size = [], 64
        for _ in range(depth):
            layers += [nn.Linear(size, width), nn.GELU()]
            size = width
        self.body = nn.Sequential(*layers)
        self.head = nn.Linear(width, 10)

    def forward(self, x):
        return self.head(self.body(x))


@torch.no_grad()
def evaluate(model, loader, accelerator):
    model.eval()
    correct = total = 0
    for x, y in loader:
        pred = model(x).argmax(-1)
        pred, y = accelerator.gather_for_metrics((pred, y))
        correct += (pred == y).sum().item()
        total += y.numel()
    return correct / total


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--lr", type=float, default=0.1)
    parser.add_argument("--micro_batch", type=int, default=8)
    parser.add_argument("--accum_steps", type=int, default=8)
    parser.add_argument("--epochs", type=int, default=25)
    args = parser.parse_args()

    set_seed(3)
    accelerator = Accelerator(cpu=True, gradient_accumulation_steps=args.accum_steps)
    train_loader, test_loader = get_dataloaders(args.micro_batch)
    model = MLP()
    optimizer = torch.optim.SGD(model.parameters(), lr=args.lr, weight_decay=1e-4)
    criterion = nn.CrossEntropyLoss()
    model, optimizer, train_loader, test_loader = accelerator.prepare(
        model, optimizer, train_loader, test_loader)

    updates = 0
    for epoch in range(args.epochs):
        model.train()
        running, n = 0.0, 0
        for x, y in train_loader:
            with accelerator.accumulate(model):
                loss = criterion(model(x), y)
                running += loss.item()
                n += 1
                loss = loss / args.accum_steps
                accelerator.backward(loss)
                if accelerator.sync_gradients:
                    accelerator.clip_grad_norm_(model.parameters(), 5.0)
                    updates += 1
                optimizer.step()
                optimizer.zero_grad()
        acc = evaluate(model, test_loader, accelerator)
        accelerator.print(f"epoch {epoch:2d} loss {running / n:.4f} test acc {acc:.4f}")

    accelerator.print(f"done: {updates} updates, final test accuracy {evaluate(model, test_loader, accelerator):.4f}")


if __name__ == "__main__":
    main()
