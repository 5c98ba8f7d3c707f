"""Train in several job slots (the queue kills a job after a fixed time); every slot resumes from last.pt."""
import argparse
import logging
import math
import os
import tempfile

import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

from data import get_data

logging.basicConfig(level=logging.INFO, format="%(message)s")
log = logging.getLogger("slots")


class Classifier(nn.Module):
    def __init__(self, width=12, n_classes=10):
        super().__init__()
        self.net = nn.Sequential(
            nn.Conv2d(1, width, 3, padding=1, bias=False), nn.BatchNorm2d(width), nn.ReLU(),
            nn.MaxPool2d(2),
            nn.Conv2d(width, 2 * width, 3, padding=1, bias=False), nn.BatchNorm2d(2 * width), nn.ReLU(),
            nn.MaxPool2d(2),
            nn.Conv2d(2 * width, 2 * width, 3, padding=1, bias=False), nn.BatchNorm2d(2 * width), nn.ReLU(),
            nn.AdaptiveMaxPool2d(1), nn.Flatten(),
            nn.Linear(2 * width, n_classes),
        )

    def forward(self, x):
        return self.net(x)


def lr_at(epoch, args):
    return args.lr * 0.5 * (1 + math.cos(math.pi * epoch / args.epochs))


def save(path, clf, opt, epoch):
    torch.save({"model": clf.net.state_dict(), "opt": opt.state_dict(), "epoch": epoch}, path)


def evaluate(clf, x, y):
    clf.eval()
    with torch.no_grad():
        logits = torch.cat([clf(b) for b in x.split(250)])
    return (logits.argmax(1) == y).float().mean().item()


def run_slot(slot, args, ckpt_path, train, test):
    torch.manual_seed(args.seed + slot)
    clf = Classifier()
    opt = torch.optim.SGD(clf.parameters(), lr=args.lr, momentum=0.9, weight_decay=1e-4)
    start = 0
    if os.path.exists(ckpt_path):
        ckpt = torch.load(ckpt_path)
        clf.net.load_state_dict(ckpt["model"])
        opt.load_state_dict(ckpt["opt"])
        start = ckpt["epoch"] + 1
        log.info("slot %d: resumed at epoch %d", slot, start)

    loader = DataLoader(TensorDataset(*train), batch_size=64, shuffle=True)
    for epoch in range(start, min(start + args.epochs_per_slot, args.epochs)):
        for g in opt.param_groups:
            g["lr"] = lr_at(epoch, args)
        clf.train()
        running = 0.0
        for xb, yb in loader:
            loss = nn.functional.cross_entropy(clf(xb), yb)
            opt.zero_grad()
            loss.backward()
            opt.step()
            running += loss.item()
        log.info("epoch %2d  lr %.4f  loss %.4f  test acc %.4f", epoch, lr_at(epoch, args),
                 running / len(loader), evaluate(clf, *test))
        save(ckpt_path, clf, opt, epoch)
    return evaluate(clf, *test)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--epochs", type=int, default=12)
    p.add_argument("--epochs-per-slot", type=int, default=3)
    p.add_argument("--lr", type=float, default=0.05)
    p.add_argument("--seed", type=int, default=5)
    args = p.parse_args()

    train, test = get_data(args.seed)
    with tempfile.TemporaryDirectory() as workdir:
        ckpt_path = os.path.join(workdir, "last.pt")
        for slot in range(math.ceil(args.epochs / args.epochs_per_slot)):
            acc = run_slot(slot, args, ckpt_path, train, test)
    log.info("final test acc %.4f", acc)


if __name__ == "__main__":
    main()
