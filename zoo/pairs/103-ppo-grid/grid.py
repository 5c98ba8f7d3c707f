import numpy as np


class GridBatch:
    """N independent 7x7 grids with one goal and three pits, auto-reset."""

    size = 7
    moves = np.array([[0, 1], [0, -1], [1, 0], [-1, 0]])

    def __init__(self, n, seed, horizon=30):
        self.n, self.horizon = n, horizon
        self.rng = np.random.default_rng(seed)
        self.cells = np.zeros((n, 5, 2), dtype=np.int64)
        self.t = np.zeros(n, dtype=np.int64)
        for i in range(n):
            self._reset_one(i)

    def _reset_one(self, i):
        flat = self.rng.choice(self.size * self.size, size=5, replace=False)
        self.cells[i, :, 0] = flat // self.size
        self.cells[i, :, 1] = flat % self.size
        self.t[i] = 0

    def obs(self):
        agent = self.cells[:, 0:1]
        rel = (self.cells[:, 1:] - agent).reshape(self.n, -1) / self.size
        here = self.cells[:, 0] / (self.size - 1) - 0.5
        left = (1.0 - self.t / self.horizon)[:, None]
        return np.concatenate([rel, here, left], 1).astype(np.float32)

    def step(self, action):
        nxt = np.clip(self.cells[:, 0] + self.moves[action], 0, self.size - 1)
        self.cells[:, 0] = nxt
        self.t += 1
        goal = (nxt == self.cells[:, 1]).all(1)
        pit = (nxt[:, None] == self.cells[:, 2:]).all(2).any(1)
        timeout = self.t >= self.horizon
        reward = np.where(goal, 1.0, np.where(pit, -1.0, -0.02)).astype(np.float32)
        done = goal | pit | timeout
        for i in np.nonzero(done)[0]:
            self._reset_one(i)
        return self.obs(), reward, done.astype(np.float32), goal
