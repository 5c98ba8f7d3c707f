"""MAML on sine regression, functional fast weights, inner loop written by hand, tasks batched with vmap."""
import math

import torch
import torch.nn as nn
from torch.func import functional_call, grad, vmap

torch.manual_seed(0)
INNER_LR, INNER_STEPS, SHOTS, TASKS, ITERS = 0.02, 2, 10, 20, 1000


def draw_tasks(n, k_support, k_query, gen=None):
    amp = torch.rand(n, 1, 1, generator=gen) * 2.4 + 0.6
    phase = torch.rand(n, 1, 1, generator=gen) * math.pi
    x = torch.rand(n, k_support + k_query, 1, generator=gen) * 10 - 5
    y = amp * torch.sin(x + phase)
    return x[:, :k_support], y[:, :k_support], x[:, k_support:], y[:, k_support:]


net = nn.Sequential(nn.Linear(1, 40), nn.ReLU(), nn.Linear(40, 40), nn.ReLU(), nn.Linear(40, 1))


def mse(params, x, y):
    return (functional_call(net, params, (x,)) - y).pow(2).mean()


def adapted_loss(params, xs, ys, xq, yq, steps):
    for _ in range(steps):
        g = grad(mse)(params, xs, ys)
        params = {k: p - INNER_LR * g[k] for k, p in params.items()}
    return mse(params, xq, yq)


def task_losses(batch, steps):
    params = dict(net.named_parameters())
    return vmap(lambda *b: adapted_loss(params, *b, steps))(*batch)


@torch.no_grad()
def evaluate(n=200):
    batch = draw_tasks(n, SHOTS, 100, torch.Generator().manual_seed(99))
    return task_losses(batch, 0).mean().item(), task_losses(batch, 5).mean().item()


meta_opt = torch.optim.Adam(net.parameters(), lr=2e-3)
print("untrained: before adaptation %.3f, after %.3f" % evaluate())
for it in range(1, ITERS + 1):
    meta = task_losses(draw_tasks(TASKS, SHOTS, SHOTS), INNER_STEPS).mean()
    meta_opt.zero_grad()
    meta.backward()
    nn.utils.clip_grad_norm_(net.parameters(), 10.0)
    meta_opt.step()
    if it % 100 == 0:
        b, a = evaluate()
        print(f"iter {it}  meta loss {meta.item():.3f}  new tasks: before {b:.3f}  after 5 steps {a:.3f}")
