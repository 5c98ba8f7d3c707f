"""REINFORCE on a key-and-door grid: reward 1 only when the door is reached with the key in hand."""
import os

import torch
import torch.nn as nn
import torch.nn.functional as F

SEED = int(os.environ.get("SEED", 0))
N, HORIZON, ENVS, GAMMA = 4, 18, 64, 0.97
MOVES = torch.tensor([[0, 1], [0, -1], [1, 0], [-1, 0]])


def observe(pos, key, has_key, door):
    hot = lambda p: F.one_hot(p[:, 0] * N + p[:, 1], N * N).float()
    return torch.cat([hot(pos), hot(key) * (1 - has_key)[:, None], hot(door), has_key[:, None]], 1)


class Policy(nn.Module):
    def __init__(self, d=3 * N * N + 1, h=96):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(d, h), nn.Tanh(), nn.Linear(h, h), nn.Tanh())
        self.pi, self.v = nn.Linear(h, 4), nn.Linear(h, 1)

    def forward(self, o):
        h = self.body(o)
        return torch.distributions.Categorical(logits=self.pi(h)), self.v(h).squeeze(1)


def rollout(policy):
    """Each finished environment keeps stepping but is masked out (alive = 0)."""
    pos, key, door = (torch.randint(N, (ENVS, 2)) for _ in range(3))
    has_key, alive = torch.zeros(ENVS), torch.ones(ENVS)
    logp, value, ent, rew, mask = [], [], [], [], []
    for _ in range(HORIZON):
        dist, v = policy(observe(pos, key, has_key, door))
        a = dist.sample()
        pos = (pos + MOVES[a]).clamp(0, N - 1)
        has_key = torch.maximum(has_key, (pos == key).all(1).float())
        done = ((pos == door).all(1) & (has_key > 0)).float()
        logp.append(dist.log_prob(a)), value.append(v), ent.append(dist.entropy())
        rew.append(done * alive), mask.append(alive)
        alive = alive * (1 - done)
    return [torch.stack(t) for t in (logp, value, ent, rew, mask)]


def returns(rew):
    out, g = torch.zeros_like(rew), torch.zeros(rew.shape[1])
    for t in reversed(range(len(rew))):
        g = rew[t] + GAMMA * g
        out[t] = g
    return out


def main():
    torch.manual_seed(SEED)
    policy = Policy()
    opt = torch.optim.RMSprop(policy.parameters(), lr=1.5e-3)
    window, epochs, per_epoch = [], 10, 50
    for ep in range(1, epochs + 1):
        pg_sum = v_sum = 0.0
        beta = 0.02 * (1 - ep / (epochs + 1))
        for _ in range(per_epoch):
            logp, value, ent, rew, mask = rollout(policy)
            G = returns(rew)
            adv = (G - value).detach()
            pg = -(logp * adv * mask).sum() / mask.sum()
            vl = ((value - G) ** 2 * mask).sum() / mask.sum()
            loss = pg + 0.5 * vl - beta * (ent * mask).sum() / mask.sum()
            opt.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(policy.parameters(), 0.5)
            opt.step()
            window.append(rew.sum(0).mean().item())
            pg_sum, v_sum = pg_sum + pg.item(), v_sum + vl.item()
        rate = sum(window[-per_epoch:]) / per_epoch
        print(f"epoch {ep:2d}  policy loss {pg_sum / per_epoch:+.4f}  value loss {v_sum / per_epoch:.4f}  success {rate:.3f}")
    with torch.no_grad():
        final = sum(rollout(policy)[3].sum(0).mean().item() for _ in range(20)) / 20
    print(f"final success rate {final:.3f}")


if __name__ == "__main__":
    main()
