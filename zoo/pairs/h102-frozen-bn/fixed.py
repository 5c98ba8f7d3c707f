"""Linear-probe + adapter on a pretrained backbone; the backbone stays in eval() while the rest trains."""
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.datasets import load_digits


class Backbone(nn.Module):
    def __init__(self, ch=24):
        super().__init__()
        self.f = nn.Sequential(
            nn.Conv2d(1, ch, 3, padding=1), nn.BatchNorm2d(ch), nn.ReLU(),
            nn.Conv2d(ch, ch, 3, padding=1), nn.BatchNorm2d(ch), nn.ReLU(), nn.MaxPool2d(2),
            nn.Conv2d(ch, 2 * ch, 3, padding=1), nn.BatchNorm2d(2 * ch), nn.ReLU(), nn.MaxPool2d(2),
            nn.Flatten(),
        )
        self.dim = 2 * ch * 4

    def forward(self, x):
        return self.f(x)


class ProbeWithAdapter(nn.Module):
    def __init__(self, backbone, n_classes):
        super().__init__()
        self.backbone = backbone
        for p in self.backbone.parameters():
            p.requires_grad_(False)
        self.adapter = nn.Sequential(nn.Linear(backbone.dim, 32), nn.ReLU(), nn.Linear(32, backbone.dim))
        nn.init.zeros_(self.adapter[-1].weight)
        nn.init.zeros_(self.adapter[-1].bias)
        self.drop = nn.Dropout(0.2)
        self.head = nn.Linear(backbone.dim, n_classes)

    def train(self, mode=True):
        super().train(mode)
        self.backbone.eval()      # running statistics of the source domain are kept
        return self

    def forward(self, x):
        with torch.no_grad():
            h = self.backbone(x)
        return self.head(self.drop(h + self.adapter(h)))


def digits():
    d = load_digits()
    x = torch.tensor(d.images / 16.0, dtype=torch.float32).unsqueeze(1)
    return x, torch.tensor(d.target)


def accuracy(model, x, y):
    model.eval()
    with torch.no_grad():
        return (model(x).argmax(1) == y).float().mean().item()


def train(model, x, y, epochs, lr, batch=32, report=None):
    params = [p for p in model.parameters() if p.requires_grad]
    opt = torch.optim.AdamW(params, lr=lr, weight_decay=1e-3)
    print(f"training {sum(p.numel() for p in params)} of {sum(p.numel() for p in model.parameters())} weights")
    for epoch in range(epochs):
        model.train()
        total = 0.0
        for idx in torch.randperm(len(x)).split(batch):
            loss = F.cross_entropy(model(x[idx]), y[idx])
            opt.zero_grad()
            loss.backward()
            opt.step()
            total += loss.item() * len(idx)
        if report is not None:
            print(f"  epoch {epoch} loss {total / len(x):.4f} acc {report():.4f}")


def main():
    torch.manual_seed(8)
    np.random.seed(8)
    x, y = digits()
    perm = torch.randperm(len(x))
    x, y = x[perm], y[perm]

    # source: rotated digits 0-5, many; target: upright 6-9, few
    src = y < 6
    xs, ys = torch.rot90(x[src], 2, (2, 3)), y[src]
    backbone = Backbone()
    source_model = nn.Sequential(backbone, nn.Linear(backbone.dim, 6))
    print("source task")
    train(source_model, xs[150:], ys[150:], epochs=6, lr=2e-3, report=lambda: accuracy(source_model, xs[:150], ys[:150]))

    xt, yt = x[~src], y[~src] - 6
    x_few, y_few, x_test, y_test = xt[:200], yt[:200], xt[200:], yt[200:]
    probe = ProbeWithAdapter(backbone, 4)
    before = [b.clone() for n, b in backbone.named_buffers() if "running" in n]
    print("target task")
    train(probe, x_few, y_few, epochs=25, lr=2e-3, batch=20, report=lambda: accuracy(probe, x_test, y_test))
    after = [b for n, b in backbone.named_buffers() if "running" in n]
    assert all(torch.equal(a, b) for a, b in zip(before, after))
    print(f"target accuracy: {accuracy(probe, x_test, y_test):.4f}")


if __name__ == "__main__":
    main()
