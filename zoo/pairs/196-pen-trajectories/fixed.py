"""Recognise pen gestures (sequences of strokes) with a recurrent encoder."""
import numpy as np
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

STEPS, CLASSES = 30, 8
SETTINGS = dict(hidden=48, batch=50, epochs=10, lr=3e-3, clip=1.0, seed=13, n_train=2500, n_val=600)


def gesture(rng, kind):
    """Eight shapes: loop left/right, S, Z, check mark, line with hook, spiral, zigzag."""
    s = np.linspace(0, 1, STEPS) ** rng.uniform(0.8, 1.25)
    turn = {
        0: 2 * np.pi * s,
        1: -2 * np.pi * s,
        2: 2.2 * np.sin(2 * np.pi * s),
        3: -2.2 * np.sin(2 * np.pi * s),
        4: np.where(s < 0.35, -1.0, 0.9),
        5: np.where(s < 0.7, 0.0, 2.2),
        6: 9.0 * s**2,
        7: 1.2 * np.sign(np.sin(6 * np.pi * s + 1e-6)),
    }[kind]
    heading = turn + rng.normal(0, 0.5) + rng.normal(0, 0.25, STEPS)
    speed = rng.uniform(0.7, 1.4) * (1 + 0.2 * rng.normal(size=STEPS))
    return np.stack([speed * np.cos(heading), speed * np.sin(heading)], axis=1)


def dataset(n, seed):
    rng = np.random.default_rng(seed)
    kinds = rng.integers(CLASSES, size=n)
    x = np.stack([gesture(rng, k) for k in kinds]).astype(np.float32)
    return TensorDataset(torch.from_numpy(x), torch.from_numpy(kinds))


class StrokeFeatures(nn.Module):
    """Lift each pen movement to a small feature vector."""

    def __init__(self, n_in, n_out):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(n_in, n_out), nn.Tanh(), nn.Linear(n_out, n_out), nn.Tanh())

    def forward(self, x):
        return self.net(x)


class TimeMajor(nn.Module):
    """Run a recurrent core that wants (time, batch, features)."""

    def __init__(self, core):
        super().__init__()
        self.core = core

    def forward(self, x):
        batch, steps, width = x.shape
        states, _ = self.core(x.transpose(0, 1).contiguous())
        return states


class GestureNet(nn.Module):
    def __init__(self, hidden, classes):
        super().__init__()
        self.features = StrokeFeatures(2, 16)
        self.encoder = TimeMajor(nn.GRU(16, hidden))
        self.head = nn.Sequential(nn.LayerNorm(2 * hidden), nn.Linear(2 * hidden, classes))

    def forward(self, x):
        states = self.encoder(self.features(x))
        summary = torch.cat([states[-1], states.mean(0)], dim=1)
        return self.head(summary)


def run_epoch(model, loader, criterion, optimizer=None, clip=None):
    training = optimizer is not None
    model.train(training)
    loss_sum, hits, seen = 0.0, 0, 0
    with torch.set_grad_enabled(training):
        for x, y in loader:
            out = model(x)
            loss = criterion(out, y)
            if training:
                optimizer.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(model.parameters(), clip)
                optimizer.step()
            loss_sum += loss.item() * len(x)
            hits += (out.argmax(1) == y).sum().item()
            seen += len(x)
    return loss_sum / seen, hits / seen


def main():
    s = SETTINGS
    torch.manual_seed(s["seed"])
    train = DataLoader(dataset(s["n_train"], 1), batch_size=s["batch"], shuffle=True)
    val = DataLoader(dataset(s["n_val"], 2), batch_size=s["batch"])
    model = GestureNet(s["hidden"], CLASSES)
    optimizer = torch.optim.Adam(model.parameters(), lr=s["lr"])
    criterion = nn.CrossEntropyLoss()
    for epoch in range(1, s["epochs"] + 1):
        loss, acc = run_epoch(model, train, criterion, optimizer, s["clip"])
        val_loss, val_acc = run_epoch(model, val, criterion)
        print(f"epoch {epoch:2d} train {loss:.4f} ({acc:.3f}) val {val_loss:.4f} ({val_acc:.3f})")
    print(f"final val acc {val_acc:.4f}")


if __name__ == "__main__":
    main()
