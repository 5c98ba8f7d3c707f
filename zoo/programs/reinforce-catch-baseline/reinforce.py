"""Policy gradient with a learned value baseline on "catch": move the paddle below the falling ball."""
import torch
import torch.nn as nn
from torch.distributions import Categorical

ROWS, COLS = 7, 7


class CatchBatch:
    """Many games at once. Ball drifts sideways while falling; reward only when it lands."""

    def __init__(self, n_games, generator):
        self.n, self.g = n_games, generator

    def reset(self):
        self.row = torch.zeros(self.n, dtype=torch.long)
        self.col = torch.randint(COLS, (self.n,), generator=self.g)
        self.drift = torch.randint(-1, 2, (self.n,), generator=self.g)
        self.paddle = torch.randint(COLS, (self.n,), generator=self.g)
        return self.observe()

    def observe(self):
        oh = nn.functional.one_hot
        offset = self.col - self.paddle + COLS - 1
        return torch.cat([oh(self.row, ROWS), oh(self.col, COLS), oh(offset, 2 * COLS - 1), oh(self.drift + 1, 3)], dim=1).float()

    def step(self, action):
        self.paddle = (self.paddle + action - 1).clamp(0, COLS - 1)
        moves = torch.rand(self.n, generator=self.g) < 0.5
        col = self.col + self.drift * moves
        bounced = (col < 0) | (col >= COLS)
        self.drift = torch.where(bounced, -self.drift, self.drift)
        self.col = col.clamp(0, COLS - 1)
        self.row = self.row + 1
        done = bool((self.row == ROWS - 1).all())
        reward = torch.zeros(self.n)
        if done:
            reward = torch.where(self.paddle == self.col, 1.0, -1.0)
        return self.observe(), reward, done


class PolicyValue(nn.Module):
    def __init__(self, n_obs, n_actions=3, hidden=64):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(n_obs, hidden), nn.Tanh())
        self.pi = nn.Linear(hidden, n_actions)
        self.v = nn.Linear(hidden, 1)

    def forward(self, obs):
        h = self.body(obs)
        return Categorical(logits=self.pi(h)), self.v(h).squeeze(-1)


def play(env, policy):
    log_probs, values, entropies, rewards = [], [], [], []
    obs, done = env.reset(), False
    while not done:
        dist, value = policy(obs)
        action = dist.sample()
        obs, reward, done = env.step(action)
        log_probs.append(dist.log_prob(action))
        values.append(value)
        entropies.append(dist.entropy())
        rewards.append(reward)
    return torch.stack(log_probs), torch.stack(values), torch.stack(entropies), torch.stack(rewards)


def returns_to_go(rewards, gamma):
    out, running = [], torch.zeros_like(rewards[0])
    for r in reversed(rewards):
        running = r + gamma * running
        out.append(running)
    return torch.stack(out[::-1])


def main():
    torch.manual_seed(8)
    gamma, n_updates = 0.98, 240
    env = CatchBatch(64, torch.Generator().manual_seed(torch.initial_seed() + 1))
    policy = PolicyValue(ROWS + 3 * COLS + 2)
    optimizer = torch.optim.Adam(policy.parameters(), lr=1e-2)
    smooth = -0.7
    for update in range(n_updates):
        log_probs, values, entropies, rewards = play(env, policy)
        G = returns_to_go(rewards, gamma)
        advantage = G - values.detach()
        policy_loss = -(log_probs * advantage).mean()
        value_loss = nn.functional.mse_loss(values, G)
        loss = policy_loss + 0.5 * value_loss - 0.02 * entropies.mean()

        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(policy.parameters(), 1.0)
        optimizer.step()

        smooth = 0.95 * smooth + 0.05 * rewards.sum(0).mean().item()
        if update % 50 == 0:
            print(f"update {update:3d}\trunning return {smooth:+.3f}\tentropy {entropies.mean().item():.3f}")

    eval_env = CatchBatch(2000, torch.Generator().manual_seed(torch.initial_seed() + 2))
    obs, done = eval_env.reset(), False
    with torch.no_grad():
        while not done:
            dist, _ = policy(obs)
            obs, reward, done = eval_env.step(dist.logits.argmax(-1))
    print(f"Average return of the greedy policy: {reward.mean().item():.3f}")


if __name__ == "__main__":
    main()
