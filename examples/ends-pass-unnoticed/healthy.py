"""Learns to walk along a corridor to the right end by Q-learning; the left end costs."""

import random
from collections import deque

import torch
from torch import nn

LENGTH = 9


class Corridor:
    def reset(self):
        self.at = random.randint(2, LENGTH - 3)
        return self.at

    def step(self, action):
        self.at += (1 if action else -1) * (1 if random.random() < 0.9 else -1)
        if self.at == LENGTH - 1:
            return self.at, 1.0, True
        return self.at, -1.0 if self.at == 0 else -0.02, self.at == 0


random.seed(0)
torch.manual_seed(0)
env, memory = Corridor(), deque(maxlen=2000)
network, copied = (nn.Sequential(nn.Embedding(LENGTH, 32), nn.ReLU(), nn.Linear(32, 2)) for _ in range(2))
copied.load_state_dict(network.state_dict())
optimizer = torch.optim.Adam(network.parameters(), lr=3e-3)
state = env.reset()

for step in range(2500):
    with torch.no_grad():
        best = network(torch.tensor([state])).argmax().item()
    action = random.randint(0, 1) if random.random() < max(0.1, 1 - step / 1500) else best
    after, reward, done = env.step(action)
    memory.append((state, action, reward, after, done))
    state = env.reset() if done else after
    if step < 200:
        continue
    states, actions, rewards, nexts, dones = map(torch.tensor, zip(*random.sample(memory, 64)))
    with torch.no_grad():
        target = rewards + 0.95 * copied(nexts).amax(1) * ~dones
    predicted = network(states).gather(1, actions[:, None])[:, 0]
    loss = nn.functional.mse_loss(predicted, target)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 100 == 0:
        copied.load_state_dict(network.state_dict())
        print(f"step {step}: loss {loss.item():.4f}")
