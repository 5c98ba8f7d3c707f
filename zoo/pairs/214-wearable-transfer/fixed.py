"""Two stages: activity recognition on a large cohort, then gestures from a handful of labelled windows."""
import argparse
import os
import tempfile

import numpy as np
import torch
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset

from nets import ActivityClassifier, GestureModel

WINDOW = 96


def movement_library(n, seed):
    """Each movement is a chirp-like burst with its own frequency, axis mix and rhythm."""
    rng = np.random.default_rng(seed)
    lib = []
    for _ in range(n):
        lib.append(dict(freq=rng.uniform(3, 16), freq2=rng.uniform(3, 16), mix=rng.normal(size=3),
                        mix2=rng.normal(size=3), bend=rng.uniform(-6, 6)))
    return lib


def sample_windows(library, n, seed):
    rng = np.random.default_rng(seed)
    t = np.linspace(0, 1, WINDOW)
    y = rng.integers(0, len(library), n)
    x = np.zeros((n, 3, WINDOW), dtype=np.float32)
    for i, k in enumerate(y):
        m = library[k]
        speed, phase = rng.uniform(0.92, 1.08), rng.uniform(0, 2 * np.pi, 2)
        a = np.sin(2 * np.pi * speed * (m["freq"] * t + m["bend"] * t ** 2) + phase[0])
        b = np.sin(2 * np.pi * speed * m["freq2"] * t + phase[1])
        gravity = rng.normal(0, 1.2, size=(3, 1))
        walk = np.cumsum(rng.normal(0, 0.12, size=(3, WINDOW)), axis=1)
        x[i] = (np.outer(m["mix"], a) + np.outer(m["mix2"], b)) * rng.uniform(0.6, 1.4) + gravity + walk
        x[i] += rng.normal(0, 0.5, size=x[i].shape)
    return torch.tensor(x), torch.tensor(y)


@torch.no_grad()
def accuracy(model, x, y):
    model.eval()
    return (model(x).argmax(1) == y).float().mean().item()


def pretrain(path, library, args):
    x, y = sample_windows(library, args.source_windows, seed=1)
    xv, yv = sample_windows(library, 500, seed=2)
    model = ActivityClassifier(len(library))
    opt = torch.optim.AdamW(model.parameters(), lr=args.lr, weight_decay=1e-3)
    loader = DataLoader(TensorDataset(x, y), 64, shuffle=True)
    sched = torch.optim.lr_scheduler.OneCycleLR(opt, 2 * args.lr, total_steps=args.source_epochs * len(loader))
    for epoch in range(args.source_epochs):
        model.train()
        total = 0.0
        for a, b in loader:
            loss = F.cross_entropy(model(a), b)
            opt.zero_grad()
            loss.backward()
            opt.step()
            sched.step()
            total += loss.item()
        print(f"[source] epoch {epoch} loss {total / len(loader):.4f} accuracy {accuracy(model, xv, yv):.4f}", flush=True)
    torch.save({"model": model.state_dict(), "epoch": args.source_epochs, "args": vars(args)}, path)


def finetune(path, library, args):
    x, y = sample_windows(library, args.shots * len(library), seed=3)
    xt, yt = sample_windows(library, 1000, seed=4)
    model = GestureModel(len(library))
    saved = torch.load(path)
    weights = {k: v for k, v in saved["model"].items() if not k.startswith("head.")}
    model.backbone.load_state_dict({k.removeprefix("encoder."): v for k, v in weights.items()})
    print(f"[target] {len(weights)} tensors from epoch {saved['epoch']}, {len(x)} labelled windows")

    model.backbone.requires_grad_(False)
    opt = torch.optim.AdamW(model.classifier.parameters(), lr=5e-3, weight_decay=1e-2)
    for step in range(args.target_steps):
        model.train()
        idx = torch.randint(0, len(x), (64,))
        shift = int(torch.randint(-6, 7, (1,)))
        loss = F.cross_entropy(model(torch.roll(x[idx], shift, dims=-1)), y[idx])
        opt.zero_grad()
        loss.backward()
        opt.step()
        if step % 60 == 0:
            print(f"[target] step {step} loss {loss.item():.4f} accuracy {accuracy(model, xt, yt):.4f}", flush=True)
    return accuracy(model, xt, yt)


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--source-windows", type=int, default=4000)
    ap.add_argument("--source-epochs", type=int, default=7)
    ap.add_argument("--shots", type=int, default=10)
    ap.add_argument("--target-steps", type=int, default=360)
    ap.add_argument("--lr", type=float, default=2e-3)
    args = ap.parse_args()
    torch.manual_seed(30)
    with tempfile.TemporaryDirectory() as tmp:
        path = os.path.join(tmp, "cohort.pt")
        pretrain(path, movement_library(24, seed=10), args)
        acc = finetune(path, movement_library(8, seed=77), args)
    print(f"final gesture test accuracy {acc:.4f}")


if __name__ == "__main__":
    main()
