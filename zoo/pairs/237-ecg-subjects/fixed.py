"""Stress detection from heart-beat windows. 40 subjects, 60 windows each, 1-D CNN."""
import argparse

import numpy as np
import pandas as pd
import torch
from sklearn.metrics import f1_score
from sklearn.model_selection import GroupShuffleSplit, train_test_split  # noqa: F401
from torch import nn

FS = 32
WIN = 128


def beat(t, shape):
    """P, QRS and T waves as gaussians; the shape belongs to the person"""
    out = np.zeros_like(t)
    for amp, pos, width in shape:
        out += amp * np.exp(-0.5 * ((t - pos) / width) ** 2)
    return out


def record(subject, stressed_person, n, rng):
    base = [(0.15, 0.18, 0.03), (1.0, 0.40, 0.02), (-0.25, 0.45, 0.02), (0.3, 0.68, 0.06)]
    shape = [(a * rng.lognormal(0, 0.35), p + rng.normal(0, 0.03), w * rng.lognormal(0, 0.25)) for a, p, w in base]
    rest = rng.normal(1.0, 0.15)
    rows = []
    for k in range(n):
        # questionnaire answers are per day: most windows of a person share one answer
        y = int(stressed_person) if rng.random() < 0.9 else 1 - int(stressed_person)
        rate = rest + 0.07 * y + rng.normal(0, 0.08)
        phase = rng.random() + np.cumsum(np.full(WIN, rate / FS) * (1 + 0.05 * rng.normal(size=WIN)))
        sig = beat(phase % 1.0, shape) + 0.08 * rng.normal(size=WIN)
        rows.append({"subject": subject, "window": k, "label": y, "signal": sig.astype(np.float32)})
    return rows


def load_cohort(n_subjects, n_windows, seed):
    rng = np.random.default_rng(seed)
    rows = []
    for s in range(n_subjects):
        rows += record(s, s % 2, n_windows, rng)
    return pd.DataFrame(rows)


class Net(nn.Module):
    def __init__(self, ch=24):
        super().__init__()
        self.f = nn.Sequential(
            nn.Conv1d(1, ch, 9, padding=4), nn.BatchNorm1d(ch), nn.ReLU(), nn.MaxPool1d(2),
            nn.Conv1d(ch, ch, 9, padding=4), nn.BatchNorm1d(ch), nn.ReLU(), nn.MaxPool1d(2),
            nn.Conv1d(ch, ch, 9, padding=4), nn.BatchNorm1d(ch), nn.ReLU(),
            nn.AdaptiveAvgPool1d(4), nn.Flatten(),
        )
        self.head = nn.Sequential(nn.Dropout(0.3), nn.Linear(4 * ch, 2))

    def forward(self, x):
        return self.head(self.f(x.unsqueeze(1)))


def predict(model, x):
    model.eval()
    with torch.no_grad():
        return torch.cat([model(b) for b in x.split(256)]).argmax(1).numpy()


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--subjects", type=int, default=40)
    ap.add_argument("--windows", type=int, default=60)
    ap.add_argument("--epochs", type=int, default=12)
    ap.add_argument("--seed", type=int, default=0)
    opt = ap.parse_args()
    torch.manual_seed(opt.seed)

    df = load_cohort(opt.subjects, opt.windows, opt.seed)
    tr, va = next(GroupShuffleSplit(1, test_size=0.25, random_state=opt.seed).split(df, groups=df["subject"]))
    signal = torch.from_numpy(np.stack(df["signal"].to_list()))
    label = torch.from_numpy(df["label"].to_numpy().copy()).long()
    mean, std = signal[tr].mean(), signal[tr].std()
    signal = (signal - mean) / std
    print(f"{len(tr)} training windows, {len(va)} validation windows, {label.float().mean():.2f} stressed")

    model = Net()
    optim = torch.optim.AdamW(model.parameters(), lr=2e-3, weight_decay=1e-2)
    sched = torch.optim.lr_scheduler.OneCycleLR(optim, 3e-3, total_steps=opt.epochs * (len(tr) // 64 + 1))
    loss_fn = nn.CrossEntropyLoss()
    tr = torch.as_tensor(tr)
    for epoch in range(opt.epochs):
        model.train()
        losses = []
        for idx in tr[torch.randperm(len(tr))].split(64):
            x = signal[idx] + 0.05 * torch.randn(len(idx), WIN)
            loss = loss_fn(model(x), label[idx])
            optim.zero_grad()
            loss.backward()
            optim.step()
            sched.step()
            losses.append(loss.item())
        f1 = f1_score(label[va], predict(model, signal[va]), average="macro")
        print(f"epoch {epoch + 1:2d} loss {np.mean(losses):.4f} val macro-F1 {f1:.4f}")

    f1 = f1_score(label[va], predict(model, signal[va]), average="macro")
    print(f"validation macro-F1: {f1:.4f}")


if __name__ == "__main__":
    main()
