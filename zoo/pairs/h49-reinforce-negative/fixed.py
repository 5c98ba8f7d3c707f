"""REINFORCE, all rewards are negative (steps to the goal on a ring); leave-one-out baseline, no critic."""
import torch
from torch import nn
from torch.distributions import Categorical

RING, HORIZON, GROUPS, K = 15, 12, 24, 8


def start(n, g):
    return torch.randint(0, RING, (n,), generator=g), torch.randint(0, RING, (n,), generator=g)


def encode(pos, goal):
    return torch.eye(RING)[(goal - pos) % RING]


def rollout(net, pos, goal, greedy=False):
    alive = torch.ones(len(pos))
    total, logps, ents = torch.zeros(len(pos)), [], []
    for _ in range(HORIZON):
        alive = alive * (pos != goal).float()
        dist = Categorical(logits=net(encode(pos, goal)))
        act = dist.probs.argmax(1) if greedy else dist.sample()
        logps.append(dist.log_prob(act) * alive)
        ents.append(dist.entropy() * alive)
        total = total - alive
        move = torch.where(alive > 0, act - 1, torch.zeros_like(act))
        pos = (pos + move) % RING
    return total, torch.stack(logps).sum(0), torch.stack(ents).sum(0)


torch.manual_seed(0)
torch.set_num_threads(1)
g = torch.Generator().manual_seed(0)
net = nn.Sequential(nn.Linear(RING, 64), nn.Tanh(), nn.Linear(64, 3))
nn.init.zeros_(net[-1].weight)
nn.init.zeros_(net[-1].bias)
opt = torch.optim.Adam(net.parameters(), lr=4e-3)
for step in range(1, 351):
    pos, goal = start(GROUPS, g)
    ret, logp, ent = rollout(net, pos.repeat_interleave(K), goal.repeat_interleave(K))
    grouped = ret.view(GROUPS, K)
    base = (grouped.sum(1, keepdim=True) - grouped) / (K - 1)
    adv = (grouped - base).flatten()
    loss = -(adv * logp).mean() - 0.02 * ent.mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    if step % 50 == 0:
        print(f"step {step}  loss {loss.item():+.4f}  return {ret.mean().item():+.3f}")

pos, goal = start(1000, torch.Generator().manual_seed(9))
d = (pos - goal).abs()
best = -torch.minimum(d, RING - d).float().mean().item()
with torch.no_grad():
    got = rollout(net, pos, goal, greedy=True)[0].mean().item()
print(f"held-out mean return {got:.4f}  (best possible {best:.4f})")
