"""Evolution strategies: an MLP classifier trained on the non-differentiable error rate, without backward."""
import argparse

import numpy as np
import torch
from sklearn.datasets import load_wine
from sklearn.model_selection import train_test_split
from torch import nn
from torch.nn.utils import parameters_to_vector, vector_to_parameters


def parse_args():
    p = argparse.ArgumentParser()
    p.add_argument("--hidden", type=int, default=16)
    p.add_argument("--population", type=int, default=40, help="antithetic pairs")
    p.add_argument("--sigma", type=float, default=0.1)
    p.add_argument("--lr", type=float, default=0.05)
    p.add_argument("--generations", type=int, default=250)
    p.add_argument("--weight-decay", type=float, default=0.002)
    p.add_argument("--seed", type=int, default=0)
    return p.parse_args()


class Classifier(nn.Module):
    def __init__(self, n_in, hidden, n_out):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(n_in, hidden), nn.Tanh(), nn.Linear(hidden, n_out))
        for p in self.parameters():
            p.requires_grad_(False)

    def forward(self, x):
        return self.net(x)


def fitness(model, x, y):
    """Accuracy plus a little credit for the rank of the true class."""
    out = model(x)
    rank = (out > out.gather(1, y[:, None])).sum(1).float()
    return ((rank == 0).float() - 0.1 * rank).mean().item()


def centred_ranks(scores):
    order = scores.argsort().argsort().float()
    return order / (len(scores) - 1) - 0.5


@torch.no_grad()
def accuracy(model, x, y):
    return (model(x).argmax(1) == y).float().mean().item()


def main():
    args = parse_args()
    torch.manual_seed(args.seed)
    x, y = load_wine(return_X_y=True)
    x_train, x_val, y_train, y_val = train_test_split(x, y, test_size=0.3, stratify=y, random_state=args.seed)
    mean, std = x_train.mean(0), x_train.std(0)
    to_tensor = lambda a: torch.tensor((a - mean) / std, dtype=torch.float32)
    x_train, x_val = to_tensor(x_train), to_tensor(x_val)
    y_train, y_val = torch.tensor(y_train), torch.tensor(y_val)

    model = Classifier(x_train.shape[1], args.hidden, 3)
    theta = parameters_to_vector(model.parameters()).clone()
    center = theta.clone().requires_grad_(True)
    opt = torch.optim.Adam([center], lr=args.lr, maximize=True)
    print(f"{len(theta)} parameters, start accuracy {accuracy(model, x_val, y_val):.3f}")

    for gen in range(1, args.generations + 1):
        eps = torch.randn(args.population, len(theta))
        eps = torch.cat([eps, -eps])
        scores = []
        for e in eps:
            vector_to_parameters(center.detach() + args.sigma * e, model.parameters())
            scores.append(fitness(model, x_train, y_train))
        scores = torch.tensor(scores)
        grad = (centred_ranks(scores)[:, None] * eps).mean(0) / args.sigma
        center.grad = grad - args.weight_decay * center.detach()
        opt.step()
        if gen % 25 == 0:
            vector_to_parameters(center.detach(), model.parameters())
            print(f"generation {gen:4d} mean fitness {scores.mean():.4f} best {scores.max():.4f} "
                  f"train acc {accuracy(model, x_train, y_train):.4f} val acc {accuracy(model, x_val, y_val):.4f}")

    vector_to_parameters(center.detach(), model.parameters())
    print(f"final val accuracy {accuracy(model, x_val, y_val):.4f}")


if __name__ == "__main__":
    main()
