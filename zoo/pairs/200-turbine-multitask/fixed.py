"""Turbine monitoring: one encoder that both reconstructs the sensors and names the operating state."""
import numpy as np
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

SENSORS, LATENT, STATES = 24, 8, 4
CONFIG = {"epochs": 36, "batch": 64, "lr": 2e-3, "state_weight": 1.0, "recon_weight": 1.0, "seed": 2, "rows": 5000}


class UnitScaler:
    """Standardises sensor readings and turns network outputs back into physical units."""

    def __init__(self, mean, std):
        self.mean, self.std = torch.as_tensor(mean), torch.as_tensor(std)

    @classmethod
    def fit(cls, rows):
        return cls(rows.mean(axis=0), rows.std(axis=0))

    def forward(self, rows):
        rows = torch.as_tensor(rows)
        return (rows - self.mean) / self.std

    def inverse(self, rows):
        rows = torch.as_tensor(rows)
        return rows * self.std + self.mean


def plant(n, seed):
    rng = np.random.default_rng(seed)
    fixed = np.random.default_rng(99)
    w1, w2 = fixed.normal(size=(6, 20)), fixed.normal(size=(20, SENSORS)) / np.sqrt(20)
    centres = fixed.normal(size=(STATES, 6)) * 1.2
    state = rng.integers(STATES, size=n)
    cause = centres[state] + rng.normal(size=(n, 6))
    units = np.random.default_rng(98).lognormal(0, 0.6, SENSORS)
    reading = (np.tanh(cause @ w1 / 2) @ w2 + rng.normal(0, 0.08, (n, SENSORS))) * units
    return reading.astype(np.float32), state


class SensorNet(nn.Module):
    def __init__(self, hidden=64):
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(SENSORS, hidden), nn.GELU(), nn.Linear(hidden, LATENT))
        self.decoder = nn.Sequential(nn.Linear(LATENT, hidden), nn.GELU(), nn.Linear(hidden, SENSORS))
        self.state = nn.Sequential(nn.LayerNorm(LATENT), nn.Linear(LATENT, STATES))

    def forward(self, x):
        z = self.encoder(x)
        return self.decoder(z), self.state(z)


class Objective:
    """Cross-entropy of the state plus a tolerance-weighted error in physical units."""

    def __init__(self, scaler, config):
        self.scaler, self.config = scaler, config
        self.tolerance = scaler.std

    def reconstruction(self, recon, reading):
        physical = self.scaler.inverse(recon)
        return (((physical - reading) / self.tolerance) ** 2).mean()

    def __call__(self, output, reading, state):
        recon, logits = output
        parts = {
            "recon": self.config["recon_weight"] * self.reconstruction(recon, reading),
            "state": self.config["state_weight"] * nn.functional.cross_entropy(logits, state),
        }
        return sum(parts.values()), {k: float(v) for k, v in parts.items()}


def evaluate(model, objective, reading, state):
    model.eval()
    with torch.no_grad():
        recon, logits = model(objective.scaler.forward(reading))
        explained = 1 - objective.reconstruction(recon, reading).item()
    return explained, (logits.argmax(1) == state).float().mean().item()


def main():
    torch.manual_seed(CONFIG["seed"])
    reading, state = plant(CONFIG["rows"], 1)
    val_reading, val_state = (torch.as_tensor(a) for a in plant(1000, 2))
    scaler = UnitScaler.fit(reading)
    loader = DataLoader(
        TensorDataset(torch.from_numpy(reading), torch.from_numpy(state)), CONFIG["batch"], shuffle=True
    )
    model, objective = SensorNet(), Objective(scaler, CONFIG)
    optimizer = torch.optim.AdamW(model.parameters(), lr=CONFIG["lr"], weight_decay=1e-4)
    for epoch in range(CONFIG["epochs"]):
        model.train()
        sums = {}
        for rows, labels in loader:
            loss, parts = objective(model(scaler.forward(rows)), rows, labels)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            for name, value in parts.items():
                sums[name] = sums.get(name, 0.0) + value / len(loader)
        explained, acc = evaluate(model, objective, val_reading, val_state)
        shown = " ".join(f"{k} {v:.4f}" for k, v in sums.items())
        print(f"epoch {epoch + 1:2d} {shown} | val explained {explained:.4f} state acc {acc:.4f}")
    print(f"final val explained {explained:.4f} state acc {acc:.4f}")


if __name__ == "__main__":
    main()
