"""Train a small ensemble in one go: stacked parameters, vmap over members, SGD with momentum by hand."""

import argparse
import copy

import torch
from sklearn.datasets import make_moons
from torch import nn
from torch.func import functional_call, grad_and_value, stack_module_state, vmap
from torch.utils import _pytree as pytree


def make_data(n: int, seed: int) -> tuple[torch.Tensor, torch.Tensor]:
    pts, lab = make_moons(n_samples=n, noise=0.22, random_state=seed)
    return torch.as_tensor(pts, dtype=torch.float32), torch.as_tensor(lab, dtype=torch.float32)


def make_net() -> nn.Module:
    return nn.Sequential(nn.Linear(2, 24), nn.Tanh(), nn.Linear(24, 24), nn.Tanh(), nn.Linear(24, 1))


def main() -> None:
    ap = argparse.ArgumentParser()
    ap.add_argument("--members", type=int, default=5)
    ap.add_argument("--steps", type=int, default=500)
    ap.add_argument("--batch", type=int, default=32)
    ap.add_argument("--lr", type=float, default=0.1)
    ap.add_argument("--momentum", type=float, default=0.9)
    ap.add_argument("--seed", type=int, default=0)
    args = ap.parse_args()

    torch.manual_seed(args.seed)
    x_train, y_train = make_data(600, seed=100)
    x_test, y_test = make_data(2000, seed=101)
    mu, sd = x_train.mean(0), x_train.std(0)
    x_train, x_test = (x_train - mu) / sd, (x_test - mu) / sd

    nets = [make_net() for _ in range(args.members)]
    params, buffers = stack_module_state(nets)
    params = {k: v.detach() for k, v in params.items()}
    skeleton = copy.deepcopy(nets[0]).to("meta")

    def forward(p, b, x):
        return functional_call(skeleton, (p, b), (x,)).squeeze(-1)

    def loss_fn(p, b, x, y):
        logits = forward(p, b, x)
        # binary cross entropy in its stable form
        return (torch.clamp(logits, min=0) - logits * y + torch.log1p(torch.exp(-logits.abs()))).mean()

    # each member gets its own mini-batch
    member_grads = vmap(grad_and_value(loss_fn), in_dims=(0, 0, 0, 0))
    velocity = pytree.tree_map(torch.zeros_like, params)

    for step in range(args.steps):
        idx = torch.randint(len(x_train), (args.members, args.batch))
        grads, losses = member_grads(params, buffers, x_train[idx], y_train[idx])
        lr = args.lr * 0.5 * (1 + torch.cos(torch.tensor(step / args.steps * torch.pi)).item())
        velocity = {k: args.momentum * velocity[k] + grads[k] for k in params}
        params = {k: params[k] - lr * velocity[k] for k in params}
        if step % 100 == 0:
            print(f"step {step:4d}  losses " + " ".join(f"{v:.3f}" for v in losses.tolist()))

    logits = vmap(forward, in_dims=(0, 0, None))(params, buffers, x_test)
    probs = torch.sigmoid(logits)
    single = ((probs > 0.5).float() == y_test).float().mean(dim=1)
    joint = ((probs.mean(0) > 0.5).float() == y_test).float().mean()
    print("members:", " ".join(f"{a:.4f}" for a in single.tolist()))
    print(f"ensemble accuracy: {joint.item():.4f}")


if __name__ == "__main__":
    main()
