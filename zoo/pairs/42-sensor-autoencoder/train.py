"""Autoencoder on machine sensor readings; the reconstruction error is the anomaly score."""
import numpy as np
import torch
from sklearn.metrics import roc_auc_score
from torch import nn


def mlp(sizes, act=nn.ReLU):
    layers = []
    for d_in, d_out in zip(sizes[:-1], sizes[1:]):
        layers += [nn.Linear(d_in, d_out), act()]
    return nn.Sequential(*layers)


class AutoEncoder(nn.Module):
    def __init__(self, n_features, hidden=64, latent=5):
        super().__init__()
        self.encoder = mlp([n_features, hidden, hidden, latent])
        self.decoder = mlp([latent, hidden, hidden, n_features])

    def forward(self, x):
        return self.decoder(self.encoder(x))


class SensorPlant:
    """24 sensors driven by 4 latent operating conditions."""

    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)
        self.A = self.rng.normal(size=(4, 24))
        self.B = self.rng.normal(size=(4, 24))

    def normal(self, n):
        z = self.rng.normal(size=(n, 4))
        return z @ self.A + 0.6 * np.sin(2 * z) @ self.B + 0.2 * self.rng.normal(size=(n, 24))

    def faulty(self, n):
        x = self.normal(n)
        for row in x:                       # a few sensors drift in each faulty reading
            row[self.rng.choice(24, 3, replace=False)] += self.rng.normal(0, 1.5, 3)
        return x


def to_tensor(x, mu, sd):
    return torch.tensor((x - mu) / sd, dtype=torch.float32)


if __name__ == "__main__":
    torch.manual_seed(12)
    plant = SensorPlant(12)
    raw = plant.normal(4000)
    mu, sd = raw.mean(0), raw.std(0)
    x_train = to_tensor(raw, mu, sd)
    x_ok, x_bad = to_tensor(plant.normal(800), mu, sd), to_tensor(plant.faulty(800), mu, sd)

    model = AutoEncoder(x_train.shape[1])
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    for epoch in range(30):
        model.train()
        running = 0.0
        for xb in x_train[torch.randperm(len(x_train))].split(64):
            loss = ((model(xb) - xb) ** 2).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            running += loss.item() * len(xb)
        if epoch % 3 == 2:
            model.eval()
            with torch.no_grad():
                e_ok = ((model(x_ok) - x_ok) ** 2).mean(1)
                e_bad = ((model(x_bad) - x_bad) ** 2).mean(1)
            auc = roc_auc_score([0] * len(e_ok) + [1] * len(e_bad), torch.cat([e_ok, e_bad]).numpy())
            print(f"epoch {epoch + 1:2d}  train mse {running / len(x_train):.4f}  held-out mse {e_ok.mean():.4f}  fault AUC {auc:.4f}")
