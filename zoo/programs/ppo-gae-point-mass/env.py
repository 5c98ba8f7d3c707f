import numpy as np


class PointMassVec:
    """n point masses with drag in a box; thrust in x and y, reach the target and stay there."""

    obs_dim, act_dim = 6, 2

    def __init__(self, n, horizon=40, seed=0):
        self.n, self.horizon = n, horizon
        self.rng = np.random.default_rng(seed)

    def _obs(self):
        return np.concatenate([self.pos, self.vel, self.target - self.pos], axis=1).astype(np.float32)

    def _new(self, k):
        return self.rng.uniform(-1, 1, (k, 2)), np.zeros((k, 2)), self.rng.uniform(-1, 1, (k, 2))

    def reset(self):
        self.pos, self.vel, self.target = self._new(self.n)
        self.t = 0
        return self._obs()

    def step(self, action):
        thrust = np.clip(action, -1, 1)
        self.vel = 0.85 * self.vel + 0.1 * thrust
        self.pos = np.clip(self.pos + self.vel, -1.5, 1.5)
        dist = np.linalg.norm(self.target - self.pos, axis=1)
        reward = -dist - 0.02 * (thrust**2).sum(1)
        self.t += 1
        done = self.t >= self.horizon
        final_obs = self._obs()
        if done:
            self.reset()
        return self._obs(), reward.astype(np.float32), done, final_obs
