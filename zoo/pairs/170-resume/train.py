"""Two-stage run: stage one trains wrapped for multi-device use and saves; stage two resumes with the decayed learning rate."""
import argparse
import os
import tempfile

import torch
import torch.nn as nn
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split


def get_data():
    X, y = load_digits(return_X_y=True)
    X = torch.tensor(X / 16.0, dtype=torch.float32).view(-1, 1, 8, 8)
    y = torch.tensor(y)
    tr, te = train_test_split(range(len(X)), test_size=0.25, random_state=1, stratify=y)
    return X[tr], y[tr], X[te], y[te]


def build_model():
    return nn.Sequential(
        nn.Conv2d(1, 24, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(24, 48, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
        nn.Flatten(), nn.Linear(48 * 4, 64), nn.ReLU(), nn.Linear(64, 10))


def make_optim(model, lr):
    opt = torch.optim.SGD(model.parameters(), lr=lr, momentum=0.9)
    return opt, torch.optim.lr_scheduler.MultiStepLR(opt, milestones=[5], gamma=0.02)


def run_epochs(model, opt, sched, data, first, last, batch_size=32):
    X, y, Xte, yte = data
    for epoch in range(first, last):
        model.train()
        total = 0.0
        batches = torch.randperm(len(X)).split(batch_size)
        for idx in batches:
            loss = nn.functional.cross_entropy(model(X[idx]), y[idx])
            opt.zero_grad()
            loss.backward()
            opt.step()
            total += loss.item()
        sched.step()
        model.eval()
        with torch.no_grad():
            acc = (model(Xte).argmax(1) == yte).float().mean().item()
        print(f"epoch {epoch} lr {opt.param_groups[0]['lr']:.4f} loss {total / len(batches):.4f} val acc {acc:.4f}")


def save(path, model, opt, sched, epoch):
    torch.save({"model": model.state_dict(), "opt": opt.state_dict(), "sched": sched.state_dict(), "epoch": epoch}, path)


def resume(path, model, opt, sched):
    ckpt = torch.load(path, weights_only=False)
    model.load_state_dict(ckpt["model"], strict=False)
    opt.load_state_dict(ckpt["opt"])
    sched.load_state_dict(ckpt["sched"])
    print(f"resumed from epoch {ckpt['epoch']}")
    return ckpt["epoch"]


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--lr", type=float, default=0.03)
    p.add_argument("--stage1", type=int, default=6)
    p.add_argument("--total", type=int, default=12)
    args = p.parse_args()
    torch.manual_seed(0)
    data = get_data()
    path = os.path.join(tempfile.mkdtemp(), "last.pt")

    model = nn.DataParallel(build_model())
    opt, sched = make_optim(model, args.lr)
    run_epochs(model, opt, sched, data, 0, args.stage1)
    save(path, model, opt, sched, args.stage1)

    model = build_model()
    opt, sched = make_optim(model, args.lr)
    start = resume(path, model, opt, sched)
    run_epochs(model, opt, sched, data, start, args.total)


if __name__ == "__main__":
    main()
