import numpy as np


class IcyGrid:
    """
    Walk from anywhere to the goal G. Holes (O) end the episode with -1, the goal with +1, each step costs 0.02.
    With a small probability the agent slips to the side.
    """

    MAP = [
        ".....",
        ".O.O.",
        ".....",
        "O.O.O",
        "....G",
    ]
    MOVES = [(-1, 0), (0, 1), (1, 0), (0, -1)]

    def __init__(self, slip=0.05, max_steps=30, seed=0):
        self.rng = np.random.default_rng(seed)
        self.slip, self.max_steps = slip, max_steps
        self.n = len(self.MAP)
        self.free = [(r, c) for r in range(self.n) for c in range(self.n) if self.MAP[r][c] == "."]

    @property
    def obs_dim(self):
        return self.n * self.n

    def _obs(self):
        out = np.zeros(self.obs_dim, dtype=np.float32)
        out[self.pos[0] * self.n + self.pos[1]] = 1.0
        return out

    def reset(self):
        self.pos = self.free[self.rng.integers(len(self.free))]
        self.t = 0
        return self._obs()

    def step(self, action):
        if self.rng.random() < self.slip:
            action = (action + self.rng.choice([1, 3])) % 4
        dr, dc = self.MOVES[action]
        r = min(max(self.pos[0] + dr, 0), self.n - 1)
        c = min(max(self.pos[1] + dc, 0), self.n - 1)
        self.pos = (r, c)
        self.t += 1
        cell = self.MAP[r][c]
        reward = {"G": 1.0, "O": -1.0}.get(cell, -0.02)
        terminated = cell in "GO"
        truncated = not terminated and self.t >= self.max_steps
        return self._obs(), reward, terminated, truncated
