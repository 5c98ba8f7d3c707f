# Two tasks on the digits scans with projected (conflict-free) gradients assigned by hand.
import argparse
import random

import torch
import torch.nn.functional as F
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from torch import nn

torch.set_num_threads(1)


class SharedNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.trunk = nn.Sequential(nn.Conv2d(1, 16, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
                                   nn.Conv2d(16, 32, 3, padding=1), nn.ReLU(), nn.Flatten(), nn.Linear(512, 48), nn.ReLU())
        self.digit = nn.Linear(48, 10)
        self.ink = nn.Linear(48, 1)

    def forward(self, x):
        h = self.trunk(x)
        return self.digit(h), self.ink(h).squeeze(1)


def load(seed):
    data = load_digits()
    x = torch.tensor(data.images, dtype=torch.float32).unsqueeze(1) / 16
    left, right = x[..., :4].sum((1, 2, 3)), x[..., 4:].sum((1, 2, 3))
    balance = (left - right) / (left + right)
    y = torch.tensor(data.target)
    a, b = train_test_split(torch.arange(len(y)).numpy(), test_size=0.3, random_state=seed, stratify=data.target)
    mean, std = balance[a].mean(), balance[a].std()
    ink = (balance - mean) / std
    return (x[a], y[a], ink[a]), (x[b], y[b], ink[b])


def flat(grads):
    return torch.cat([g.reshape(-1) for g in grads])


def unflat(vec, like):
    out, at = [], 0
    for p in like:
        out.append(vec[at:at + p.numel()].view_as(p))
        at += p.numel()
    return out


class SurgeryStep:
    def __init__(self, net, opt_trunk, opt_heads):
        self.net = net
        self.opt_trunk, self.opt_heads = opt_trunk, opt_heads
        self.trunk = list(net.trunk.parameters())
        self.heads = [list(net.digit.parameters()), list(net.ink.parameters())]
        self.conflicts, self.count = 0, 0

    def __call__(self, losses):
        vectors = []
        for loss, head in zip(losses, self.heads):
            grads = torch.autograd.grad(loss, self.trunk + head, retain_graph=True)
            vectors.append(flat(grads[:len(self.trunk)]))
            for p, g in zip(head, grads[len(self.trunk):]):
                p.grad = g
        mixed = [v.clone() for v in vectors]
        order = [0, 1]
        random.shuffle(order)
        for i in order:
            other = vectors[1 - i]
            dot = torch.dot(mixed[i], other)
            if dot < 0:
                mixed[i] -= dot / other.norm().pow(2).clamp_min(1e-12) * other
                self.conflicts += 1
        self.count += 2
        for p, g in zip(self.trunk, unflat(mixed[0] + mixed[1], self.trunk)):
            p.grad = g.clone()
        self.opt_trunk.step()
        self.opt_heads.step()


@torch.no_grad()
def evaluate(net, split):
    net.eval()
    x, y, ink = split
    logits, guess = net(x)
    acc = (logits.argmax(1) == y).float().mean().item()
    r2 = 1 - ((guess - ink).pow(2).sum() / (ink - ink.mean()).pow(2).sum()).item()
    return acc, r2


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--seed", type=int, default=0)
    ap.add_argument("--epochs", type=int, default=40)
    args = ap.parse_args()
    torch.manual_seed(args.seed)
    random.seed(args.seed)
    train, test = load(args.seed)
    net = SharedNet()
    opt_trunk = torch.optim.Adam(net.trunk.parameters(), lr=1e-3)
    opt_heads = torch.optim.SGD([*net.digit.parameters(), *net.ink.parameters()], lr=0.05, momentum=0.9)
    step = SurgeryStep(net, opt_trunk, opt_heads)
    x, y, ink = train
    for epoch in range(args.epochs):
        net.train()
        sums = [0.0, 0.0]
        batches = torch.randperm(len(x)).split(32)
        for idx in batches:
            logits, guess = net(x[idx])
            losses = [F.cross_entropy(logits, y[idx]), F.smooth_l1_loss(guess, ink[idx])]
            step(losses)
            sums = [s + l.item() for s, l in zip(sums, losses)]
        if epoch % 4 == 3:
            acc, r2 = evaluate(net, test)
            print(f"epoch {epoch + 1:2d} ce {sums[0] / len(batches):.4f} l1 {sums[1] / len(batches):.4f} "
                  f"conflicts {step.conflicts / step.count:.2f} test acc {acc:.4f} ink r2 {r2:.4f}")
    acc, r2 = evaluate(net, test)
    print(f"final test accuracy {acc:.4f} ink r2 {r2:.4f}")


if __name__ == "__main__":
    main()
