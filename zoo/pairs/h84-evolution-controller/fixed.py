"""A cart-pole-like balancing controller trained by evolution strategies: no backward pass, the 'gradient' of the
negative return is written into .grad by hand and Adam takes the step; the objective goes down below zero."""
import torch
import torch.nn as nn
from torch.nn.utils import parameters_to_vector

PAIRS, SIGMA, STEPS, DT = 32, 0.1, 150, 0.03


class Controller(nn.Module):
    def __init__(self, hidden=12):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(4, hidden), nn.Tanh(), nn.Linear(hidden, 1))

    def forward(self, s):
        return torch.tanh(self.net(s)).squeeze(-1)


def batched_policy(model, vectors, s):
    """All perturbed controllers at once: vectors (P, D), states (P, B, 4)."""
    at, out = 0, s
    for layer in (model.net[0], model.net[2]):
        n_out, n_in = layer.weight.shape
        w = vectors[:, at : at + n_out * n_in].view(-1, n_out, n_in)
        at += n_out * n_in
        b = vectors[:, at : at + n_out].unsqueeze(1)
        at += n_out
        out = torch.tanh(out @ w.transpose(1, 2) + b)
    return out.squeeze(-1)


def simulate(act, s):
    """Cart and pole with force in [-1, 1] * 12; returns the share of time upright and near the middle."""
    score = 0.0
    alive = torch.ones(s.shape[:-1])
    for _ in range(STEPS):
        x, v, a, w = s.unbind(-1)
        force = 12 * act(s)
        sin, cos = a.sin(), a.cos()
        temp = (force + 0.05 * w**2 * sin) / 1.1
        acc_a = (9.8 * sin - cos * temp) / (0.5 * (4 / 3 - 0.1 * cos**2 / 1.1))
        acc_x = temp - 0.05 * acc_a * cos / 1.1
        s = torch.stack([x + DT * v, v + DT * acc_x, a + DT * w, w + DT * acc_a], -1)
        alive = alive * ((s[..., 2].abs() < 0.6) & (s[..., 0].abs() < 2.4)).float()
        score = score + alive * (1 - 0.2 * s[..., 0].abs())
        s = torch.where(alive.unsqueeze(-1) > 0, s, torch.zeros_like(s))
    return score / STEPS


def starts(n, generator):
    return (torch.rand(n, 4, generator=generator) - 0.5) * torch.tensor([1.0, 0.6, 0.5, 0.6])


@torch.no_grad()
def main():
    torch.manual_seed(4)
    generator = torch.Generator().manual_seed(4)
    model = Controller()
    optimizer = torch.optim.Adam(model.parameters(), lr=0.05)
    held_out = starts(200, torch.Generator().manual_seed(77))
    for generation in range(1, 151):
        centre = parameters_to_vector(model.parameters())
        noise = torch.randn(PAIRS, len(centre), generator=generator)
        noise = torch.cat([noise, -noise])
        s = starts(16, generator).expand(2 * PAIRS, -1, -1)
        fitness = simulate(lambda state: batched_policy(model, centre + SIGMA * noise, state), s).mean(1)
        rank = fitness.argsort().argsort().float() / (2 * PAIRS - 1) - 0.5
        step = -(rank @ noise) / (2 * PAIRS * SIGMA)
        at = 0
        for p in model.parameters():
            p.grad = step[at : at + p.numel()].view_as(p).clone()
            at += p.numel()
        optimizer.step()
        if generation % 10 == 0:
            print(f"generation {generation} loss {-fitness.mean():.4f} held-out return {simulate(model, held_out).mean():.4f}")
    print(f"final held-out return {simulate(model, held_out).mean():.4f}")


if __name__ == "__main__":
    main()
