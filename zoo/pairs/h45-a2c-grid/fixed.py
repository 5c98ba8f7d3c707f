"""Batched advantage actor-critic on a windy grid: time limits bootstrap, goal and pit do not."""
import torch
import torch.nn as nn
from torch.distributions import Categorical

SIZE, N_ENVS, N_STEPS, UPDATES, GAMMA, LIMIT = 5, 32, 8, 500, 0.95, 30
GOAL, PIT = torch.tensor([4, 4]), torch.tensor([2, 2])
MOVES = torch.tensor([[0, 1], [0, -1], [1, 0], [-1, 0]])


class WindyGrid:
    def __init__(self, n):
        self.n = n
        self.pos = torch.zeros(n, 2, dtype=torch.long)
        self.t = torch.zeros(n, dtype=torch.long)
        self.reset(torch.ones(n, dtype=torch.bool))

    def reset(self, mask):
        k = int(mask.sum())
        fresh = torch.randint(0, SIZE, (k, 2))
        bad = (fresh == GOAL).all(1) | (fresh == PIT).all(1)
        fresh[bad] = 0
        self.pos[mask] = fresh
        self.t[mask] = 0

    def obs(self):
        return torch.nn.functional.one_hot(self.pos, SIZE).float().flatten(1)

    def step(self, action):
        windy = torch.rand(self.n) < 0.1
        action = torch.where(windy, torch.randint(0, 4, (self.n,)), action)
        self.pos = (self.pos + MOVES[action]).clamp(0, SIZE - 1)
        self.t += 1
        goal, pit = (self.pos == GOAL).all(1), (self.pos == PIT).all(1)
        reward = goal.float() - pit.float() - 0.02
        terminated = goal | pit
        truncated = (self.t >= LIMIT) & ~terminated
        final_obs = self.obs()
        self.reset(terminated | truncated)
        return final_obs, reward, terminated, truncated, goal


class Agent(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(2 * SIZE, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh())
        self.pi, self.v = nn.Linear(64, 4), nn.Linear(64, 1)

    def forward(self, obs):
        h = self.body(obs)
        return Categorical(logits=self.pi(h)), self.v(h).squeeze(-1)


def main():
    torch.manual_seed(0)
    env, agent = WindyGrid(N_ENVS), Agent()
    optimizer = torch.optim.RMSprop(agent.parameters(), lr=2e-3, alpha=0.99, eps=1e-5)
    ended, goals, rewards_seen = 0, 0, []
    for update in range(1, UPDATES + 1):
        steps = []
        for _ in range(N_STEPS):
            obs = env.obs()
            dist, value = agent(obs)
            action = dist.sample()
            final_obs, reward, terminated, truncated, goal = env.step(action)
            with torch.no_grad():
                boundary = agent(final_obs)[1]
            steps.append((dist.log_prob(action), dist.entropy(), value, reward, terminated, truncated, boundary))
            ended += int((terminated | truncated).sum())
            goals += int(goal.sum())
            rewards_seen.append(reward.mean().item())
        with torch.no_grad():
            ret = agent(env.obs())[1]
            returns = []
            for _, _, _, reward, terminated, truncated, boundary in reversed(steps):
                ret = torch.where(truncated, boundary, ret)
                ret = reward + GAMMA * ret * (~terminated).float()
                returns.insert(0, ret)
        logp, ent, val = (torch.stack([s[i] for s in steps]) for i in range(3))
        returns = torch.stack(returns)
        adv = returns - val.detach()
        policy_loss, value_loss = -(logp * adv).mean(), (returns - val).pow(2).mean()
        loss = policy_loss + 0.5 * value_loss - 0.01 * ent.mean()
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(agent.parameters(), 0.5)
        optimizer.step()
        if update % 50 == 0:
            print(f"update {update} policy {policy_loss.item():+.4f} value {value_loss.item():.4f} entropy "
                  f"{ent.mean().item():.3f} reward/step {sum(rewards_seen[-400:]) / 400:.4f} "
                  f"goal rate {goals / max(1, ended):.3f}")
            ended = goals = 0

    env, done, goals = WindyGrid(500), torch.zeros(500, dtype=torch.bool), torch.zeros(500)
    with torch.no_grad():
        for _ in range(LIMIT):
            _, _, terminated, truncated, goal = env.step(agent(env.obs())[0].probs.argmax(-1))
            goals += (goal & ~done).float()
            done |= terminated | truncated
    print(f"greedy goal rate {goals.mean().item():.3f}")


if __name__ == "__main__":
    main()
