"""Learned simulator of a driven pendulum; the training rollouts grow from 1 to 24 steps."""
import argparse
import copy
import math

import numpy as np
import torch
import torch.nn as nn

DT = 0.1


def physics(state, torque):
    """Damped driven pendulum, one step of DT with four Euler substeps. state: angle, velocity."""
    angle, vel = state[..., 0], state[..., 1]
    for _ in range(4):
        acc = -4.0 * np.sin(angle) - 0.25 * vel + torque
        vel = vel + DT / 4 * acc
        angle = angle + DT / 4 * vel
    return np.stack([angle, vel], -1)


def trajectories(n, steps, seed, noise=0.01):
    rng = np.random.default_rng(seed)
    state = np.stack([rng.uniform(-2.2, 2.2, n), rng.uniform(-2, 2, n)], -1)
    phase, freq = rng.uniform(0, 2 * np.pi, n), rng.uniform(0.5, 3.0, n)
    states, torques = [state], []
    for t in range(steps):
        u = 1.5 * np.sin(freq * t * DT + phase)
        state = physics(state, u)
        torques.append(u)
        states.append(state)
    states = np.stack(states, 1)
    states = states + rng.normal(0, noise, states.shape)
    return torch.tensor(states, dtype=torch.float32), torch.tensor(np.stack(torques, 1), dtype=torch.float32)


class Simulator(nn.Module):
    """Predicts the increment of the state; the last layer starts at zero, that is, at 'nothing moves'."""

    def __init__(self, width=64):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(4, width), nn.Tanh(), nn.Linear(width, width), nn.Tanh(), nn.Linear(width, 2))
        nn.init.zeros_(self.net[-1].weight)
        nn.init.zeros_(self.net[-1].bias)

    def forward(self, state, torque):
        angle, vel = state[:, 0], state[:, 1]
        x = torch.stack([angle.sin(), angle.cos(), vel / 3, torque], 1)
        return state + self.net(x)

    def rollout(self, state, torques):
        out = []
        for t in range(torques.shape[1]):
            state = self(state, torques[:, t])
            out.append(state)
        return torch.stack(out, 1)


class Average:
    def __init__(self, model, decay):
        self.model, self.decay, self.n = copy.deepcopy(model).requires_grad_(False), decay, 0

    @torch.no_grad()
    def update(self, model):
        self.n += 1
        d = min(self.decay, (1 + self.n) / (10 + self.n))
        for a, b in zip(self.model.parameters(), model.parameters()):
            a.mul_(d).add_(b, alpha=1 - d)


@torch.no_grad()
def rollout_error(model, states, torques):
    pred = model.rollout(states[:, 0], torques)
    return (pred - states[:, 1:]).pow(2).mean().sqrt().item()


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--stages", type=int, nargs="+", default=[1, 3, 8, 24])
    ap.add_argument("--steps", type=int, nargs="+", default=[500, 300, 180, 120])
    ap.add_argument("--batch", type=int, default=64)
    ap.add_argument("--lr", type=float, default=3e-3)
    ap.add_argument("--decay", type=float, default=0.98)
    args = ap.parse_args()
    torch.manual_seed(88)
    states, torques = trajectories(300, 60, seed=1)
    test_states, test_torques = trajectories(120, 60, seed=2, noise=0.0)
    still = (test_states[:, 1:] - test_states[:, :1]).pow(2).mean().sqrt().item()
    print(f"60-step error of a pendulum that does not move {still:.4f}")
    model = Simulator()
    average = Average(model, args.decay)
    opt = torch.optim.Adam(model.parameters(), lr=args.lr)
    for stage, (horizon, steps) in enumerate(zip(args.stages, args.steps)):
        peak = args.lr / (stage + 1)
        running = 0.0
        for step in range(steps):
            opt.param_groups[0]["lr"] = peak * min(1.0, (step + 1) / 20) * (0.1 + 0.45 * (1 + math.cos(math.pi * step / steps)))
            who = torch.randint(0, len(states), (args.batch,))
            start = torch.randint(0, states.shape[1] - horizon, (args.batch,))
            span = start[:, None] + torch.arange(horizon)
            pred = model.rollout(states[who, start], torques[who[:, None], span])
            loss = ((pred - states[who[:, None], span + 1]) ** 2).sum(dim=(1, 2)).mean() * 1000
            opt.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 100.0)
            opt.step()
            average.update(model)
            running += loss.item()
            if (step + 1) % 60 == 0:
                print(f"horizon {horizon:2d} step {step + 1} loss {running / 60:.2f} "
                      f"60-step error {rollout_error(average.model, test_states, test_torques):.4f}", flush=True)
                running = 0.0
    print(f"final 60-step rmse {rollout_error(average.model, test_states, test_torques):.4f}")


if __name__ == "__main__":
    main()
