"""REINFORCE with a learned baseline on a windy corridor."""
import torch
from torch import nn
from torch.distributions import Categorical


class Corridor:
    """Cells 0..11. Start at 4. A small treat lies to the left, the real goal far to the right, wind pushes left."""
    N = 12

    def __init__(self, n_env, seed):
        self.n, self.g = n_env, torch.Generator().manual_seed(seed)
        self.reset()

    def reset(self):
        self.pos = torch.full((self.n,), 4)
        self.alive = torch.ones(self.n, dtype=torch.bool)
        return self.obs()

    def obs(self):
        return nn.functional.one_hot(self.pos, self.N).float()

    def step(self, action):
        wind = torch.rand(self.n, generator=self.g) < 0.12
        move = torch.where(wind, torch.tensor(-1), 2 * action - 1)
        self.pos = torch.where(self.alive, (self.pos + move).clamp(0, self.N - 1), self.pos)
        reward = torch.full((self.n,), -0.02)
        reward[self.pos == 0] = 0.3
        reward[self.pos == self.N - 1] = 2.0
        reward = reward * self.alive
        self.alive = self.alive & (self.pos > 0) & (self.pos < self.N - 1)
        return self.obs(), reward, ~self.alive


class Policy(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(Corridor.N, 32), nn.Tanh())
        self.pi, self.v = nn.Linear(32, 2), nn.Linear(32, 1)

    def forward(self, o):
        h = self.body(o)
        return Categorical(logits=self.pi(h)), self.v(h).squeeze(-1)


def rollout(env, policy, horizon=30):
    logp, value, reward, live, ent = [], [], [], [], []
    o = env.reset()
    for _ in range(horizon):
        dist, v = policy(o)
        a = dist.sample()
        live.append(env.alive.float())
        o, r, done = env.step(a)
        logp.append(dist.log_prob(a))
        value.append(v)
        reward.append(r)
        ent.append(dist.entropy())
        if done.all():
            break
    return map(torch.stack, (logp, value, reward, live, ent))


def discounted(reward, gamma):
    out = torch.zeros_like(reward)
    acc = torch.zeros(reward.shape[1])
    for t in range(len(reward)):
        acc = reward[t] + gamma * acc
        out[t] = acc
    return out


def train(updates=180, gamma=0.97):
    torch.manual_seed(0)
    env, policy = Corridor(24, seed=1), Policy()
    opt = torch.optim.Adam(policy.parameters(), lr=5e-3)
    for k in range(updates):
        logp, value, reward, live, ent = rollout(env, policy)
        ret = discounted(reward, gamma)
        adv = (ret - value).detach()
        n = live.sum()
        loss = (-(logp * adv * live).sum() + 0.5 * ((value - ret) ** 2 * live).sum() - 0.02 * (ent * live).sum()) / n
        opt.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(policy.parameters(), 1.0)
        opt.step()
        if k % 30 == 0:
            print(f"update {k:3d} mean return {reward.sum(0).mean():+.3f} entropy {(ent * live).sum() / n:.3f}")
    return policy


if __name__ == "__main__":
    policy = train()
    with torch.no_grad():
        _, _, reward, _, _ = rollout(Corridor(1000, seed=77), policy, horizon=60)
    print(f"evaluation: mean return {reward.sum(0).mean():+.3f} over 1000 episodes")
