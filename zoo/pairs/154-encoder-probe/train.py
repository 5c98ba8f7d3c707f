"""Self-supervised pre-training on unlabelled digits, then a linear probe on a few labelled ones."""
import io

import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split


class Encoder(nn.Module):
    def __init__(self, dim=16):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 64), nn.ReLU(),
                                    nn.Linear(64, 32), nn.ReLU(), nn.Linear(32, dim))

    def forward(self, x):
        return self.layers(x)


class Denoiser(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = Encoder()
        self.decoder = nn.Sequential(nn.Linear(16, 64), nn.ReLU(), nn.Linear(64, 128), nn.ReLU(),
                                     nn.Linear(128, 64))

    def forward(self, x):
        return self.decoder(self.encoder(x))


class Probe(nn.Module):
    def __init__(self, n_classes=10):
        super().__init__()
        self.encoder = Encoder()
        self.norm = nn.BatchNorm1d(16, affine=False)
        self.head = nn.Linear(16, n_classes)

    def forward(self, x):
        with torch.no_grad():
            z = self.encoder(x)
        return self.head(self.norm(z))


def pretrain(x, epochs=60, noise=0.2):
    model = Denoiser()
    opt = torch.optim.Adam(model.parameters(), lr=2e-3)
    for epoch in range(epochs):
        total = 0.0
        for idx in torch.randperm(len(x)).split(64):
            clean = x[idx]
            loss = F.mse_loss(model(clean + noise * torch.randn_like(clean)), clean)
            opt.zero_grad()
            loss.backward()
            opt.step()
            total += loss.item() * len(idx)
        if epoch % 5 == 4:
            print(f"pretrain epoch {epoch + 1:2d}  mse {total / len(x):.4f}")
    buffer = io.BytesIO()
    torch.save({"model": model.encoder.state_dict(), "epochs": epochs}, buffer)
    buffer.seek(0)
    return buffer


def load_backbone(probe, checkpoint):
    state = torch.load(checkpoint)["model"]
    probe.load_state_dict(state, strict=False)
    return probe


def linear_probe(probe, x, y, x_te, y_te, epochs=60):
    opt = torch.optim.Adam(probe.head.parameters(), lr=1e-2)
    for epoch in range(epochs):
        probe.train()
        for idx in torch.randperm(len(x)).split(40):
            loss = F.cross_entropy(probe(x[idx]), y[idx])
            opt.zero_grad()
            loss.backward()
            opt.step()
        probe.eval()
        with torch.no_grad():
            acc = (probe(x_te).argmax(1) == y_te).float().mean().item()
        print(f"probe epoch {epoch + 1:2d}  loss {loss.item():.3f}  test acc {acc:.3f}")


if __name__ == "__main__":
    torch.manual_seed(1)
    X, y = load_digits(return_X_y=True)
    X = torch.tensor(X / 16.0, dtype=torch.float32)
    y = torch.tensor(y)
    pool, test = train_test_split(range(len(y)), test_size=0.3, stratify=y, random_state=1)
    labelled, _ = train_test_split(pool, train_size=200, stratify=y[pool], random_state=1)
    checkpoint = pretrain(X[pool])
    probe = load_backbone(Probe(), checkpoint)
    linear_probe(probe, X[labelled], y[labelled], X[test], y[test])
