"""Pretrain on digits 0-4, then move the body to digits 5-9 with few labelled examples."""
import numpy as np
import torch
from sklearn.datasets import load_digits
from torch import nn


def set_seed(seed):
    np.random.seed(seed)
    torch.manual_seed(seed)


class Body(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(
            nn.Conv2d(1, 16, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
            nn.Conv2d(16, 32, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
            nn.Flatten(), nn.Linear(128, 64), nn.ReLU())

    def forward(self, x):
        return self.net(x)


class Classifier(nn.Module):
    def __init__(self, body, n_classes):
        super().__init__()
        self.body = body
        self.head = nn.Linear(64, n_classes)

    def forward(self, x):
        return self.head(self.body(x))


def load_task(digits, train_per_class):
    raw = load_digits()
    xs_tr, ys_tr, xs_te, ys_te = [], [], [], []
    for label, d in enumerate(digits):
        imgs = raw.images[raw.target == d] / 16.0
        imgs = imgs[np.random.permutation(len(imgs))]
        xs_tr.append(imgs[:train_per_class])
        xs_te.append(imgs[train_per_class:])
        ys_tr += [label] * train_per_class
        ys_te += [label] * (len(imgs) - train_per_class)
    to_x = lambda parts: torch.tensor(np.concatenate(parts), dtype=torch.float32).unsqueeze(1) * 2 - 1
    return to_x(xs_tr), torch.tensor(ys_tr), to_x(xs_te), torch.tensor(ys_te)


def jitter(x):
    """Shift the whole batch by up to one pixel."""
    dy, dx = np.random.randint(-1, 2, size=2)
    padded = nn.functional.pad(x, (1, 1, 1, 1), value=-1.0)
    return padded[:, :, 1 + dy:9 + dy, 1 + dx:9 + dx]


def train(model, optimizer, x, y, epochs, batch_size, tag):
    criterion = nn.CrossEntropyLoss()
    for epoch in range(epochs):
        model.train()
        perm = torch.randperm(len(x))
        losses = []
        for i in range(0, len(x), batch_size):
            idx = perm[i:i + batch_size]
            optimizer.zero_grad()
            loss = criterion(model(jitter(x[idx])), y[idx])
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
    print(f"{tag}: loss {np.mean(losses):.4f} after {epochs} epochs")


def accuracy(model, x, y):
    model.eval()
    with torch.no_grad():
        return (model(x).argmax(1) == y).float().mean().item()


if __name__ == "__main__":
    set_seed(11)

    # stage 1: source task
    xa, ya, xa_te, ya_te = load_task([0, 1, 2, 3, 4], train_per_class=130)
    body = Body()
    source = Classifier(body, 5)
    train(source, torch.optim.Adam(source.parameters(), lr=2e-3), xa, ya, epochs=8, batch_size=32, tag="source")
    print(f"source test accuracy {accuracy(source, xa_te, ya_te):.4f}")

    # stage 2: new head on frozen features
    xb, yb, xb_te, yb_te = load_task([5, 6, 7, 8, 9], train_per_class=15)
    target = Classifier(body, 5)
    for p in target.body.parameters():
        p.requires_grad = False
    head_opt = torch.optim.Adam(target.head.parameters(), lr=1e-2)
    train(target, head_opt, xb, yb, epochs=25, batch_size=15, tag="head only")
    print(f"target accuracy with frozen body {accuracy(target, xb_te, yb_te):.4f}")

    # stage 3: everything, smaller steps for the body
    for p in target.body.parameters():
        p.requires_grad = True
    ft_opt = torch.optim.Adam([
        {"params": target.body.parameters(), "lr": 5e-4},
        {"params": target.head.parameters(), "lr": 2e-3},
    ])
    train(target, ft_opt, xb, yb, epochs=40, batch_size=15, tag="fine-tune")
    print(f"target accuracy after fine-tuning {accuracy(target, xb_te, yb_te):.4f}")
