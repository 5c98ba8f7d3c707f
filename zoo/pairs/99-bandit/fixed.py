"""Neural contextual bandit for offer selection: learn the revenue per offer online with epsilon-greedy."""
import numpy as np
import torch
import torch.nn as nn

N_ARMS, N_FEATURES = 40, 10
ROUNDS, BATCH = 2000, 16
EPS_START, EPS_MIN, EPS_DECAY = 1.0, 0.01, 0.997


class OfferSimulator:
    """Visitors come from segments; each segment has its own mean revenue per offer, observed with noise."""

    def __init__(self, seed=0):
        g = np.random.default_rng(seed)
        self.table = g.uniform(0.2, 0.5, size=(N_FEATURES, N_ARMS))
        self.table[np.arange(N_FEATURES), g.integers(0, N_ARMS, N_FEATURES)] = 1.0

    def expected(self, contexts):
        return contexts @ self.table

    def visitors(self, n, rng):
        return np.eye(N_FEATURES)[rng.integers(0, N_FEATURES, n)]

    def pull(self, contexts, arms, rng):
        mean = self.expected(contexts)[np.arange(len(arms)), arms]
        return (mean + 0.25 * rng.normal(size=len(arms))).astype(np.float32)


class ValueNet(nn.Module):
    def __init__(self, width=64):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(N_FEATURES, width), nn.ReLU(), nn.Linear(width, N_ARMS))

    def forward(self, x):
        return self.net(x)


class History:
    def __init__(self, capacity=ROUNDS * BATCH):
        self.x = np.zeros((capacity, N_FEATURES), dtype=np.float32)
        self.a = np.zeros(capacity, dtype=np.int64)
        self.r = np.zeros(capacity, dtype=np.float32)
        self.n = 0

    def extend(self, x, a, r):
        end = self.n + len(a)
        self.x[self.n:end], self.a[self.n:end], self.r[self.n:end] = x, a, r
        self.n = end

    def sample(self, k, rng):
        idx = rng.integers(0, self.n, k)
        return torch.from_numpy(self.x[idx]), torch.from_numpy(self.a[idx]), torch.from_numpy(self.r[idx])


def decay_epsilon(eps):
    return max(EPS_MIN, eps * EPS_DECAY)


def greedy_report(model, env, rng, n=5000):
    x = env.visitors(n, rng)
    with torch.no_grad():
        arms = model(torch.tensor(x, dtype=torch.float32)).argmax(1).numpy()
    expected = env.expected(x)
    achieved = expected[np.arange(n), arms].mean()
    return achieved, expected.max(1).mean(), expected.mean()


def main():
    torch.manual_seed(0)
    rng = np.random.default_rng(1)
    env, model, history = OfferSimulator(seed=4), ValueNet(), History()
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    eps, rewards, losses = EPS_START, [], []

    for t in range(1, ROUNDS + 1):
        x = env.visitors(BATCH, rng)
        with torch.no_grad():
            greedy = model(torch.tensor(x, dtype=torch.float32)).argmax(1).numpy()
        explore = rng.random(BATCH) < eps
        arms = np.where(explore, rng.integers(0, N_ARMS, BATCH), greedy)
        r = env.pull(x, arms, rng)
        history.extend(x, arms, r)
        rewards.append(r.mean())

        for _ in range(2):
            bx, ba, br = history.sample(64, rng)
            pred = model(bx).gather(1, ba.unsqueeze(1)).squeeze(1)
            loss = nn.functional.mse_loss(pred, br)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        losses.append(loss.item())
        eps = decay_epsilon(eps)
        if t % 150 == 0:
            print(f"round {t} loss {np.mean(losses[-150:]):.4f} reward {np.mean(rewards[-150:]):.3f}")

    achieved, best, uniform = greedy_report(model, env, np.random.default_rng(99))
    print(f"greedy value {achieved:.3f} (oracle {best:.3f}, uniform {uniform:.3f}), regret {best - achieved:.3f}")


if __name__ == "__main__":
    main()
