"""Domain-adversarial training on digits: labelled clean source, unlabelled shaded target."""
import argparse
import math

import numpy as np
import torch
import torch.nn.functional as F
from sklearn.datasets import load_digits
from torch import nn


class ReverseGradient(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, scale):
        ctx.scale = scale
        return x.view_as(x)

    @staticmethod
    def backward(ctx, grad):
        return -ctx.scale * grad, None


class AdversarialNet(nn.Module):
    def __init__(self, dim=96):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(1, 24, 3, padding=1), nn.ReLU(), nn.Conv2d(24, 32, 3, padding=1), nn.ReLU(),
            nn.MaxPool2d(2), nn.Flatten(), nn.Linear(32 * 16, dim), nn.ReLU())
        self.classifier = nn.Linear(dim, 10)
        self.domain = nn.Sequential(nn.Linear(dim, 64), nn.ReLU(), nn.Linear(64, 1))

    def forward(self, x, scale):
        f = self.features(x)
        return self.classifier(f), self.domain(ReverseGradient.apply(f, scale)).squeeze(1)


def to_target_domain(x, rng):
    """Weaker contrast, a brightness offset per image, and a horizontal shading."""
    shade = np.linspace(-0.3, 0.3, 8, dtype=np.float32)
    off = rng.uniform(0.0, 0.3, (len(x), 1, 1, 1)).astype(np.float32)
    return (0.8 * x + off + shade + 0.05 * rng.normal(size=x.shape)).astype(np.float32)


@torch.no_grad()
def accuracy(model, x, y):
    model.eval()
    return (model(x, 0.0)[0].argmax(1) == y).float().mean().item()


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--epochs", type=int, default=40)
    p.add_argument("--batch-size", type=int, default=64)
    p.add_argument("--lr", type=float, default=1e-3)
    p.add_argument("--max-scale", type=float, default=0.5)
    p.add_argument("--seed", type=int, default=0)
    args = p.parse_args()
    torch.manual_seed(args.seed)
    rng = np.random.default_rng(args.seed)

    x, y = load_digits(return_X_y=True)
    x = (x / 16.0).reshape(-1, 1, 8, 8).astype(np.float32)
    order = rng.permutation(len(x))
    source, target, held = order[:800], order[800:1400], order[1400:]
    xs, ys = torch.tensor(x[source]), torch.tensor(y[source])
    xt = torch.tensor(to_target_domain(x[target], rng))
    xv, yv = torch.tensor(to_target_domain(x[held], rng)), torch.tensor(y[held])

    model = AdversarialNet()
    opt = torch.optim.Adam(model.parameters(), lr=args.lr)
    n_batches = len(xs) // args.batch_size
    for epoch in range(args.epochs):
        model.train()
        progress = epoch / args.epochs
        scale = args.max_scale * (2 / (1 + math.exp(-10 * progress)) - 1)
        order_s, sums = torch.randperm(len(xs)), [0.0, 0.0]
        for b in range(n_batches):
            i = order_s[b * args.batch_size:(b + 1) * args.batch_size]
            j = torch.randint(0, len(xt), (args.batch_size,))
            logits, dom_s = model(xs[i], scale)
            _, dom_t = model(xt[j], scale)
            cls = F.cross_entropy(logits, ys[i])
            dom = F.binary_cross_entropy_with_logits(
                torch.cat([dom_s, dom_t]), torch.cat([torch.zeros_like(dom_s), torch.ones_like(dom_t)]))
            opt.zero_grad()
            (cls + dom).backward()
            opt.step()
            sums[0] += cls.item()
            sums[1] += dom.item()
        if epoch % 4 == 3:
            # the domain loss is meant to rise towards log 2 = 0.693 as the features become indistinguishable
            print(f"epoch {epoch:2d} scale {scale:.2f} class loss {sums[0] / n_batches:.4f} "
                  f"domain loss {sums[1] / n_batches:.4f} target acc {accuracy(model, xv, yv):.4f}")
    print(f"final target-domain accuracy {accuracy(model, xv, yv):.4f}")


if __name__ == "__main__":
    main()
