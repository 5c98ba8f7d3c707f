"""Contextual bandit: which of 12 offers to show, learnt with a policy gradient and a value baseline."""
import numpy as np
import torch
from torch import nn
from torch.distributions import Categorical

torch.manual_seed(1)
torch.set_num_threads(1)
rng = np.random.default_rng(1)

N_CTX, N_ARMS, BATCH, STEPS = 16, 12, 64, 2500

arm_vec = torch.from_numpy(rng.normal(size=(N_ARMS, N_CTX)).astype(np.float32)) / N_CTX ** 0.5
arm_quad = torch.from_numpy(rng.normal(size=(N_ARMS, N_CTX)).astype(np.float32)) / N_CTX ** 0.5
arm_bias = torch.linspace(-0.3, 0.3, N_ARMS)


def draw_context(n, gen):
    return torch.randn(n, N_CTX, generator=gen)


def click_prob(ctx):
    return torch.sigmoid(2.0 * (ctx @ arm_vec.T) + 0.7 * (ctx.abs() @ arm_quad.T) + arm_bias)


class Policy(nn.Module):
    def __init__(self):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(N_CTX, 96), nn.ReLU(), nn.Linear(96, 96), nn.ReLU())
        self.logits = nn.Linear(96, N_ARMS)
        self.value = nn.Linear(96, 1)

    def forward(self, ctx):
        h = self.trunk(ctx)
        return Categorical(logits=self.logits(h)), self.value(h)[:, 0]


def held_out(policy):
    gen = torch.Generator().manual_seed(99)
    ctx = draw_context(4000, gen)
    p = click_prob(ctx)
    with torch.no_grad():
        dist, _ = policy(ctx)
    got = p.gather(1, dist.probs.argmax(1, keepdim=True)).mean()
    return got.item(), p.mean().item(), p.max(1).values.mean().item()


gen = torch.Generator().manual_seed(7)
policy = Policy()
opt = torch.optim.Adam(policy.parameters(), lr=2e-3)
ENT_COEF = 0.08
recent = []

for step in range(1, STEPS + 1):
    ctx = draw_context(BATCH, gen)
    dist, value = policy(ctx)
    arm = dist.sample()
    reward = torch.bernoulli(click_prob(ctx).gather(1, arm[:, None])[:, 0], generator=gen)
    adv = (reward - value).detach()
    pg_loss = -(dist.log_prob(arm) * adv).mean()
    v_loss = (value - reward).pow(2).mean()
    entropy = dist.entropy().mean()
    loss = pg_loss + 0.5 * v_loss - ENT_COEF * entropy
    opt.zero_grad()
    loss.backward()
    opt.step()
    recent.append(reward.mean().item())
    if step % 250 == 0:
        print(f"step {step:5d}  pg {pg_loss.item():+.4f}  value {v_loss.item():.4f}  "
              f"entropy {entropy.item():.3f}  clicks {np.mean(recent[-250:]):.3f}")

got, uniform, best = held_out(policy)
print(f"held-out click rate {got:.4f}  (uniform {uniform:.4f}, oracle {best:.4f})")
